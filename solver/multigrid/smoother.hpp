#pragma once

#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Two fields, one of which holds the iterate; a sweep that cannot work in place writes the other and swaps.
struct Iterate {
  Field* now = nullptr;
  Field* other = nullptr;
  bool zero = true;  ///< the iterate is zero, whatever `now` holds
};

/// Sweeps that damp the oscillating part of the error of A u = b.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// The adjoint of the sweeps in the A inner product runs where `reversed` is set.
  virtual void smooth(const Operator& A, const Field& b, Iterate& u, bool reversed) const = 0;
};

/// A polynomial in B⁻¹A, given by its three-term recurrence; the first step has beta = 0. B is the diagonal of A, or
/// the lines along an axis. It is its own adjoint.
class PolynomialSmoother final : public Smoother {
 public:
  explicit PolynomialSmoother(std::vector<PolynomialStep> steps, Relaxation relaxation = {})
      : steps_(std::move(steps)), relaxation_(relaxation) {}
  void smooth(const Operator& A, const Field& b, Iterate& u, bool reversed) const override;

 private:
  std::vector<PolynomialStep> steps_;
  Relaxation relaxation_;
};

/// The same with B the planes across an axis, solved by `planes`.
class PlaneSmoother final : public Smoother {
 public:
  PlaneSmoother(const std::vector<PolynomialStep>& steps, std::shared_ptr<Preconditioner> planes, Backend& backend);
  void smooth(const Operator& A, const Field& b, Iterate& u, bool reversed) const override;

 private:
  // u += length d with d = B⁻¹(b − A u) + memory d.
  struct Step {
    Scalar length, memory;
  };
  std::vector<Step> steps_;
  std::shared_ptr<Preconditioner> planes_;
};

/// Gauss–Seidel over the colours of the stencil (red-black for 5 and 7 points).
class GaussSeidelSmoother final : public Smoother {
 public:
  GaussSeidelSmoother(int sweeps, double relaxation) : sweeps_(sweeps), relaxation_(relaxation) {}
  void smooth(const Operator& A, const Field& b, Iterate& u, bool reversed) const override;

 private:
  int sweeps_;
  double relaxation_;
};

/// `sweeps` steps of damped Jacobi.
std::vector<PolynomialStep> jacobi_steps(int sweeps, double relaxation);
/// The Chebyshev polynomial of the first kind of degree `sweeps` on [largest/interval, largest]
/// (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1).
std::vector<PolynomialStep> chebyshev_first_kind(int sweeps, double largest, double interval);
/// The Chebyshev polynomial of the fourth kind (Lottes, Numer. Linear Algebra Appl. 30, 2023, algorithm 3 with β = 1).
std::vector<PolynomialStep> chebyshev_fourth_kind(int sweeps, double largest);

/// The steps of the polynomial smoother that resolved options describe.
std::vector<PolynomialStep> polynomial_steps(const SmootherOptions& options, int sweeps, double largest_eigenvalue);

/// The smoother that resolved options describe for points or lines, for `sweeps` sweeps; null for none. Lines are
/// relaxed by a polynomial whatever suits points.
std::unique_ptr<Smoother> make_smoother(const SmootherOptions& options, Relaxation relaxation, int sweeps,
                                        double largest_eigenvalue);

}  // namespace poisson
