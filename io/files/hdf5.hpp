#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace poisson {

/// A numeric dataset of an HDF5 file, converted to double, in file order (last index fastest).
struct Dataset {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// The shape alone, without reading the values. Throws InputError where file or dataset cannot be had: the message
/// names what is missing and the nearest dataset there is. Throws it, too, where the dataset refers to other files
/// (external links, external storage, virtual datasets), and where a chunk is far larger than the dataset.
std::vector<std::int64_t> dataset_shape(const std::filesystem::path& file, const std::string& name);

/// Whether a file has a dataset of that name at its root.
bool has_dataset(const std::filesystem::path& file, const std::string& name);

/// Throws InputError where a file holds less of a dataset than its shape states, compression allowed for. For datasets
/// whose size only the file states, before they are read.
void check_stored(const std::filesystem::path& file, const std::string& name);

/// Reads a whole dataset of integers or floating-point numbers. Throws InputError as dataset_shape does, and where its
/// values, or one of its chunks, do not fit into memory.
Dataset read_dataset(const std::filesystem::path& file, const std::string& name);
/// So many of its values along each axis, from some on.
Dataset read_box(const std::filesystem::path& file, const std::string& name, const std::vector<std::int64_t>& first,
                 const std::vector<std::int64_t>& count);

/// To be called before MPI is initialized where several processes may write a file together.
void prepare_parallel_files();

}  // namespace poisson
