// This file reads datasets through HDF5's C interface.

#include "io/files/hdf5.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/memory/memory.hpp"
#include "io/config/spelling.hpp"
#include "io/files/hdf5_chunks.hpp"
#include "io/files/hdf5_contiguous.hpp"
#include "io/files/hdf5_handle.hpp"

namespace poisson {

using namespace hdf5;

namespace {

/// Returns the full names of all datasets of a file, sorted.
std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5O_info_t* info, void* out) -> herr_t {
    if (info->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(out)->push_back(std::string(1, '/').append(name));
    return 0;
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, collect, &names);
  return names;
}

Handle open_file(const std::filesystem::path& path) {
  silence();
  const auto refuse = [&](const std::string& why, const std::string& what) {
    throw InputError("file '" + path.string() + "' cannot be read (" + why + "). " + what);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse("there is no such file", "Check the path.");
  if (std::filesystem::is_directory(status)) refuse("it is a directory", "Give an HDF5 file in it.");
  if (!std::filesystem::is_regular_file(status)) refuse("it is a pipe or a device", "Give a file in the HDF5 format.");
  // H5Fis_hdf5 needs read permission and checks the signature of the file.
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 == 0) refuse("it is not an HDF5 file", "Give a file in the HDF5 format.");
  if (is_hdf5 < 0) refuse(last_error(), "Check its permissions.");
  try {
    try {
      return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    } catch (const Failure& failure) {
      const auto says = [&](int code) { return failure.what() == std::string_view(std::strerror(code)); };
      if (!says(ENOLCK) && !says(ENOTSUP) && !says(ENOSYS)) throw;
      return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, without_locks()), H5Fclose);
    }
  } catch (const Failure& failure) {
    refuse(failure.what(), "It may be damaged, or still open for writing.");
    throw;
  }
}

/// Records the target of an external link and refuses to follow it: a foreign file must not choose which files are
/// read.
herr_t refuse_link(const char*, const char*, const char* file, const char* object, unsigned*, hid_t, void* target) {
  static_cast<std::string*>(target)->assign("'").append(object).append("' of '").append(file).append("'");
  return -1;
}

/// Throws InputError if the values of a dataset are stored in other files.
void check_own_storage(hid_t properties, const std::string& problem) {
  const bool outside = check(H5Pget_external_count(properties)) > 0;
  if (!outside && H5Pget_layout(properties) != H5D_VIRTUAL) return;
  throw InputError(problem +
                   (outside ? "(it has external storage: its values are in other files). "
                            : "(it is a virtual dataset: its values are in other files). ") +
                   "Copy the values into a dataset of this file.");
}

Handle open_dataset(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const std::string problem = "dataset '" + name + "' of '" + path.string() + "' cannot be read ";
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  std::string target;
  check(H5Pset_elink_cb(access, refuse_link, &target));
  const hid_t id = H5Dopen2(file, name.c_str(), access);
  if (id >= 0) {
    Handle dataset(id, H5Dclose);
    check_own_storage(Handle(H5Dget_create_plist(dataset), H5Pclose), problem);
    check_chunks(dataset, problem);
    return dataset;
  }
  if (!target.empty())
    throw InputError(problem + "(an external link points to " + target +
                     "). Give that file, or copy the dataset into this one.");
  // HDF5 crashes when it lists the links of some damaged groups, so only a missing name leads to a list.
  if (const std::string why = last_error(); why.find("doesn't exist") == std::string::npos &&
                                            why.find("not found") == std::string::npos &&
                                            why.find("not a dataset") == std::string::npos)
    throw InputError(problem + "(" + why + "). The file may be damaged.");
  auto names = dataset_names(file);
  if (names.empty()) throw InputError(problem + "(the file contains no datasets). Give another file.");
  const std::string wanted = name.starts_with('/') ? name : std::string(1, '/').append(name);
  std::string hint = nearest(wanted, names);
  for (const auto& one : names)  // the name may be right in another group
    if (hint.empty() && one.ends_with(wanted.substr(wanted.rfind('/')))) hint = one;
  if (hint.empty()) {
    constexpr std::size_t most = 12;
    const std::size_t all = names.size();
    if (all > most) names.resize(most);
    hint = "Choose from " + join(names) + (all > most ? ", and " + std::to_string(all - most) + " more." : ".");
  } else {
    hint = "Did you mean '" + hint + "'?";
  }
  throw InputError(problem + "(there is no such dataset). " + hint);
}

