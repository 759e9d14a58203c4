// Everything that touches HDF5's C interface.

#include "io/files/hdf5.hpp"

// HDF5 1.10's signatures, which later releases keep under this name.
#define H5_USE_110_API
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <hdf5.h>

#include "backends/error.hpp"
#include "backends/host_memory.hpp"
#include "backends/memory.hpp"
#include "io/config/spelling.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

/// What HDF5 itself said about its last failure: the innermost entry of its error stack, or the operating system's
/// words where those are part of it.
std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& kept = *static_cast<std::string*>(out);
    if (kept.empty() && entry->desc) kept = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  const std::string_view mark = "error message = '";
  if (const auto start = text.find(mark); start != std::string::npos) {
    text = text.substr(start + mark.size());
    text = text.substr(0, text.find('\''));
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

/// A call of HDF5 that failed; the message is HDF5's own.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Passes a result of HDF5 on. Throws Failure where it is negative.
template <class Result>
Result check(Result result) {
  if (result < 0) throw Failure(last_error());
  return result;
}

/// An open object of HDF5, closed at the end of its scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close closer) : id_(check(id)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Closes now, where a failure can still be reported: HDF5 writes the rest of a file when it closes it.
  void close() { check(close_(std::exchange(id_, -1))); }

 private:
  hid_t id_;
  Close close_;
};

/// To be called before anything else of HDF5. Errors become exceptions, so HDF5 shall not print them too; and it shall
/// not clean up at exit, where release 1.10 crashes over a file that a full disk kept it from closing.
void silence() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// How files are opened where the file system has no locks.
Handle without_locks() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
  check(H5Pset_file_locking(access, false, true));
#endif
  return access;
}

// ---- writing ----

using Shape = std::vector<hsize_t>;

Handle without_times(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  check(H5Pset_obj_track_times(properties, false));
  return properties;
}

Handle make_group(hid_t parent, const char* name) {
  return Handle(H5Gcreate2(parent, name, H5P_DEFAULT, without_times(H5P_GROUP_CREATE), H5P_DEFAULT), H5Gclose);
}

/// Text as VTKHDF wants it: ASCII or UTF-8 of a fixed length, which is at least one byte.
Handle text_type(const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(1, text.size())));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  for (const char c : text)
    if (static_cast<unsigned char>(c) > 127) check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

template <class T>
Handle numeric_type() {
  if constexpr (std::is_floating_point_v<T>)
    return Handle(H5Tcopy(H5T_IEEE_F64LE), H5Tclose);
  else
    return Handle(H5Tcopy(H5T_STD_I64LE), H5Tclose);
}

template <class T>
hid_t memory_type() {
  static_assert(sizeof(T) == 8);
  return std::is_floating_point_v<T> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory, const Handle& space,
                     const void* value) {
  Handle attribute(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, memory, value));
  attribute.close();
}

template <class T>
void write_attribute(hid_t object, const char* name, std::span<const T> values) {
  const hsize_t size = values.size();
  write_attribute(object, name, numeric_type<T>(), memory_type<T>(),
                  Handle(H5Screate_simple(1, &size, nullptr), H5Sclose), values.data());
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const auto type = text_type(text);
  write_attribute(object, name, type, type, Handle(H5Screate(H5S_SCALAR), H5Sclose), text.c_str());
}

Handle make_dataset(hid_t parent, const std::string& name, const Shape& shape) {
  Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  return Handle(H5Dcreate2(parent, name.c_str(), numeric_type<double>(), space, H5P_DEFAULT,
                           without_times(H5P_DATASET_CREATE), H5P_DEFAULT),
                H5Dclose);
}

