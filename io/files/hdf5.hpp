#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace poisson {

/// Contains a numeric dataset of an HDF5 file, converted to double, in file order (last index fastest).
struct Dataset {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// Returns the shape without reading the values. Throws InputError if the file or the dataset cannot be read; the
/// message names the missing object and the nearest dataset.
/// Also throws InputError if the dataset refers to other files (external links, external storage, virtual datasets) or
/// has a chunk far larger than itself.
std::vector<std::int64_t> dataset_shape(const std::filesystem::path& file, const std::string& name);

/// Returns true if a file has a dataset of that name at its root.
bool has_dataset(const std::filesystem::path& file, const std::string& name);

/// Throws InputError if a file stores less than a dataset's shape requires, even with compression. Call it before
/// reading a dataset whose size only the file determines.
void check_stored(const std::filesystem::path& file, const std::string& name);

/// Reads a complete dataset of integers or floating-point numbers. Throws InputError like dataset_shape, and if the
/// values or one of the chunks do not fit into memory.
Dataset read_dataset(const std::filesystem::path& file, const std::string& name);
/// Reads `count` values along each axis, starting at `first`.
Dataset read_box(const std::filesystem::path& file, const std::string& name, const std::vector<std::int64_t>& first,
                 const std::vector<std::int64_t>& count);

/// Call it before MPI is initialized if several processes may write a file together.
void prepare_parallel_files();

}  // namespace poisson
