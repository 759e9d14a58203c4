#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/block_numbers.hpp"

namespace poisson {

/// Returns the first planes of slabs of one plane each, and their number.
inline std::vector<int> unit_planes(int planes) {
  std::vector<int> starts;
  for (int p = 0; p <= planes; ++p) starts.push_back(p);
  return starts;
}

/// Calls f(cell, number) for all cells of a block on all threads, slab by slab along the last axis: first every other
/// slab, then the rest. Hence f may add to the nodes of its cell, in an order that does not depend on threads.
template <class F>
void for_cells_by_planes(const std::array<int, 3>& cells, int dimension, const std::vector<int>& slabs, const F& f) {
  const auto last = static_cast<std::size_t>(dimension) - 1;
  const std::int64_t in_plane = dimension == 2 ? cells[0] : std::int64_t{cells[0]} * cells[1];
  const auto count = static_cast<int>(slabs.size()) - 1;
  for (int colour = 0; colour < 2; ++colour) {
#pragma omp parallel for schedule(dynamic, 1) if (in_plane * cells[last] > 1024)
    for (int slab = colour; slab < count; slab += 2)
      for (int plane = slabs[static_cast<std::size_t>(slab)]; plane < slabs[static_cast<std::size_t>(slab) + 1];
           ++plane)
        for (std::int64_t c = 0; c < in_plane; ++c) {
          std::array<int, 3> cell{static_cast<int>(c % cells[0]), static_cast<int>(c / cells[0]), 0};
          cell[last] = plane;
          f(cell, plane * in_plane + c);
        }
  }
}

/// Finds the coarse cell of each cell of a block.
class CoarseCells {
 public:
  /// `coarse` are the cells of the block on the next level, and `numbers` those of its level.
  CoarseCells(const BlockNumbers& numbers, const std::array<int, 3>& cells, const std::array<int, 3>& coarse)
      : dimension_(static_cast<std::size_t>(numbers.topology().dimension())) {
    for (std::size_t d = 0; d < dimension_; ++d) {
      starts_[d] = coarse_cells(cells[d], coarse[d]);
      axis_[d] = interpolate_axis(numbers.widths(cells[d]), coarse[d]);
      for (std::size_t c = 0; c + 1 < starts_[d].size(); ++c)
        for (int i = starts_[d][c]; i < starts_[d][c + 1]; ++i) coarse_[d].push_back(static_cast<int>(c));
    }
  }
  const std::vector<int>& planes() const { return starts_[dimension_ - 1]; }

  struct Place {
    std::int64_t number = 0;             ///< of the coarse cell
    std::array<double, 3> from{}, to{};  ///< of the cell, as fractions of the coarse one
  };
  Place operator()(const std::array<int, 3>& cell) const {
    Place place;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < dimension_; ++d) {
      const int coarse = coarse_[d][static_cast<std::size_t>(cell[d])], next = cell[d] + 1;
      const bool last = next == starts_[d][static_cast<std::size_t>(coarse) + 1];
      place.from[d] = axis_[d].nodes[static_cast<std::size_t>(cell[d])].t;
      place.to[d] = last ? 1 : axis_[d].nodes[static_cast<std::size_t>(next)].t;
      place.number += stride * coarse;
      stride *= static_cast<std::int64_t>(starts_[d].size()) - 1;
    }
    return place;
  }

 private:
  std::size_t dimension_;
  std::array<std::vector<int>, 3> starts_, coarse_;
  std::array<AxisInterpolation, 3> axis_;
};

}  // namespace poisson