void write_dataset(hid_t parent, const std::string& name, std::span<const double> values) {
  Handle dataset = make_dataset(parent, name, {values.size()});
  check(H5Dwrite(dataset, memory_type<double>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  dataset.close();
}

/// A dataset, since an attribute may not exceed 64 KiB and explicit nodes make long configurations.
void write_text(hid_t parent, const char* name, const std::string& text) {
  const auto type = text_type(text);
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle dataset(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, without_times(H5P_DATASET_CREATE), H5P_DEFAULT),
                 H5Dclose);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  dataset.close();
}

/// [nz][ny][nx], [ny][nx] in two dimensions, and the components last where there are several.
Shape file_shape(const OutputGrid& grid, const FieldHead& field) {
  const auto n = grid.shape(field.location);
  Shape shape;
  for (int axis = grid.dimension; axis-- > 0;) shape.push_back(static_cast<hsize_t>(n[axis]));
  if (field.components > 1) shape.push_back(static_cast<hsize_t>(field.components));
  return shape;
}

/// Axes, title, verdict and configuration, which no layout of VTK has a place for.
void write_description(hid_t group, const OutputGrid& grid, const OutputNote& note) {
  for (int axis = 0; axis < grid.dimension; ++axis) write_dataset(group, std::string(1, "xyz"[axis]), grid.nodes[axis]);
  write_attribute(group, "title", note.title);
  const std::int64_t converged = note.converged ? 1 : 0;
  write_attribute(group, "converged", std::span(&converged, 1));
  write_text(group, "configuration", note.configuration);
}

/// The group of VTKHDF 1.0, type ImageData, and in it that of the fields at nodes. Those in cells stand outside it: VTK
/// 9.1 and ParaView 5.11 read the cell data of images with the extent of the points, fail, and show nothing.
Handle make_image(hid_t file, const OutputGrid& grid) {
  auto root = make_group(file, "VTKHDF");
  std::array<std::int64_t, 6> extent{};
  std::array<double, 3> origin{}, spacing{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto& x = grid.nodes[axis];
    extent[2 * axis + 1] = std::ssize(x) - 1;
    origin[axis] = x.front();
    spacing[axis] = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  }
  constexpr std::array<std::int64_t, 2> version{1, 0};
  constexpr std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  write_attribute<std::int64_t>(root, "Version", version);
  write_attribute(root, "Type", "ImageData");
  write_attribute<std::int64_t>(root, "WholeExtent", extent);
  write_attribute<double>(root, "Origin", origin);
  write_attribute<double>(root, "Spacing", spacing);
  write_attribute<double>(root, "Direction", direction);
  return make_group(root, "PointData");
}

/// Readers list alphabetically, so the first scalar and the first vector are named.
void name_first(hid_t points, const std::vector<FieldHead>& fields) {
  for (const bool vectors : {false, true}) {
    const auto first = std::ranges::find_if(fields, [&](const FieldHead& field) {
      return field.location == Location::node && (field.components > 1) == vectors;
    });
    if (first != fields.end()) write_attribute(points, vectors ? "Vectors" : "Scalars", first->name);
  }
}

class Hdf5File final : public FieldFile {
 public:
  Hdf5File(const std::filesystem::path& directory, OutputGrid grid, std::vector<FieldHead> fields, OutputNote note)
      : grid_(std::move(grid)),
        fields_(std::move(fields)),
        note_(std::move(note)),
        image_(is_image(grid_, std::ranges::any_of(fields_, at_nodes))),
        pending_(directory / hdf5_name(grid_, image_), bytes_of(grid_, fields_)) {
    silence();
    attempt([&] {
      // Nobody else knows the file yet. Closing fails where an object of it is still open, with which it would stay
      // open.
      access_.emplace(without_locks());
      check(H5Pset_fclose_degree(*access_, H5F_CLOSE_SEMI));
      file_.emplace(H5Fcreate(pending_.path().c_str(), H5F_ACC_TRUNC, without_times(H5P_FILE_CREATE), *access_),
                    H5Fclose);
      if (image_) points_.emplace(make_image(*file_, grid_));
      plain_.emplace(image_ ? make_group(*file_, "poisson") : Handle(H5Gopen2(*file_, "/", H5P_DEFAULT), H5Gclose));
    });
  }

  void write(std::span<const double> values) override {
    if (next_ == fields_.size()) throw std::invalid_argument("the file has all its values");
    const FieldHead& field = fields_[next_];
    const bool in_image = image_ && at_nodes(field);
    const Shape shape = file_shape(grid_, field);
    Shape start(shape.size(), 0), some = shape;
    start[0] = done_;
    some[0] = shape[0] * values.size() / static_cast<std::size_t>(count(grid_, field));
    if (done_ + some[0] > shape[0]) throw std::invalid_argument("field '" + field.name + "' has fewer values");
    attempt([&] {
      if (done_ == 0) dataset_.emplace(make_dataset(in_image ? *points_ : *plain_, field.name, shape));
      const Handle there(H5Dget_space(*dataset_), H5Sclose);
      const Handle here(H5Screate_simple(static_cast<int>(some.size()), some.data(), nullptr), H5Sclose);
      check(H5Sselect_hyperslab(there, H5S_SELECT_SET, start.data(), nullptr, some.data(), nullptr));
      check(H5Dwrite(*dataset_, memory_type<double>(), here, there, H5P_DEFAULT, values.data()));
      done_ += some[0];
      if (done_ < shape[0]) return;
      if (!in_image) write_attribute(*dataset_, "location", at_nodes(field) ? "node" : "cell");
      dataset_->close();
      done_ = 0;
      ++next_;
    });
  }

  std::filesystem::path close() override {
    if (next_ < fields_.size()) throw std::invalid_argument("the file lacks values of '" + fields_[next_].name + "'");
    attempt([&] {
      if (image_) {
        name_first(*points_, fields_);
        points_->close();
      }
      write_description(*plain_, grid_, note_);
      plain_->close();
      check(H5Fflush(*file_, H5F_SCOPE_LOCAL));
      file_->close();
      // Opening compares the length of the file with what it should be.
      Handle(H5Fopen(pending_.path().c_str(), H5F_ACC_RDONLY, *access_), H5Fclose).close();
    });
    return pending_.commit();
  }

 private:
  static bool at_nodes(const FieldHead& field) { return field.location == Location::node; }
  template <class F>
  void attempt(const F& f) {
    try {
      f();
    } catch (const Failure& failure) {
      pending_.fail(failure.what());
    }
  }

  OutputGrid grid_;
  std::vector<FieldHead> fields_;
  OutputNote note_;
  bool image_;
  PendingFile pending_;
  std::optional<Handle> access_, file_, points_, plain_, dataset_;  // closed in the opposite order
  std::size_t next_ = 0;                                            // field
  hsize_t done_ = 0;                                                // planes of it
};

// ---- reading ----

/// The full names of all datasets of a file, sorted.
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
  if (std::filesystem::is_directory(status)) refuse("it is a directory", "Name an HDF5 file in it.");
  // Opening for reading asks for permission; the signature says whether it is HDF5 at all.
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

Handle open_dataset(hid_t file, const std::filesystem::path& path, const std::string& name) {
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id >= 0) return Handle(id, H5Dclose);
  auto names = dataset_names(file);
  const std::string problem = "dataset '" + name + "' of '" + path.string() + "' cannot be read ";
  if (names.empty()) throw InputError(problem + "(the file holds no datasets). Name another file.");
  const std::string wanted = name.starts_with('/') ? name : std::string(1, '/').append(name);
  std::string hint = nearest(wanted, names);
  for (const auto& one : names)  // the right name in another group
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
                     "). Name a dataset of integers or floating-point numbers.");
  };
  const Handle type(H5Dget_type(dataset), H5Tclose);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      break;
    case H5T_STRING:
      refuse("it holds text");
      break;
    case H5T_COMPOUND:
      refuse("it holds records or complex numbers");
      break;
    default:
      refuse("it holds no numbers");
  }
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) refuse("it is empty");
  Shape shape(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space))));
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr));
  return {shape.begin(), shape.end()};
}

