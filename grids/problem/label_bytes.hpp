#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "grids/problem/media.hpp"

namespace poisson {

/// Describes the regions of all cells of a grid by one byte for each voxel of an image in the memory of the host.
/// The byte of a cell is first[x[i] + y[j] + z[k]], and its region is region[byte].
struct LabelBytes {
  const std::uint8_t* first = nullptr;
  std::array<std::vector<std::int64_t>, 3> offset;  ///< of each cell of the grid along x, y and z
  std::array<RegionNumber, 256> region{};
  std::vector<std::int64_t> cells;  ///< of each region, by its number, in the grid; empty if they were not counted
};

/// Returns the voxel of each cell first … last − 1 along an axis, by its centre: −1 outside the image, which begins at
/// `lower` and has `count` voxels of a width. Without nodes (in the plane) there is one cell, in voxel 0.
std::vector<std::int64_t> voxels_of_cells(const std::vector<double>& nodes, int first, int last, double lower,
                                          double width, std::int64_t count);

/// Is implemented by region maps whose regions may follow from bytes, so that no region needs to be stored.
class MapOfBytes {
 public:
  virtual ~MapOfBytes() = default;
  /// Returns the bytes of the grid with these nodes (RegionMap::fill), which stay valid as long as the map. Returns
  /// nothing if the image has wider labels, or if the grid extends beyond it.
  virtual std::optional<LabelBytes> bytes(const std::array<std::vector<double>, 3>& nodes) const = 0;
};

}  // namespace poisson
