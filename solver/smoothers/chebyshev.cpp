#include <algorithm>

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

}  // namespace poisson
