#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "grids/sampling/media_cells.hpp"

namespace poisson {

/// Is the share of a region in a part of the cells: its first cell and its extent, in global numbers of cells.
struct PartOfRegion {
  std::int64_t part = 0;
  RegionNumber region = 0;
  std::array<int, 3> cell{}, low{}, high{};
};

/// Returns the parts that a body connects although no neighbouring cells do, as in a thin oblique rod. It follows the
/// body along lines of each axis, five across each cell. If a region has many parts, only those within a few cells are
/// compared.
std::vector<std::pair<std::int64_t, std::int64_t>> parts_of_one_body(const MediaCells& cells,
                                                                     const std::vector<PartOfRegion>& parts);

}  // namespace poisson
