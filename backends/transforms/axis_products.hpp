#pragma once

#include <memory>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/per_axis.hpp"
#include "backends/transforms/trig_kind.hpp"

namespace poisson {

/// Describes the basis that diagonalizes one axis of a tensor product. An axis of one value has the eigenvalue 0 alone.
struct AxisBasis {
  /// If set, values x_i and x_{n−1−i} with i < n−1−i are replaced: by (x_i + x_{n−1−i})/√2 at i, and by (x_{n−1−i} −
  /// x_i)/√2 at n−1−i. A middle value becomes x/√2. The even half has ⌈n/2⌉ values; the odd half follows it. With this
  /// folding F, the inverse of the matrix is Fᵀ (inverse of the folded matrix) F.
  bool folded = false;
  /// Stores the modes of the axis, or of its even and then of its odd half, by columns with vᵀMv = 1. Empty if the axis
  /// is not transformed or `trig` describes its modes.
  std::vector<double> modes;
  std::vector<double> eigenvalues;  ///< one per mode
  /// Trigonometric modes are not stored: fast transforms replace the products. Their coefficients have the order of
  /// trig_tables.hpp; `weights` scale them to vᵀMv = 1.
  TrigAxis trig;
  std::vector<double> weights;

  /// Returns the number of modes of the first half, or of all modes if the axis is not folded.
  int first_half(int n) const { return folded ? (n + 1) / 2 : n; }
};

/// Stores the tridiagonal K + μ M along an axis. Row k has the sum `sum + μ mass_sum` and the off-diagonal entry
/// −coupling + μ mass_off to row k + 1. The last entry is 0 unless lines are cut: then it couples to the next part, or
/// the last part to the first one.
struct AxisLines {
  std::vector<double> sum, coupling, mass_sum, mass_off;
};

/// Describes the inverse of Σ_d K_d ⊗ M_{e≠d} + σ ⊗ M over a box, by the modes of all axes but one. (Lynch, Rice,
/// Thomas, Numer. Math. 6, 1964.)
struct TensorInverse {
  Box unknowns;
  int solved = 2;  ///< axis along which lines are solved; if it is transformed, the lines are diagonal
  PerAxis<bool> transformed{};
  PerAxis<AxisBasis> bases;  ///< the solved axis may also be folded
  AxisLines lines;           ///< restricted to the box
  double sigma = 0;
  /// Number of processes that own a part of each line, and these processes. If lines are cut, the box is a slab across
  /// them.
  int slabs = 1;
  std::shared_ptr<const Processes> processes;
  int thickest = 0;  ///< the thickest slab has this many values along the lines, on every process

  /// Returns whether an axis needs matrix products, and thus a library.
  bool multiplies() const {
    for (std::size_t d = 0; d < 3; ++d)
      if (transformed[d] && !bases[d].trig) return true;
    return false;
  }
};

/// Applies a TensorInverse step by step to fields that contain the box. All processes that share the lines call
/// solve_lines together.
class AxisProducts {
 public:
  virtual ~AxisProducts() = default;
  /// Allocates exchange buffers; to be called before anything is recorded. The call is collective over the processes
  /// that share the lines.
  virtual void reserve_halo_buffers() {}
  /// Transforms values to coefficients of the modes. The coefficients are stored where the products need them, some of
  /// them outside the box along x. `values` and `w` may be the same field.
  void forward(const Field& values, Field& w) {
    timed(traffic("axis products"), w, [this, &values, &w] { do_forward(values, w); });
  }
  void solve_lines(Field& w) {
    timed(traffic("line systems"), w, [this, &w] { do_solve_lines(w); });
  }
  /// Transforms coefficients back to values. Outside the box along x the values are zero again.
  void backward(Field& w) {
    timed(traffic("axis products"), w, [this, &w] { do_backward(w); });
  }
  /// Does the same but writes the values to u in the box, or adds a times the values if `a` is given. Afterwards the
  /// values of `w` are unspecified.
  void backward_to(Field& w, Field& u, const Scalar* a) {
    timed(a ? traffic("axis products + add") : traffic("axis products"), w,
          [this, &w, &u, &a] { do_backward_to(w, u, a); });
  }

 private:
  virtual void do_forward(const Field& values, Field& w) = 0;
  virtual void do_solve_lines(Field& w) = 0;
  virtual void do_backward(Field& w) = 0;
  virtual void do_backward_to(Field& w, Field& u, const Scalar* a) = 0;

  template <class Verb>
  static void timed(const Traffic& row, const Field& w, const Verb& verb) {
    w.backend().timed(row, {&w, &w}, verb);
  }
};

/// Throws RunError if the library of matrix products is missing.
std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

}  // namespace poisson
