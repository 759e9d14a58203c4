#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/images/voxel_type.hpp"

namespace poisson {

/// Counts voxels along x, y and z; an image in the plane has one slice.
using VoxelCounts = std::array<std::int64_t, 3>;

/// Is an image in a file: an array [z][y][x] of voxels, x fastest. Its slices are read on demand. Several threads may
/// read concurrently.
class ImageSource {
 public:
  virtual ~ImageSource() = default;

  const VoxelCounts& counts() const { return counts_; }
  int dimension() const { return dimension_; }  ///< 2 or 3
  const VoxelType& type() const { return type_; }
  /// Returns the widths of a voxel along x, y and z, or zeros if the file does not state them.
  const std::array<double, 3>& spacing() const { return spacing_; }
  std::int64_t slice_bytes() const { return counts_[0] * counts_[1] * type_.bytes; }

  /// Returns the voxels of `count` slices, the first one at `z`, which stay valid as long as `spare` and this object.
  /// They may lie in `spare`, which is resized as needed. Throws InputError if the file is damaged.
  virtual const std::byte* slices(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const = 0;
  /// Returns how many slices a call of `slices` should request.
  virtual std::int64_t together() const { return 1; }
  /// Returns all voxels if they lie in memory in the order of the array, otherwise null.
  virtual const std::byte* all() const { return nullptr; }

 protected:
  VoxelCounts counts_{1, 1, 1};
  int dimension_ = 3;
  VoxelType type_;
  std::array<double, 3> spacing_{};
};

/// Describes where an image is stored. Formats other than raw are recognized by their first bytes.
struct ImageFile {
  std::filesystem::path path;  ///< a file, or a pattern such as slices/*.tif if `pattern`
  bool pattern = false;        ///< one file for each slice, in natural order: slice2 before slice10
  std::string dataset;         ///< in an HDF5 file; empty: its only dataset
  /// Are for raw files: type, counts along x, y and z (two: an image in the plane), and bytes before the first voxel.
  std::optional<VoxelType> type;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;
};

/// Opens an image and checks its header and its length, without reading voxels. Throws InputError, which names the
/// file.
std::shared_ptr<const ImageSource> open_image(const ImageFile& file);

/// Throws InputError if an image has no voxel, or so many that their bytes are beyond 2^60.
void check_counts(const std::filesystem::path& path, const VoxelCounts& counts, const VoxelType& type);

// open_image calls these functions for each format.
std::shared_ptr<const ImageSource> open_npy(const std::filesystem::path& path);
std::shared_ptr<const ImageSource> open_nrrd(const std::filesystem::path& path);
std::shared_ptr<const ImageSource> open_raw(const ImageFile& file);
std::shared_ptr<const ImageSource> open_tiff(const std::filesystem::path& path);
std::shared_ptr<const ImageSource> open_hdf5_image(const ImageFile& file);

}  // namespace poisson
