#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/transforms/axis_products.hpp"
#include "backends/transforms/data_projection.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/jumps.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Returns why a problem has no direct solution if axes are cut into these parts, in words that follow a colon. Returns
/// an empty string if it has one.
std::string no_direct_solution(const Problem& problem, const Parts& parts = uncut_axes);

/// Returns, in the same form, why the problem with mean coefficients cannot precondition it.
std::string no_direct_preconditioner(const Problem& problem, const Parts& parts = uncut_axes);

/// Returns whether the face data stored in the solution are absent or zero, so that b is the residual of zero.
/// Dirichlet faces store data, and in cells Robin faces do so as well.
bool has_zero_faces(const Problem& problem);

/// Cuts the grid into slabs for `processes` processes, across the axis with the most expensive modes. Returns nothing
/// if slabs would be too thin or other axes have too many values.
std::optional<Parts> direct_parts(const Problem& problem, const std::array<double, 3>& kappa, int processes);

/// Describes fast diagonalization of a problem's block, or of its largest part, without computing modes. The lines run
/// along the axis that is cut, or else along the axis with the most expensive modes, z on a tie. `kappa` contains
/// constants or means.
TensorInverse direct_shape(const Problem& problem, const std::array<double, 3>& kappa, const Parts& parts = uncut_axes);

/// Returns the inverse of the problem's operator with constants `kappa` and with means of σ and α if they vary, on this
/// process's part of the block. It uses the modes of all axes but one. `scale` is the power of two that multiplies its
/// rows. Needs LAPACK unless has_closed_modes(). Without `computes_modes`, the tables of modes have their sizes, and
/// their values are zero.
TensorInverse tensor_inverse(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                             double scale, bool computes_modes = true);

/// Returns the diagonal of the matrix that tensor_inverse() inverts.
TensorDiagonal tensor_diagonal(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                               double scale);

/// Returns M1 for that matrix, for problems whose data are projected.
TensorMass tensor_mass(const Problem& problem, const Block& part, const std::array<double, 3>& kappa, double scale);

/// Bounds ‖e‖/‖u‖ over the relative residual, for the error e of a solution u with the matrix A of tensor_inverse().
/// The bound is 2 λ, where λ is the largest diagonal entry of M⁻¹A over the least eigenvalue of M⁻¹A, without constants
/// if A is singular. Errors are measured in the norm of M and residuals in that of D⁻¹, where D is the diagonal of A.
/// The eigenvalues of D⁻¹A are at most 2.
double error_per_residual(const Problem& problem, const std::array<double, 3>& kappa);

/// Returns g, so that the rounding of a direct solution changes u by at most about 2 g ε times error_per_residual(). It
/// is the number of values along the longest axis. If all axes have fast transforms, it is four times the root of that
/// number: rounding errors of fast transforms grow with log n, and those of elimination along lines with √n.
double rounding_growth(const Problem& problem);

/// Returns whether κ is smooth, so that scaling improves the inverse L⁻¹ of a constant-κ operator. The factors √(L/A)
/// on both sides are the roots of the ratio of the diagonals (Concus, Golub, SIAM J. Numer. Anal. 10, 1973). Then √κ u
/// solves an equation with constant coefficients except for a reaction Δ√κ/√κ.
bool scales_by_diagonal(const Jumps& jumps);

/// Returns whether conjugate gradients around the constant-κ inverse are predicted to need at most 40 iterations and
/// thus cost less time than planes or lines in turn. They need about ten iterations for smooth κ, and 20 to 32 for data
/// that vary by a factor of ten (docs/design/direct.md).
bool varies_moderately(const Problem& problem, const std::array<double, 3>& kappa, const Jumps& jumps);

/// Solves separable problems directly (Lynch, Rice, Thomas, Numer. Math. 6, 1964; Costa et al., arXiv 2603.09528,
/// 2026): A = Σ_d K_d ⊗ M_{e≠d} + σM becomes tridiagonal along one axis in the modes of the others.
class FastDiagonalization final : public Preconditioner {
 public:
  /// Works on the backend of `products`, in the precision of the solution. `refines` restricts it to iterative
  /// refinement, which adds the correction to the solution during the backward transform and never needs it separately.
  /// `drops_mean` states whether solutions of a singular A have zero mean without a projection. `scaling` is S of S L⁻¹
  /// S, or null.
  FastDiagonalization(Backend& backend, const Space& space, Precision precision, std::unique_ptr<AxisProducts> products,
                      bool refines, bool drops_mean, std::unique_ptr<DiagonalScaling> scaling);

  Field& rhs() override { return w_; }
  void solve() override;
  /// Shares memory with the right-hand side, so the next right-hand side overwrites it.
  const Field& correction() const override { return w_; }
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override;
  /// Sets the unknowns to u ≈ A⁻¹ b without reading u and without a residual. Requires `refines`, and zero data stored
  /// in u.
  void solve_for(const Field& b, Field& u);
  bool drops_mean() const { return drops_mean_; }
  /// Computes correction() ≈ A⁻¹ rhs() in values for any `refines`, so that a step can be measured before it is
  /// applied.
  void solve_for_correction();

 private:
  Field w_;
  std::unique_ptr<AxisProducts> products_;
  bool refines_, drops_mean_;
  std::unique_ptr<DiagonalScaling> scaling_;
};

}  // namespace poisson
