#include <algorithm>
#include <span>

#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

// The interval widens with the number of sweeps.
double interval(const SmootherOptions& options) {
  const int most = std::max(options.pre.value_or(0), options.post.value_or(0));
  return options.value("interval").value_or(most <= 2 ? 4 : most <= 4 ? 8 : 12);
}

constexpr SmootherParameter chebyshev_parameters[] = {
    {.name = "interval",
     .doc = "Damps [l/interval, l], where l is the largest eigenvalue; null: chosen by the program.",
     .example = "12",
     .above = 1}};

// Roots of polynomials of degree 3 to 6, in parts of the largest eigenvalue. They minimize the spectral radius of a
// cycle on two grids of trilinear elements, the largest one of cubes, of cells stretched by 1.4 and of sheared cells
// (local Fourier analysis, docs/design/blocks.md). Large and small steps alternate, so that rounding is not amplified.
constexpr double roots_3[] = {0.8212, 0.2988, 0.8281}, roots_4[] = {0.9794, 0.2388, 0.6133, 0.6093},
                 roots_5[] = {0.9651, 0.1795, 0.8516, 0.4439, 0.4644},
                 roots_6[] = {0.8207, 0.1450, 0.7690, 0.2791, 0.9963, 0.4656};
constexpr std::span<const double> roots_of_elements[] = {roots_3, roots_4, roots_5, roots_6};

}  // namespace

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

std::vector<PolynomialStep> polynomial_for_elements(int sweeps, double largest) {
  for (const std::span<const double> roots : roots_of_elements)
    if (std::ssize(roots) == sweeps) {
      std::vector<PolynomialStep> steps;
      for (const double root : roots) steps.push_back({1 / (root * largest), 0});
      return steps;
    }
  return chebyshev_first_kind(sweeps, largest, sweeps < 3 ? 4 : 8);
}

extern constinit const SmootherKind chebyshev_first{
    .type = "chebyshev",
    .doc = "A polynomial in the operator.",
    .form = "first",
    .form_doc = "Equal damping on an interval.",
    .parameters = chebyshev_parameters,
    .describe =
        [](const SmootherOptions& o) { return "Chebyshev (first kind, interval " + in_short(interval(o)) + ")"; },
    .steps = [](const SmootherOptions& o, int sweeps,
                double largest) { return chebyshev_first_kind(sweeps, largest, interval(o)); }};

extern constinit const SmootherKind chebyshev_fourth{
    .type = "chebyshev",
    .doc = "A polynomial in the operator.",
    .form = "fourth",
    .form_doc = "Needs no interval (Lottes 2023).",
    .sweeps_alone = 4,
    .describe = [](const SmootherOptions&) { return std::string("Chebyshev (fourth kind)"); },
    .steps = [](const SmootherOptions&, int sweeps, double largest) { return chebyshev_fourth_kind(sweeps, largest); }};

extern constinit const SmootherKind chebyshev_elements{
    .type = "chebyshev",
    .doc = "A polynomial in the operator.",
    .form = "elements",
    .form_doc = "Best roots of 3 to 6 sweeps for linear elements on round cells in space.",
    .describe = [](const SmootherOptions&) { return std::string("Chebyshev (roots for elements)"); },
    .steps = [](const SmootherOptions&, int sweeps,
                double largest) { return polynomial_for_elements(sweeps, largest); }};

}  // namespace poisson
