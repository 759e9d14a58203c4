#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// Is a matrix on the host, given as bands on an index grid: the checked contents of a file. Its unknowns are all
/// points. Each process stores the rows of its part and of cut_halo adjacent layers of points.
struct BandedMatrix {
  std::array<int, 3> shape{1, 1, 1};
  std::vector<Offset> offsets;               ///< distinct; one is (0, 0, 0)
  std::optional<Box> some;                   ///< the points whose rows are stored, if these are not all
  std::vector<std::vector<double>> entries;  ///< entries[band][place(x, y, z)] = A(i, i + offset), 0 beyond the grid
  std::vector<double> rhs;                   ///< rhs[place(x, y, z)]; empty if none was given
  /// exponents[place(x, y, z)] is e_i if the entries are 2^(e_i + e_j) times the entries of the file. It is empty if
  /// the entries are unscaled.
  std::vector<int> exponents;

  /// The largest |a_ij − a_ji|, relative to min(a_ii, a_jj) or to max(|a_ij|, |a_ji|), whichever gives less.
  double asymmetry = 0;
  /// The least (a_ii − Σ|a_ij|)/a_ii of all rows; it is not negative if A is diagonally dominant.
  double dominance = 0;  // both refer to the entries of the file
  /// The mean strength of the couplings along each axis, from which coarsening is chosen.
  std::array<double, 3> strengths{};

  /// Returns the number of points of the global grid.
  std::size_t points() const {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  }
  /// Returns the points whose rows are stored.
  Box stored_rows() const { return some.value_or(Box{{0, 0, 0}, shape}); }
  bool holds(const Offset& point) const {
    const Box box = stored_rows();
    for (std::size_t d = 0; d < 3; ++d)
      if (point[d] < box.first[d] || point[d] >= box.last[d]) return false;
    return true;
  }
  /// Returns the index of a point's values, x fastest.
  std::size_t place(int x, int y, int z) const {
    const Box box = stored_rows();
    const auto along = [&](std::size_t d, int i) { return static_cast<std::size_t>(i - box.first[d]); };
    const auto values = [&](std::size_t d) { return static_cast<std::size_t>(box.last[d] - box.first[d]); };
    return along(0, x) + values(0) * (along(1, y) + values(1) * along(2, z));
  }
  bool symmetric() const { return asymmetry <= 1e-10; }
  int dimension() const { return shape[2] == 1 ? 2 : 3; }
  std::array<int, 3> reach() const { return poisson::reach(offsets); }
  /// Returns the factor of a point. The scaled equation has the solution u_i / factor(i) and the right-hand side b_i ·
  /// factor(i).
  double factor(std::size_t place) const { return exponents.empty() ? 1 : std::ldexp(1.0, exponents[place]); }
};

/// Computes asymmetry, dominance and strengths. Diagonal entries must be positive. Collective: each process measures
/// the rows of its `own` points, and all processes get the global results.
void measure(BandedMatrix& matrix, const std::optional<Box>& own = {}, const Processes& processes = *one_process());

/// Scales rows and columns by powers of two if this helps: S A S has a diagonal that varies by less than 4. It helps if
/// the scaled rows are closer to diagonal dominance, or if the diagonal spans more than single precision resolves. The
/// matrix of an equation with a jumping coefficient remains unscaled, and so does a matrix whose diagonal varies by
/// less than 2. Call it after measure(), with the same processes; it measures the strengths again.
void balance(BandedMatrix& matrix, const std::optional<Box>& own = {}, const Processes& processes = *one_process());

/// Returns the index grid as a block with spacing 1 and no data at its ends.
Block make_block(const BandedMatrix& matrix);
/// Returns the bands on a backend, scaled by a power of two to a diagonal near 1. For a symmetric A only forward bands
/// are stored. Row sums that consist of rounding become zero. `block` is the index grid, or this process's part of it.
Bands make_bands(Backend&, const BandedMatrix& matrix, const Block& block);

}  // namespace poisson
