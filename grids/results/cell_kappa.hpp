#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Stores κ, or its component along axis `d`, in a box of cells and in the neighbouring cells. Neighbours may belong to
/// other processes. A constant κ needs one number.
class CellKappa {
 public:
  /// Samples κ. Throws ValueError if κ is not positive.
  CellKappa(const Problem& problem, const Block& block, std::size_t d, const Box& cells);

  /// Returns κ in a cell of the box or a neighbouring one. Past an open end of the axis, returns κ of the last cell.
  double operator()(std::array<int, 3> cell) const {
    if (values_.empty()) return constant_;
    std::int64_t at = 0;
    for (std::size_t e = 3; e-- > 0;) {
      const int inside = cell[e] < box_.first[e] ? box_.first[e] : cell[e] < box_.last[e] ? cell[e] : box_.last[e] - 1;
      at = at * (box_.last[e] - box_.first[e]) + inside - box_.first[e];
    }
    return values_[static_cast<std::size_t>(at)];
  }

 private:
  double constant_ = 0;
  Box box_;
  std::vector<double> values_;
};

}  // namespace poisson
