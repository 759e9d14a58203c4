#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "io/images/image_source.hpp"

namespace poisson {

/// Returns an image of voxels in memory of the calling program: an array [z][y][x], or [y][x] in the plane, x fastest.
/// `counts` are along x first; `voxels` keeps the memory valid, and the image reads it without a copy. Throws
/// InputError if the array has no voxel, or neither two nor three axes.
std::shared_ptr<const ImageSource> image_of_array(const VoxelType& type, std::span<const std::int64_t> counts,
                                                  std::shared_ptr<const void> voxels);

}  // namespace poisson
