#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/files/hdf5_handle.hpp"

namespace poisson::hdf5 {

/// Reads a dataset that a file stores in one piece, as numbers in the format of this machine, with all threads.
/// `first` and `shape` select a box; empty `first`: all values. Returns false, and reads nothing, if the dataset is
/// stored otherwise or the box is not one piece of it. Throws Failure if the file cannot be read or is too short.
bool read_contiguous(hid_t dataset, const std::filesystem::path& path, const std::vector<std::int64_t>& first,
                     const std::vector<std::int64_t>& shape, std::vector<double>& values);

}  // namespace poisson::hdf5