std::vector<std::int64_t> shape_of(hid_t dataset, const std::filesystem::path& path, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw InputError("dataset '" + name + "' of '" + path.string() + "' cannot be read (" + why +
                     "). Give a dataset of integers or floating-point numbers.");
  };
  const Handle type(H5Dget_type(dataset), H5Tclose);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      break;
    case H5T_STRING:
      refuse("it contains text");
      break;
    case H5T_COMPOUND:
      refuse("it contains records or complex numbers");
      break;
    default:
      refuse("it contains no numbers");
  }
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) refuse("it is empty");
  Shape shape(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space))));
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr));
  return {shape.begin(), shape.end()};
}

/// Returns the selected values, as many as `shape` has. `first` is the start of the selection; empty: all values.
Dataset read(hid_t dataset, hid_t to, hid_t from, const std::vector<std::int64_t>& first,
             std::vector<std::int64_t> shape, const std::filesystem::path& path, const std::string& name) {
  const std::string problem = "dataset '" + name + "' of '" + path.string() + "' cannot be read ";
  const auto refuse = [&](const std::string& why, const std::string& what) {
    throw InputError(problem + "(" + why + "). " + what);
  };
  double bytes = sizeof(double);
  for (const auto n : shape) bytes *= static_cast<double>(n);
  const double chunk = bytes_of_chunk(dataset);
  if (const MemoryLimit free = available_memory(); bytes + chunk > static_cast<double>(free.bytes))
    refuse("its values need " + readable_bytes(bytes) + (chunk > 0 ? ", a chunk " + readable_bytes(chunk) : "") +
               ", but only " + readable_bytes(static_cast<double>(free.bytes)) + " of memory are free",
           "Check its shape and its chunks.");
  try {
    check_decompressed(dataset, first, shape, problem);
  } catch (const Failure& failure) {
    refuse(failure.what(), "The file may be damaged.");
  }
  Dataset result{std::move(shape), {}};
  try {
    if (read_contiguous(dataset, path, first, result.shape, result.values)) return result;
  } catch (const Failure& failure) {
    refuse(failure.what(), "The file may be damaged.");
  }
  result.values.resize(static_cast<std::size_t>(bytes / sizeof(double)));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, result.values.data()) < 0)
    refuse(last_error(), "The file may be damaged or use a compression that this HDF5 lacks.");
  return result;
}

}  // namespace

std::vector<std::int64_t> dataset_shape(const std::filesystem::path& path, const std::string& name) {
  const auto file = open_file(path);
  return shape_of(open_dataset(file, path, name), path, name);
}

bool has_dataset(const std::filesystem::path& path, const std::string& name) {
  const auto file = open_file(path);
  return H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

void check_stored(const std::filesystem::path& path, const std::string& name) {
  const auto file = open_file(path);
  const auto dataset = open_dataset(file, path, name);
  const Handle type(H5Dget_type(dataset), H5Tclose), properties(H5Dget_create_plist(dataset), H5Pclose);
  double stated = static_cast<double>(H5Tget_size(type));
  for (const auto n : shape_of(dataset, path, name)) stated *= static_cast<double>(n);
  std::error_code error;
  const auto length = static_cast<double>(std::filesystem::file_size(path, error));
  const double stored = std::min(static_cast<double>(H5Dget_storage_size(dataset)), length);
  constexpr double small = 1 << 24, densest = 2000;  // HDF5's own filters compress far less
  if (stated > small && stored * (H5Pget_nfilters(properties) > 0 ? densest : 1) < stated)
    throw InputError("dataset '" + name + "' of '" + path.string() + "' is incomplete (its shape needs " +
                     readable_bytes(stated) + ", but the file stores only " + readable_bytes(stored) +
                     "). Write it again.");
}

Dataset read_dataset(const std::filesystem::path& path, const std::string& name) {
  const auto file = open_file(path);
  const auto dataset = open_dataset(file, path, name);
  return read(dataset, H5S_ALL, H5S_ALL, {}, shape_of(dataset, path, name), path, name);
}

Dataset read_box(const std::filesystem::path& path, const std::string& name, const std::vector<std::int64_t>& first,
                 const std::vector<std::int64_t>& count) {
  const auto file = open_file(path);
  const auto dataset = open_dataset(file, path, name);
  if (shape_of(dataset, path, name).size() != first.size())
    throw std::invalid_argument("dataset '" + name + "' has another number of axes");
  const Shape start(first.begin(), first.end()), some(count.begin(), count.end());
  const Handle from(H5Dget_space(dataset), H5Sclose);
  const Handle to(H5Screate_simple(static_cast<int>(some.size()), some.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, some.data(), nullptr));
  return read(dataset, to, from, first, count, path, name);
}

}  // namespace poisson
