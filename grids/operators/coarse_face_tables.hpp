#pragma once

#include <vector>

#include "grids/axes/axis_transfer.hpp"
#include "grids/rows/coarse_face.hpp"

namespace poisson {

/// Contains the fine cells of each coarse cell along an axis, and the widths of fine cells, for CoarseFace.
struct CoarseFaceTables {
  static constexpr int before_begin = 1, before_width = 4;  ///< entries before index 0
  std::vector<int> begin;
  std::vector<double> width;
  CoarseFace::Along along{};  ///< does not point to the tables

  CoarseFaceTables() = default;
  CoarseFaceTables(const Axis& fine, const CoarseAxis& coarse);
  /// Returns `along` with pointers to the tables in memory.
  CoarseFace::Along with(const int* begin_at, const double* width_at) const {
    CoarseFace::Along at = along;
    at.begin = begin_at + before_begin;
    at.width = width_at + before_width;
    return at;
  }
};

}  // namespace poisson
