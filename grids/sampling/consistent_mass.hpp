#pragma once

#include <array>
#include <utility>
#include <vector>

#include "backends/view.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/element_mass.hpp"

namespace poisson {

/// A product of one tridiagonal matrix for each axis: at each index what stands before, on and after the diagonal.
using MassRows = std::array<std::vector<std::array<double, 3>>, 3>;

/// The mass matrix of a scheme on elements, M ⊗ M ⊗ M, for values at nodes; across `face_axis` (−1: none) that of a
/// face.
MassRows consistent_mass(const Block& block, Scheme scheme, int face_axis);

/// The part of that which a corner of each cell has in it, for values of corners within cells (sample_corners), to be
/// summed over the corners: M f, but exact where f jumps between cells. Columns are the cells below and above a node;
/// on a face those past its end.
MassRows mass_of_corner(const Block& block, const std::array<int, 3>& corner, int face_axis, int end);
/// Of what is constant in each cell, on a face in each of those past its end, its integral against the hat functions of
/// nodes.
MassRows mass_of_cells(const Block& block, int face_axis, int end);

/// Calls f with each corner of a cell, of a face across an axis.
template <class F>
void for_each_corner(const Block& block, int face_axis, const F& f) {
  std::array<int, 3> count{};
  for (std::size_t d = 0; d < 3; ++d) count[d] = block.axes[d].degenerate() || static_cast<int>(d) == face_axis ? 1 : 2;
  for (int c = 0; c < count[2]; ++c)
    for (int b = 0; b < count[1]; ++b)
      for (int a = 0; a < count[0]; ++a) f(std::array{a, b, c});
}

/// The cells that have something of the nodes of a box: on periodic axes from the halo on, across `face_axis` those
/// past its end.
Box cells_around(const Block& block, const Box& nodes, int face_axis, int end);

/// On the host, to values over a block whose halo is filled where it counts.
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
