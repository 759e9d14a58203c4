#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// κ, or its component along axis `d`, in a box of cells of a part of a block and in the cells next to them, also those
/// of other processes. Constant κ stores one number.
class CellKappa {
 public:
  /// Throws ValueError where κ is not positive.
  CellKappa(const Problem& problem, const Block& block, std::size_t d, const Box& cells);

  /// In a cell of the box or beside it; past an open end of the axis in the last cell before it.
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
