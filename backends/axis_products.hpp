#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/backend.hpp"
#include "backends/waves/wave_kind.hpp"

namespace poisson {

/// What one axis of a tensor product is turned into. Axes of one value have the eigenvalue 0 and no more.
struct AxisBasis {
  /// Values x_i and x_{n−1−i}, i the lower one, are replaced by (x_i + x_{n−1−i})/√2 and, at n − 1 − i, (x_{n−1−i} −
  /// x_i)/√2, one in the middle by x/√2: an even half of ⌈n/2⌉ values and behind it an odd one. The inverse of the
  /// folded matrix lies between this and its transpose.
  bool folded = false;
  /// The modes of the axis, or of its even and then of its odd half: column by column, vᵀMv = 1. Empty where the axis
  /// stays as it is.
  std::vector<double> modes;
  std::vector<double> eigenvalues;  ///< of the modes
  /// Where modes are waves they are not written down: fast transforms take the place of products, their coefficients in
  /// the order of wave_tables.hpp, with factors that make vᵀMv = 1.
  AxisWaves waves;
  std::vector<double> weights;

  /// Modes of the first half, or of the whole.
  int first_half(int n) const { return folded ? (n + 1) / 2 : n; }
};

/// K + μ M along an axis, tridiagonal: row k sums to sum + μ mass_sum, and its coupling to k + 1 is −coupling + μ
/// mass_off, which is 0 behind the last one, unless lines are cut: there stands what couples it to the next part, or
/// the last part to the first one.
struct AxisLines {
  std::vector<double> sum, coupling, mass_sum, mass_off;
};

/// The inverse of Σ_d K_d ⊗ M_{e≠d} + σ ⊗ M over a box, by the modes of all axes but one. (Lynch, Rice, Thomas, Numer.
/// Math. 6, 1964.)
struct TensorInverse {
  Box unknowns;
  int solved = 2;  ///< the axis of the lines; one with modes, too, has lines of its eigenvalues
  std::array<bool, 3> transformed{};
  std::array<AxisBasis, 3> bases;  ///< the solved axis may be folded, too
  AxisLines lines;                 ///< of the box alone
  double sigma = 0;
  /// How many processes have a part of each line, and these: lines are cut, the box is a slab across them.
  int slabs = 1;
  std::shared_ptr<const Processes> processes;
  int thickest = 0;  ///< values along these lines of the thickest slab, the same in all of them

  /// Whether an axis takes matrix products, and so a library.
  bool multiplies() const {
    for (std::size_t d = 0; d < 3; ++d)
      if (transformed[d] && !bases[d].waves) return true;
    return false;
  }
};

/// Its steps, on fields of the values that the box lies in. All processes that share the lines call solve_lines
/// together.
class AxisProducts {
 public:
  virtual ~AxisProducts() = default;
  /// Makes room for what processes tell each other, before anything is recorded; all that share the lines call it
  /// together, and none without the others.
  virtual void join() {}
  /// From values to the coefficients of the modes, which lie where suits the products, in part where the box has
  /// neighbours. Both may be one field.
  virtual void forward(const Field& values, Field& w) = 0;
  virtual void solve_lines(Field& w) = 0;
  /// Back to values; outside the box along x they are zero again.
  virtual void backward(Field& w) = 0;
  /// The same to u in the box, or where a is given u += a times these; w holds nothing of use.
  virtual void backward_to(Field& w, Field& u, const Scalar* a) = 0;
};

/// Throws RunError where the library of matrix products is missing.
std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

/// Bytes that it holds beside the field; goes by what is folded and transformed, and needs no modes.
std::size_t axis_products_bytes(const Layout& layout, Precision precision, const TensorInverse& inverse, bool gpu);
/// Of what it sends another process at a time; 0 where lines are whole.
std::size_t axis_products_message_bytes(Precision precision, const TensorInverse& inverse, bool gpu);

}  // namespace poisson
