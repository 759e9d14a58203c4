#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

// Over-relaxation helps if all sweeps follow the correction.
double red_black_relaxation(const SmootherOptions& options) {
  return options.value("relaxation").value_or(options.pre == 0 ? 1.15 : 1.0);
}

constexpr std::string_view aliases[] = {"gauss-seidel", "sor"};
constexpr SmootherParameter red_black_parameters[] = {{.name = "relaxation",
                                                       .doc = "Over-relaxation; null: chosen by the program.",
                                                       .example = "0.857",
                                                       .most = 2,
                                                       .below = true}};

}  // namespace

// Gauss–Seidel over the colours of the stencil: red and black for 5 and 7 points.
extern constinit const SmootherKind red_black{
    .type = "red-black",
    .aliases = aliases,
    .doc = "Gauss-Seidel in two colours.",
    .parameters = red_black_parameters,
    .sweeps_alone = 3,
    .describe =
        [](const SmootherOptions& o) {
          const double omega = red_black_relaxation(o);
          return "red-black Gauss-Seidel" + (omega == 1 ? "" : " (relaxation " + in_short(omega) + ")");
        },
    .steps =
        [](const SmootherOptions& o, int sweeps, double) {
          return std::vector<PolynomialStep>(static_cast<std::size_t>(sweeps), {red_black_relaxation(o), 0});
        },
    .symmetric = false};

}  // namespace poisson
