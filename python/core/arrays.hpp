#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "app/session.hpp"
#include "io/images/image_source.hpp"

namespace poisson::python {

/// Describes an array in memory of a CUDA device. Python finds out what it is, and keeps its owner.
struct DeviceArray {
  std::uintptr_t pointer = 0;
  std::vector<std::int64_t> shape;  ///< x last
  bool narrow = false;              ///< fp32
  int device = 0;
  nanobind::object owner, read;  ///< read(slices) returns these values as a numpy array
};

/// Returns the quantity's array for a DeviceArray. The values are read where they are; its last copy releases the
/// owner.
std::shared_ptr<GridArray> to_grid_array(const DeviceArray& array);

/// Returns an image whose voxels are a C-contiguous array of numbers or truth values on the host, [z, y, x] or [y, x].
/// The voxels are read where they are; the last copy of the image releases the array. Throws ConfigError for other
/// arrays.
std::shared_ptr<const ImageSource> to_image(nanobind::handle array, const std::string& key);

/// Returns the place of an array: a DeviceArray, or a C-contiguous array of fp64 or fp32 on the host. Throws
/// std::invalid_argument for other objects, for a device other than the session's, and for read-only memory if
/// `writable`. `name` begins its messages.
Values to_values(const Session& session, nanobind::handle object, const char* name, bool writable = false);
/// Does the same for arrays like the solution. Throws std::invalid_argument for another shape.
Values to_solution_values(const Session& session, nanobind::handle object, const char* name, bool writable = false);

/// Returns an array of doubles with the values or the cells of this process's block. Throws std::invalid_argument for
/// other objects.
nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu> to_block(const Session& session,
                                                                                    nanobind::handle object,
                                                                                    Location location);

/// Returns what a pair of functions of Python lends: allocate(bytes), which returns an address or 0, and
/// release(address).
DeviceSetup borrowed(const nanobind::object& allocator);

/// Defines the classes DeviceArray and Session.
void define_session(nanobind::module_& m);

}  // namespace poisson::python
