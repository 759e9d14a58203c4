#pragma once

#include <array>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// A matrix given as bands on an index grid, on the host: what a file states, checked. Its unknowns are all points.
struct BandedMatrix {
  std::array<int, 3> shape{1, 1, 1};
  std::vector<Offset> offsets;               ///< distinct; (0, 0, 0) is one of them
  std::vector<std::vector<double>> entries;  ///< [band][x + nx (y + ny z)]: A(i, i + offset), 0 beyond the grid
  std::vector<double> rhs;                   ///< empty where none was given

  /// Largest |a_ij − a_ji| over the smaller of a_ii and a_jj, or over the larger of the two where that is less.
  double asymmetry = 0;
  /// Least (a_ii − Σ|a_ij|)/a_ii over the rows: not negative where A is diagonally dominant.
  double dominance = 0;

  std::size_t points() const { return entries.front().size(); }
  bool symmetric() const { return asymmetry <= 1e-10; }
  int dimension() const { return shape[2] == 1 ? 2 : 3; }
  std::array<int, 3> reach() const { return poisson::reach(offsets); }
};

/// Fills asymmetry and dominance. Diagonal entries must be positive.
void measure(BandedMatrix& matrix);

/// The index grid as a block: spacing 1, no data at its ends.
Block make_block(const BandedMatrix& matrix);
/// Mean strength of the couplings along each axis, by which coarsening is chosen.
std::array<double, 3> coupling_strengths(const BandedMatrix& matrix);
/// The bands on a backend, scaled by a power of two to a diagonal near 1; forward ones alone where A is symmetric. Row
/// sums that are but rounding become zero. `block`: the index grid, or what this process has of it.
Bands make_bands(Backend&, const BandedMatrix& matrix, const Block& block);

}  // namespace poisson
