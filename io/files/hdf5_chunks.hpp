#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/files/hdf5_handle.hpp"

namespace poisson::hdf5 {

/// The bytes of a chunk, each of which HDF5 decompresses as a whole; 0 without chunks.
double bytes_of_chunk(hid_t dataset);

/// Throws InputError where a chunk is far larger than the dataset, or where the dataset stores far more than its chunks
/// take: a small dataset must not need the memory of a large one. Reads no values. `problem`: how the message begins.
void check_chunks(hid_t dataset, const std::string& problem);

/// Throws InputError where a stored chunk decompresses to far more than a chunk takes, which HDF5 would find out only
/// when memory ends. Decompresses the chunks of a box that are large enough to matter, in little memory.
/// `first`, `count`: the box; empty: the whole dataset.
void check_decompressed(hid_t dataset, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                        const std::string& problem);

}  // namespace poisson::hdf5
