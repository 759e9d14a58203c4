#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/files/hdf5_handle.hpp"

namespace poisson::hdf5 {

/// Returns the bytes of a chunk, which HDF5 decompresses completely; 0 without chunks.
double bytes_of_chunk(hid_t dataset);

/// Throws InputError if a chunk is far larger than the dataset, or if the dataset stores far more than its chunks need.
/// A small dataset must not require the memory of a large one. Reads no values. `problem` starts the message.
void check_chunks(hid_t dataset, const std::string& problem);

/// Throws InputError if a stored chunk decompresses to far more than its size; HDF5 would notice only when memory is
/// exhausted. Decompresses the large chunks of a box with little memory.
/// `first` and `count` are the box; empty: the complete dataset.
void check_decompressed(hid_t dataset, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                        const std::string& problem);

}  // namespace poisson::hdf5
