// In these problems coefficients meet in a corner: Kellogg's singular solution, and the conductivity of a checkerboard.

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/solve.hpp"

namespace poisson::corners_tests {
namespace {

using std::numbers::pi;

/// The solution is r^γ μ(θ) with γ = 0.1, for κ = 161.4476387975881 where x y > 0 and 1 elsewhere (Kellogg, Appl. Anal.
/// 4, 1974; the constants of Morin, Nochetto, Siebert, SIAM J. Numer. Anal. 38, 2000). Its regularity is H^1.1 at most.
constexpr double gamma = 0.1, kellogg_kappa = 161.4476387975881;
double kellogg(double x, double y, double) {
  constexpr double rho = pi / 4, sigma = -14.92256510455152;
  double theta = std::atan2(y, x);
  if (theta < 0) theta += 2 * pi;
  double mu = 0;
  if (theta <= pi / 2)
    mu = std::cos((pi / 2 - sigma) * gamma) * std::cos((theta - pi / 2 + rho) * gamma);
  else if (theta <= pi)
    mu = std::cos(rho * gamma) * std::cos((theta - pi + sigma) * gamma);
  else if (theta <= 1.5 * pi)
    mu = std::cos(sigma * gamma) * std::cos((theta - pi - rho) * gamma);
  else
    mu = std::cos((pi / 2 - rho) * gamma) * std::cos((theta - 1.5 * pi - sigma) * gamma);
  return std::pow(x * x + y * y, gamma / 2) * mu;
}

Problem quadrants(double lower, int n, double along, double across) {
  Problem p;
  p.dimension = 2;
  const double middle = (lower + 1) / 2;
  for (std::size_t d = 0; d < 2; ++d) p.nodes[d] = uniform_nodes(lower, 1, n);
  p.coefficient[0] = [=](double x, double y, double) { return (x - middle) * (y - middle) > 0 ? along : across; };
  return p;
}

Options options(CoarseOperator coarse) {
  Options o{.method = Method::multigrid};
  o.krylov = Krylov::cg;
  o.coarse_operator = coarse;
  o.tolerance = 1e-10;
  return o;
}

// The gradient jumps, but u and the flux κ ∂u/∂n are continuous across the axes.
TEST(Kellogg, SolutionIsOne) {
  const double h = 1e-6;
  for (const double s : {-0.7, -0.2, 0.3, 0.9}) {
    const double above = (kellogg(s, h, 0) - kellogg(s, 0, 0)) / h, below = (kellogg(s, 0, 0) - kellogg(s, -h, 0)) / h;
    EXPECT_NEAR((s > 0 ? kellogg_kappa : 1) * above, (s > 0 ? 1 : kellogg_kappa) * below, 1e-4 * kellogg_kappa);
    EXPECT_NEAR(kellogg(s, 1e-13, 0), kellogg(s, -1e-13, 0), 1e-10);
    EXPECT_NEAR(kellogg(1e-13, s, 0), kellogg(-1e-13, s, 0), 1e-10);
  }
}

TEST(Kellogg, ConvergesAtTheRateOfItsSingularity) {
  for (const CoarseOperator coarse : {CoarseOperator::rediscretized, CoarseOperator::galerkin}) {
    std::vector<double> errors;
    for (int n = 16; n <= 512; n *= 2) {
      Problem p = quadrants(-1, n, kellogg_kappa, 1);
      for (std::size_t d = 0; d < 2; ++d)
        for (Boundary& face : p.boundary[d]) face.value = kellogg;
      p.exact = kellogg;
      Solve s(p, options(coarse));
      const Result result = s.run();
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 20) << n;
      errors.push_back(error_norms(s.discretization(), s.solution()).l2);
    }
    // The order tends to 2γ = 0.2.
    double before = 2;
    for (std::size_t l = 0; l + 1 < errors.size(); ++l) {
      const double rate = std::log2(errors[l] / errors[l + 1]);
      EXPECT_GE(rate, 0.2);
      EXPECT_LE(rate, before);
      before = rate;
    }
  }
}

/// Returns ∫ κ ∂u/∂x over the face at 1 of a cell of four squares, between 0 and 1 along x and insulated along y.
double conductivity(int n, double along, double across) {
  Problem p = quadrants(0, n, along, across);
  p.boundary[0][1].value = 1.0;
  for (Boundary& face : p.boundary[1]) face.kind = BoundaryKind::neumann;
  Solve s(p, options(CoarseOperator::automatic));
  const Result result = s.run();
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 25) << n;
  Field work(s.backend(), s.solution().layout(), s.solution().precision());
  return balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), work).flux[1];
}

// A quarter turn swaps the phases, and so does the dual problem, so the conductivity is √(κ₁κ₂) (Keller, J. Math. Phys.
// 5, 1964). The discrete energy is never smaller. u ~ r^λ with tan(πλ/4) = √(κ₁/κ₂) sets the rate 2λ.
TEST(Checkerboard, ConductsAsTheGeometricMean) {
  for (const double kappa : {4.0, 100.0, 1e4}) {
    const double exact = std::sqrt(kappa), theory = 8 / pi * std::atan(1 / std::sqrt(kappa));
    double error = 0, rate = 2;
    for (int n = 16; n <= 256; n *= 2) {
      const double next = conductivity(n, kappa, 1) - exact;
      EXPECT_GT(next, 0);
      if (error > 0) {  // converges from above
        EXPECT_GE(std::log2(error / next), theory) << kappa << " on " << n;
        EXPECT_LT(std::log2(error / next), rate) << kappa << " on " << n;
        rate = std::log2(error / next);
      }
      error = next;
    }
    EXPECT_LE(rate, theory + (kappa == 4 ? 0.001 : kappa == 100 ? 0.1 : 0.2)) << kappa;
  }
}

}  // namespace
}  // namespace poisson::corners_tests
