#include <algorithm>

#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

double jacobi_relaxation(const SmootherOptions& options) {
  return options.value("relaxation").value_or(6.0 / 7);
}

constexpr SmootherParameter jacobi_parameters[] = {
    {.name = "relaxation", .doc = "Damping; null: 6/7.", .example = "0.857", .most = 1}};

}  // namespace

double jacobi_damping(const SmootherOptions& options, double largest) {
  return jacobi_relaxation(options) * std::min(1.0, 2 / largest);
}

extern constinit const SmootherKind jacobi{
    .type = "jacobi",
    .doc = "Damped Jacobi.",
    .parameters = jacobi_parameters,
    .describe = [](const SmootherOptions& o) { return "Jacobi (relaxation " + in_short(jacobi_relaxation(o)) + ")"; },
    .steps =
        [](const SmootherOptions& o, int sweeps, double largest) {
          return std::vector<PolynomialStep>(static_cast<std::size_t>(sweeps), {jacobi_damping(o, largest), 0});
        }};

}  // namespace poisson
