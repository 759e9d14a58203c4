#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "grids/axes/block.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// A matrix given as bands on an index grid, on the host: what a file states, checked. Its unknowns are all points. Of
/// several processes each holds the rows of its part and of cut_halo layers of points beside it.
struct BandedMatrix {
  std::array<int, 3> shape{1, 1, 1};
  std::vector<Offset> offsets;               ///< distinct; (0, 0, 0) is one of them
  std::optional<Box> some;                   ///< the points whose rows it holds, where these are not all
  std::vector<std::vector<double>> entries;  ///< [band][place(x, y, z)]: A(i, i + offset), 0 beyond the grid
  std::vector<double> rhs;                   ///< [place(x, y, z)]; empty where none was given
  /// [place(x, y, z)]: the entries are 2^(e_i + e_j) times those of the file. Empty where they are the file's.
  std::vector<int> exponents;

  /// Largest |a_ij − a_ji| over the smaller of a_ii and a_jj, or over the larger of the two where that is less.
  double asymmetry = 0;
  /// Least (a_ii − Σ|a_ij|)/a_ii over the rows: not negative where A is diagonally dominant.
  double dominance = 0;  // both are of the file's entries
  /// Mean strength of the couplings along each axis, by which coarsening is chosen.
  std::array<double, 3> strengths{};

  /// Of the whole grid.
  std::size_t points() const {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  }
  /// The points whose rows it holds.
  Box held() const { return some.value_or(Box{{0, 0, 0}, shape}); }
  bool holds(const Offset& point) const {
    const Box box = held();
    for (std::size_t d = 0; d < 3; ++d)
      if (point[d] < box.first[d] || point[d] >= box.last[d]) return false;
    return true;
  }
  /// Where the values of a point stand, x fastest.
  std::size_t place(int x, int y, int z) const {
    const Box box = held();
    const auto along = [&](std::size_t d, int i) { return static_cast<std::size_t>(i - box.first[d]); };
    const auto values = [&](std::size_t d) { return static_cast<std::size_t>(box.last[d] - box.first[d]); };
    return along(0, x) + values(0) * (along(1, y) + values(1) * along(2, z));
  }
  bool symmetric() const { return asymmetry <= 1e-10; }
  int dimension() const { return shape[2] == 1 ? 2 : 3; }
  std::array<int, 3> reach() const { return poisson::reach(offsets); }
  /// The scaled equation has u_i / factor(i) for its solution and b_i · factor(i) for its right-hand side.
  double factor(std::size_t place) const { return exponents.empty() ? 1 : std::ldexp(1.0, exponents[place]); }
};

/// Fills asymmetry, dominance and strengths. Diagonal entries must be positive. Of several processes each measures the
/// rows of its `own` points, and all have what holds for all.
void measure(BandedMatrix& matrix, const std::optional<Box>& own = {}, const Processes& processes = *one_process());

/// Scales rows and columns by powers of two, S A S with a diagonal that varies by less than 4, where that helps: where
/// the scaled rows are closer to diagonal dominance, or where the diagonal spans more than single precision resolves. A
/// matrix of an equation with a jumping coefficient stays as it is. So does one whose diagonal varies by less than 2.
/// Call it after measure(), with the same processes; it takes strengths again.
void balance(BandedMatrix& matrix, const std::optional<Box>& own = {}, const Processes& processes = *one_process());

/// The index grid as a block: spacing 1, no data at its ends.
Block make_block(const BandedMatrix& matrix);
/// The bands on a backend, scaled by a power of two to a diagonal near 1; forward ones alone where A is symmetric. Row
/// sums that are but rounding become zero. `block`: the index grid, or what this process has of it.
Bands make_bands(Backend&, const BandedMatrix& matrix, const Block& block);

}  // namespace poisson
