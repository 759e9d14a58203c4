#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "grids/problem/label_bytes.hpp"
#include "io/images/label_image.hpp"

namespace poisson {

/// Assigns the region of an image's voxel to each cell whose centre is in this voxel, and a region to cells beyond the
/// image.
class ImageMap final : public RegionMap, public MapOfBytes {
 public:
  /// `lower` is the corner of the first voxel of the crop and `voxel` the widths of a voxel. `regions` has the region
  /// of each value of the image, then that of other values.
  ImageMap(std::shared_ptr<const LabelImage> image, const std::array<double, 3>& lower,
           const std::array<double, 3>& voxel, std::vector<RegionNumber> regions, RegionNumber beyond);

  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
            std::span<RegionNumber> numbers) const override;
  std::optional<LabelBytes> bytes(const std::array<std::vector<double>, 3>& nodes) const override;

 private:
  std::vector<std::int64_t> voxels_along(std::size_t axis, const std::vector<double>& nodes, const Box& cells) const;

  std::shared_ptr<const LabelImage> image_;
  std::array<double, 3> lower_, voxel_;
  std::vector<RegionNumber> regions_;
  RegionNumber beyond_;
};

}  // namespace poisson
