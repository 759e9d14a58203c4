// This file writes fields through HDF5's C interface.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <fcntl.h>

#include "io/files/descriptor.hpp"
#include "io/files/hdf5_handle.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {

using namespace hdf5;

namespace {

Handle without_times(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  check(H5Pset_obj_track_times(properties, false));
  return properties;
}

Handle make_group(hid_t parent, const char* name) {
  return Handle(H5Gcreate2(parent, name, H5P_DEFAULT, without_times(H5P_GROUP_CREATE), H5P_DEFAULT), H5Gclose);
}

/// Returns the text type that VTKHDF requires: ASCII or UTF-8 of a fixed length, which is at least one byte.
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

/// Creates a dataset. Its space in the file is allocated immediately, so that values can be written in any order.
Handle make_dataset(hid_t parent, const std::string& name, const Shape& shape) {
  Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle properties = without_times(H5P_DATASET_CREATE);
  check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
  return Handle(H5Dcreate2(parent, name.c_str(), numeric_type<double>(), space, H5P_DEFAULT, properties, H5P_DEFAULT),
                H5Dclose);
}

void write_dataset(hid_t parent, const std::string& name, std::span<const double> values) {
  Handle dataset = make_dataset(parent, name, {values.size()});
  check(H5Dwrite(dataset, memory_type<double>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  dataset.close();
}

/// Writes text as a dataset. An attribute may not exceed 64 KiB, and explicit nodes make long configurations.
void write_text(hid_t parent, const char* name, const std::string& text) {
  const auto type = text_type(text);
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle dataset(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, without_times(H5P_DATASET_CREATE), H5P_DEFAULT),
                 H5Dclose);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  dataset.close();
}

bool at_nodes(const FieldHead& field) {
  return field.location == Location::node;
}

/// Returns "node", "cell" or, for values on the faces of cells across an axis, such as "face across x".
std::string place_of(const FieldHead& field) {
  if (field.face_axis >= 0) return std::string("face across ") + "xyz"[field.face_axis];
  return at_nodes(field) ? "node" : "cell";
}

/// Returns a shape from one number for each axis: [nz][ny][nx], or [ny][nx] in two dimensions. Several components are
/// the last axis.
template <class Number>
Shape file_shape(const OutputGrid& grid, const FieldHead& field, const std::array<Number, 3>& n, int components) {
  Shape shape;
  for (std::size_t axis = static_cast<std::size_t>(grid.dimension); axis-- > 0;)
    shape.push_back(static_cast<hsize_t>(n[axis]));
  if (field.components > 1) shape.push_back(static_cast<hsize_t>(components));
  return shape;
}

/// Describes the values that a process writes. If two processes share nodes or faces, the second one writes them.
struct Portion {
  Shape start;   ///< global start
  Shape stored;  ///< its values
  Shape count;   ///< its written values

  Portion(const OutputGrid& grid, const FieldHead& field) {
    const Box places = grid.places(field);
    const auto all = grid.shape(field);
    std::array<int, 3> values{}, written{};
    for (std::size_t d = 0; d < 3; ++d) {
      values[d] = written[d] = places.last[d] - places.first[d];
      const bool shared = at_nodes(field) || static_cast<int>(d) == field.face_axis;
      if (shared && places.last[d] < all[d]) --written[d];
    }
    start = file_shape(grid, field, places.first, 0);
    stored = file_shape(grid, field, values, field.components);
    count = file_shape(grid, field, written, field.components);
  }
};

/// Writes axes, title, verdict and configuration, for which no VTK layout has a place.
void write_description(hid_t group, const OutputGrid& grid, const OutputNote& note) {
  for (int axis = 0; axis < grid.dimension; ++axis) write_dataset(group, std::string(1, "xyz"[axis]), grid.nodes[axis]);
  write_attribute(group, "title", note.title);
  const std::int64_t converged = note.converged ? 1 : 0;
  write_attribute(group, "converged", std::span(&converged, 1));
  write_text(group, "configuration", note.configuration);
}

/// Creates the group of VTKHDF 1.0, type ImageData, and returns its group PointData for the fields at nodes. Fields in
/// cells are stored elsewhere. VTK 9.1 and ParaView 5.11 read the cell data of images with the extent of the points,
/// fail and show nothing.
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

/// Names the first scalar and the first vector as active, because readers sort fields alphabetically.
void name_first(hid_t points, const std::vector<FieldHead>& fields) {
  for (const bool vectors : {false, true}) {
    const auto first = std::ranges::find_if(
        fields, [&](const FieldHead& field) { return at_nodes(field) && (field.components > 1) == vectors; });
    if (first != fields.end()) write_attribute(points, vectors ? "Vectors" : "Scalars", first->name);
  }
}

class Hdf5File final : public FieldFile {
 public:
  Hdf5File(const std::filesystem::path& directory, OutputGrid grid, std::vector<FieldHead> fields, OutputNote note,
           std::shared_ptr<const Processes> processes)
      : grid_(std::move(grid)),
        fields_(std::move(fields)),
        note_(std::move(note)),
        processes_(std::move(processes)),
        image_(is_image(grid_, std::ranges::any_of(fields_, at_nodes))),
        place_(directory / hdf5_names(grid_, image_, processes_->count()).front()) {
    silence();
    together(*processes_, [&] {
      if (!processes_->first()) return;
      pending_.emplace(place_, bytes_of(grid_, fields_));
      attempt([&] { lay_out(); });
      if (!processes_->alone()) reserve();
    });
    if (!processes_->alone()) together(*processes_, [&] { attempt([&] { join(); }); });
  }

  /// If several processes close a file, HDF5 synchronizes them at every step and waits forever for one that could not
  /// write. lay_out() has already written all that closing would write, so each process leaves the file open.
  ~Hdf5File() override {
    if (processes_->alone()) return;
    if (dataset_) dataset_->release();
    if (file_) file_->release();
  }

  void write(std::span<const double> values) override {
    if (next_ == fields_.size()) throw std::invalid_argument("the file has all its values");
    const FieldHead& field = fields_[next_];
    const Portion own(grid_, field);
    Shape start = own.start, some = own.stored, written = own.count;
    some[0] = own.stored[0] * values.size() / static_cast<std::size_t>(own_count(grid_, field));
    if (done_ + some[0] > own.stored[0]) throw std::invalid_argument("field '" + field.name + "' has fewer values");
    start[0] += done_;
    written[0] = std::min(done_ + some[0], own.count[0]) - std::min(done_, own.count[0]);
    attempt([&] {
      if (done_ == 0) dataset_.emplace(H5Dopen2(*file_, path_of(field).c_str(), H5P_DEFAULT), H5Dclose);
      if (written[0] > 0) {
        const Shape zero(some.size(), 0);
        const Handle there(H5Dget_space(*dataset_), H5Sclose);
        const Handle here(H5Screate_simple(static_cast<int>(some.size()), some.data(), nullptr), H5Sclose);
        check(H5Sselect_hyperslab(there, H5S_SELECT_SET, start.data(), nullptr, written.data(), nullptr));
        check(H5Sselect_hyperslab(here, H5S_SELECT_SET, zero.data(), nullptr, written.data(), nullptr));
        check(H5Dwrite(*dataset_, memory_type<double>(), here, there, H5P_DEFAULT, values.data()));
      }
      done_ += some[0];
      if (done_ < own.stored[0]) return;
      dataset_->close();
      done_ = 0;
      ++next_;
    });
  }

  std::vector<std::filesystem::path> close() override {
    if (next_ < fields_.size()) throw std::invalid_argument("the file lacks values of '" + fields_[next_].name + "'");
    together(*processes_, [&] {
      attempt([&] {
        if (!processes_->alone()) return flush();
        check(H5Fflush(*file_, H5F_SCOPE_LOCAL));
        file_->close();
      });
    });
    together(*processes_, [&] {
      if (!processes_->first()) return;
      // Opening the file compares its length with the expected one.
      attempt([&] { Handle(H5Fopen(pending_->path().c_str(), H5F_ACC_RDONLY, without_locks()), H5Fclose).close(); });
      pending_->commit();
    });
    return {place_};
  }

 private:
  bool in_image(const FieldHead& field) const { return image_ && at_nodes(field); }
  std::string path_of(const FieldHead& field) const {
    return (in_image(field) ? "/VTKHDF/PointData/" : image_ ? "/poisson/" : "/") + field.name;
  }

  /// Creates the file with everything except the values. If there is one process, the file stays open.
  void lay_out() {
    // No other process uses the file yet. With H5F_CLOSE_SEMI, closing fails if an object is still open; by default the
    // file would stay open with it.
    const Handle access = without_locks();
    check(H5Pset_fclose_degree(access, H5F_CLOSE_SEMI));
    file_.emplace(H5Fcreate(pending_->path().c_str(), H5F_ACC_TRUNC, without_times(H5P_FILE_CREATE), access), H5Fclose);
    {
      std::optional<Handle> points;
      if (image_) points.emplace(make_image(*file_, grid_));
      Handle plain = image_ ? make_group(*file_, "poisson") : Handle(H5Gopen2(*file_, "/", H5P_DEFAULT), H5Gclose);
      for (const FieldHead& field : fields_) {
        Handle dataset = make_dataset(in_image(field) ? *points : plain, field.name,
                                      file_shape(grid_, field, grid_.shape(field), field.components));
        if (!in_image(field)) write_attribute(dataset, "location", place_of(field));
        dataset.close();
      }
      if (points) {
        name_first(*points, fields_);
        points->close();
      }
      write_description(plain, grid_, note_);
      plain.close();
    }
    if (processes_->alone()) return;
    file_->close();
    file_.reset();
  }

  /// Reserves disk space for all values, so that a full disk fails here, before several processes write.
  void reserve() const {
    const Descriptor file(open(pending_->path().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    const off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (size <= 0) pending_->fail(std::strerror(errno));
    if (fallocate(file, 0, 0, size) != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
      pending_->fail(std::strerror(errno));
  }

  /// Opens the file collectively. Each process then writes its values independently. In a collective write, a process
  /// that writes for others leaves them waiting if the disk refuses the data (Open MPI 4.1.4).
  void join() {
#ifdef H5_HAVE_PARALLEL
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
    file_.emplace(H5Fopen(PendingFile::temporary(place_).c_str(), H5F_ACC_RDWR, access), H5Fclose);
#else
    throw std::logic_error("this HDF5 is for one process");
#endif
  }
  /// Flushes the written values to the disk.
  void flush() {
#ifdef H5_HAVE_PARALLEL
    void* file = nullptr;
    check(H5Fget_vfd_handle(*file_, H5P_DEFAULT, &file));
    if (MPI_File_sync(*static_cast<MPI_File*>(file)) != MPI_SUCCESS) throw Failure("it cannot be flushed");
#endif
  }

  template <class F>
  void attempt(const F& f) const {
    errno = 0;
    try {
      f();
    } catch (const Failure& failure) {
      // HDF5 does not know why a call within MPI failed; errno does.
      const bool known = processes_->alone() || errno == 0;
      PendingFile::fail(place_, known ? failure.what() : std::strerror(errno));
    }
  }

  OutputGrid grid_;
  std::vector<FieldHead> fields_;
  OutputNote note_;
  std::shared_ptr<const Processes> processes_;
  bool image_;
  std::filesystem::path place_;
  std::optional<PendingFile> pending_;    // exists on the first process
  std::optional<Handle> file_, dataset_;  // dataset_ closes before file_
  std::size_t next_ = 0;                  // current field
  hsize_t done_ = 0;                      // its written planes
};

}  // namespace

std::unique_ptr<FieldFile> open_hdf5(const std::filesystem::path& directory, const OutputGrid& grid,
                                     std::vector<FieldHead> fields, const OutputNote& note,
                                     const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<Hdf5File>(directory, grid, std::move(fields), note, processes);
}

}  // namespace poisson
