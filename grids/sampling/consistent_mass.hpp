#pragma once

#include <array>
#include <utility>
#include <vector>

#include "backends/memory/view.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/element_mass.hpp"

namespace poisson {

/// Is a product of one tridiagonal matrix for each axis. Each index has the entries before, on and after the diagonal.
using MassRows = std::array<std::vector<std::array<double, 3>>, 3>;

/// Returns the mass matrix M ⊗ M ⊗ M of an element scheme for values at nodes. With a `face_axis` (−1: none) it is the
/// mass matrix of a face across that axis.
MassRows consistent_mass(const Block& block, Scheme scheme, int face_axis);

/// Returns the contribution of one corner of each cell to the mass matrix, for values at corners within cells
/// (sample_corners). The sum over all corners is M f, and it is exact if f jumps between cells. Columns are the cells
/// below and above a node, or on a face the cells beyond its end.
MassRows mass_of_corner(const Block& block, const std::array<int, 3>& corner, int face_axis, int end);
/// Returns the matrix that integrates cell-wise constant data against the hat functions of nodes. The data of a face
/// are those of the cells beyond its end.
MassRows mass_of_cells(const Block& block, int face_axis, int end);

/// Calls f with each corner of a cell, or of a face across an axis.
template <class F>
void for_each_corner(const Block& block, int face_axis, const F& f) {
  std::array<int, 3> count{};
  for (std::size_t d = 0; d < 3; ++d) count[d] = block.axes[d].degenerate() || static_cast<int>(d) == face_axis ? 1 : 2;
  for (int c = 0; c < count[2]; ++c)
    for (int b = 0; b < count[1]; ++b)
      for (int a = 0; a < count[0]; ++a) f(std::array{a, b, c});
}

/// Returns the cells that share volume with the nodes of a box. On periodic axes they include the halo; across
/// `face_axis` they are the cells beyond its end.
Box cells_around(const Block& block, const Box& nodes, int face_axis, int end);

/// Applies MassRows on the host to values over a block. The halo must be filled wherever rows reach it.
class MassProduct {
 public:
  explicit MassProduct(MassRows rows) : rows_(std::move(rows)) {}

  double operator()(const View<const double>& f, int i, int j, int k) const {
    const auto &x = rows_[0][static_cast<std::size_t>(i)], &y = rows_[1][static_cast<std::size_t>(j)],
               &z = rows_[2][static_cast<std::size_t>(k)];
    double sum = 0;
    for (int c = -1; c <= 1; ++c)
      for (int b = -1; b <= 1; ++b)
        for (int a = -1; a <= 1; ++a) {
          const double weight = x[static_cast<std::size_t>(a + 1)] * y[static_cast<std::size_t>(b + 1)] *
                                z[static_cast<std::size_t>(c + 1)];
          if (weight != 0) sum += weight * f(i + a, j + b, k + c);
        }
    return sum;
  }

 private:
  MassRows rows_;
};

}  // namespace poisson
