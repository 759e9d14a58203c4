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

/// Why a problem has no direct solution where each axis is cut into so many parts, in words that follow a colon; empty
/// where it has one.
std::string no_direct_solution(const Problem& problem, const Parts& parts = uncut_axes);

/// Why the problem of mean coefficients is no preconditioner for it, likewise.
std::string no_direct_preconditioner(const Problem& problem, const Parts& parts = uncut_axes);

/// Whether no face's data stand in the solution, or all that do are zero, so that b is the residual of zero: those of
/// Dirichlet faces, and in cells of Robin faces.
bool has_zero_faces(const Problem& problem);

/// Slabs for so many processes, across the axis whose modes would cost most. None where slabs would be too thin, or
/// where other axes have too many values.
std::optional<Parts> direct_parts(const Problem& problem, const std::array<double, 3>& kappa, int processes);

/// What fast diagonalization does with a problem's block, or with the largest of its parts, without the modes: the axis
/// of the lines is the one that is cut, or the one whose modes would cost most, z where that is a tie. `kappa`:
/// constants, or means of what varies.
TensorInverse direct_shape(const Problem& problem, const std::array<double, 3>& kappa, const Parts& parts = uncut_axes);

/// The inverse of the problem's operator with these constants for κ, and means of σ and α where they vary, by the modes
/// of all axes but one, in this process's part of the problem's block; `scale` is the power of two on its rows. Needs
/// LAPACK where has_closed_modes() says no.
TensorInverse tensor_inverse(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                             double scale);

/// The diagonal of the matrix that this is the inverse of.
TensorDiagonal tensor_diagonal(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                               double scale);

/// M1 of that matrix, of a problem whose data are projected.
TensorMass tensor_mass(const Problem& problem, const Block& part, const std::array<double, 3>& kappa, double scale);

/// A bound of ‖e‖/‖u‖ over the relative residual, for the error e of a solution u of that matrix A: 2 λ, where λ is the
/// largest diagonal entry of M⁻¹A over the least eigenvalue of M⁻¹A, constants apart where A is singular. In the norms
/// of M and, for residuals, of D⁻¹, D the diagonal of A; the eigenvalues of D⁻¹A are at most 2.
double error_per_residual(const Problem& problem, const std::array<double, 3>& kappa);

/// Whether κ is smooth, so that the inverse for a constant one is worth more between √(L/A), the roots of both
/// diagonals in ratio (Concus, Golub, SIAM J. Numer. Anal. 10, 1973): then √κ u solves an equation of constant
/// coefficients but for a reaction Δ√κ/√κ.
bool scales_by_diagonal(const Jumps& jumps);

/// Whether conjugate gradients around the inverse for constants take less time than planes that are relaxed: some ten
/// iterations where κ is smooth, twenty or thirty where data vary by a factor of ten, thirty to a hundred where κ jumps
/// by a thousand between few regions (docs/design/direct.md).
bool varies_moderately(const Problem& problem, const std::array<double, 3>& kappa, const Jumps& jumps);

/// Separable problems are solved at once (Lynch, Rice, Thomas, Numer. Math. 6, 1964; Costa et al., arXiv 2603.09528,
/// 2026): A = Σ_d K_d ⊗ M_{e≠d} + σM becomes tridiagonal along one axis in the modes of the others.
class FastDiagonalization final : public Preconditioner {
 public:
  /// On the backend of the products, in the precision of the solution. `refines`: for iterative refinement alone, which
  /// adds a correction to the solution as it comes back from its modes, and never sees it by itself. `drops_mean`:
  /// whether solutions of a singular A have no mean as they are. `scaling`: S of S L⁻¹ S, or null.
  FastDiagonalization(Backend& backend, const Space& space, Precision precision, std::unique_ptr<AxisProducts> products,
                      bool refines, bool drops_mean, std::unique_ptr<DiagonalScaling> scaling);

  Field& rhs() override { return w_; }
  void solve() override;
  /// In the place of the right-hand side, so that the next one takes it away.
  const Field& correction() const override { return w_; }
  void correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
               Scalar& norm) override;
  /// u ≈ A⁻¹ b in the unknowns, whatever they were, where the data that stand in u are zero: no residual is taken
  /// first, and u is not read. Of one that refines.
  void solve_for(const Field& b, Field& u);
  bool drops_mean() const { return drops_mean_; }
  /// correction() ≈ A⁻¹ rhs() as values, whatever `refines` says: a step that can be measured before it is taken.
  void solve_for_correction();

 private:
  Field w_;
  std::unique_ptr<AxisProducts> products_;
  bool refines_, drops_mean_;
  std::unique_ptr<DiagonalScaling> scaling_;
};

}  // namespace poisson
