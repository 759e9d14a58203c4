#include "solver/multigrid/smoother.hpp"

#include <algorithm>
#include <utility>

namespace poisson {

void PolynomialSmoother::smooth(const Operator& A, const Field& b, Iterate& u, bool) const {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const PolynomialStep step = steps_[s];
    const bool lines = relaxation_.extent == Extent::line;
    if (u.zero) {
      if (lines)
        A.line_start(relaxation_.axis, step.alpha, b, *u.now);
      else
        A.polynomial_start(step.alpha, b, *u.now);
      u.zero = false;
      // The next step looks back at the zero guess.
      if (s + 1 < steps_.size() && steps_[s + 1].beta != 0) A.backend().fill(*u.other, 0);
    } else {
      if (lines)
        A.line_step(relaxation_.axis, step, *u.now, b, *u.other);
      else
        A.polynomial_step(step, *u.now, b, *u.other);
      std::swap(u.now, u.other);
    }
  }
}

PlaneSmoother::PlaneSmoother(const std::vector<PolynomialStep>& steps, std::shared_ptr<Preconditioner> planes,
                             Backend& backend)
    : planes_(std::move(planes)) {
  double before = 0;
  for (const PolynomialStep& step : steps) {
    steps_.push_back({backend.scalar(step.alpha), backend.scalar(step.beta * before / step.alpha)});
    before = step.alpha;
  }
}

void PlaneSmoother::smooth(const Operator& A, const Field& b, Iterate& u, bool) const {
  Backend& backend = A.backend();
  Field& d = *u.other;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (u.zero) {
      backend.fill(*u.now, 0);
      backend.copy(b, planes_->rhs());
    } else {
      A.residual(*u.now, b, planes_->rhs());
    }
    u.zero = false;
    const Field& e = planes_->solve();
    if (s == 0)
      backend.copy(e, d);
    else
      backend.xpay(e, steps_[s].memory, d);
    backend.axpy(steps_[s].length, d, *u.now);
  }
}

void GaussSeidelSmoother::smooth(const Operator& A, const Field& b, Iterate& u, bool reversed) const {
  if (u.zero) A.backend().fill(*u.now, 0);
  u.zero = false;
  for (int s = 0; s < sweeps_; ++s) A.gauss_seidel(relaxation_, reversed, b, *u.now);
}

std::vector<PolynomialStep> jacobi_steps(int sweeps, double relaxation) {
  return std::vector<PolynomialStep>(static_cast<std::size_t>(sweeps), {relaxation, 0});
}

std::vector<PolynomialStep> chebyshev_first_kind(int sweeps, double largest, double interval) {
  const double theta = 0.5 * (largest + largest / interval), delta = 0.5 * (largest - largest / interval);
  std::vector<PolynomialStep> steps{{1 / theta, 0}};
  double rho = delta / theta;
  for (int k = 1; k < sweeps; ++k) {
    const double next = 1 / (2 * theta / delta - rho);
    steps.push_back({2 * next / delta, next * rho});
    rho = next;
  }
  return steps;
}

std::vector<PolynomialStep> chebyshev_fourth_kind(int sweeps, double largest) {
  std::vector<PolynomialStep> steps;
  for (int k = 1; k <= sweeps; ++k)
    steps.push_back({(8.0 * k - 4) / ((2.0 * k + 1) * largest), k == 1 ? 0 : (2.0 * k - 3) / (2.0 * k + 1)});
  return steps;
}

std::vector<PolynomialStep> polynomial_steps(const SmootherOptions& options, int sweeps, double largest_eigenvalue) {
  if (options.type == SmootherType::jacobi)  // damped as for eigenvalues up to 2, which finite volumes have
    return jacobi_steps(sweeps, *options.relaxation * std::min(1.0, 2 / largest_eigenvalue));
  return options.kind == ChebyshevKind::fourth ? chebyshev_fourth_kind(sweeps, largest_eigenvalue)
                                               : chebyshev_first_kind(sweeps, largest_eigenvalue, *options.interval);
}

std::unique_ptr<Smoother> make_smoother(const SmootherOptions& options, Relaxation relaxation, int sweeps,
                                        double largest_eigenvalue) {
  if (sweeps == 0) return nullptr;
  if (options.type == SmootherType::red_black && relaxation.extent == Extent::point)
    return std::make_unique<GaussSeidelSmoother>(sweeps, *options.relaxation);
  return std::make_unique<PolynomialSmoother>(polynomial_steps(options, sweeps, largest_eigenvalue), relaxation);
}

}  // namespace poisson