/// The selected values, as many as the shape says.
Dataset read(hid_t dataset, hid_t to, hid_t from, std::vector<std::int64_t> shape, const std::filesystem::path& path,
             const std::string& name) {
  const auto refuse = [&](const std::string& why, const std::string& what) {
    throw InputError("dataset '" + name + "' of '" + path.string() + "' cannot be read (" + why + "). " + what);
  };
  double bytes = sizeof(double);
  for (const auto n : shape) bytes *= static_cast<double>(n);
  if (const MemoryLimit free = available_memory(); bytes > static_cast<double>(free.bytes))
    refuse("its values take " + readable_bytes(bytes) + ", and " + readable_bytes(static_cast<double>(free.bytes)) +
               " of memory are free",
           "Check its shape.");
  Dataset result{std::move(shape), {}};
  result.values.resize(static_cast<std::size_t>(bytes / sizeof(double)));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, result.values.data()) < 0)
    refuse(last_error(), "The file may be damaged or use a compression that this HDF5 lacks.");
  return result;
}

}  // namespace

std::unique_ptr<FieldFile> open_hdf5(const std::filesystem::path& directory, const OutputGrid& grid,
                                     std::vector<FieldHead> fields, const OutputNote& note) {
  return std::make_unique<Hdf5File>(directory, grid, std::move(fields), note);
}

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
  const double held = std::min(static_cast<double>(H5Dget_storage_size(dataset)), length);
  constexpr double small = 1 << 24, densest = 2000;  // no filter of HDF5's own comes near
  if (stated > small && held * (H5Pget_nfilters(properties) > 0 ? densest : 1) < stated)
    throw InputError("dataset '" + name + "' of '" + path.string() + "' is not complete (its shape takes " +
                     readable_bytes(stated) + ", and the file holds " + readable_bytes(held) +
                     " of them). Write it again.");
}

Dataset read_dataset(const std::filesystem::path& path, const std::string& name) {
  const auto file = open_file(path);
  const auto dataset = open_dataset(file, path, name);
  return read(dataset, H5S_ALL, H5S_ALL, shape_of(dataset, path, name), path, name);
}

Dataset read_slice(const std::filesystem::path& path, const std::string& name, std::int64_t first) {
  const auto file = open_file(path);
  const auto dataset = open_dataset(file, path, name);
  std::vector<std::int64_t> shape = shape_of(dataset, path, name);
  Shape start(shape.size(), 0), count(shape.begin(), shape.end());
  start.at(0) = static_cast<hsize_t>(first);
  count.at(0) = 1;
  const Handle from(H5Dget_space(dataset), H5Sclose);
  const Handle to(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  shape.erase(shape.begin());
  return read(dataset, to, from, std::move(shape), path, name);
}

}  // namespace poisson
