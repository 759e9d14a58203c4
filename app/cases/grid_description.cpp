#include "app/cases/grid_description.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/describe.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/assembly.hpp"

namespace poisson {

std::string describe_equation(const Problem& p) {
  const double* kappa = p.isotropic ? p.coefficient[0].constant() : nullptr;
  const double* sigma = p.reaction.constant();
  const double* f = p.source.constant();
  std::string text = "-div(";
  if (kappa && *kappa != 1) text += fmt::format("{:g} ", *kappa);
  if (!kappa) text += "k ";
  text += "grad u)";
  if (!sigma) text += " + s u";
  if (sigma && *sigma != 0) text += fmt::format(" + {:g} u", *sigma);
  return text + (f ? fmt::format(" = {:g}", *f) : " = f");
}

std::string describe_boundary(const Problem& p) {
  constexpr std::array kinds{"Dirichlet", "Neumann", "Robin", "periodic", "several conditions"};
  const auto number = [&](const Boundary& b) {
    return b.mixed_bc ? kinds.size() - 1 : static_cast<std::size_t>(b.kind);
  };
  std::string text;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::string faces;
    int count = 0;
    for (std::size_t f = 0; f < 2 * static_cast<std::size_t>(p.dimension); ++f)
      if (number(p.boundary[f / 2][f % 2]) == kind) {
        faces += " " + std::string(face_names[f]);
        ++count;
      }
    if (count == 0) continue;
    if (count == 2 * p.dimension) return fmt::format("{} on all faces", kinds[kind]);
    text += fmt::format("{}{} on{}", text.empty() ? "" : ", ", kinds[kind], faces);
  }
  return text;
}

std::string describe_assembly(const Config& config, bool gpu) {
  const Assembly chosen = chosen_assembly(config.assembly, config.problem, gpu);
  return fmt::format("{}, {}", name_of(chosen), reason(config.assembly, config.problem, gpu));
}

void describe_modes(const Config& config, std::int64_t unknowns, bool gpu, std::vector<std::string>& lines) {
  const Assembly chosen = chosen_assembly(config.assembly, config.problem, gpu);
  const auto rows = 1e3 * static_cast<double>(unknowns);
  lines.push_back(fmt::format("assembly  {}", describe_assembly(config, gpu)));
  lines.push_back(fmt::format("          one product on {:<13} bytes/row  flops/row   predicted: in fp64      in fp32",
                              (gpu ? "an " : "a ") + std::string(device_rate(gpu).name)));
  for (const Prediction& p : predictions(config.problem, gpu))
    lines.push_back(fmt::format("          {} {:<26} {:>9.0f}  {:>9.0f}   {:>15.3g} ms  {:>8.3g} ms",
                                p.assembly == chosen ? "*" : " ", name_of(p.assembly),
                                p.cost.values * static_cast<double>(bytes_of(Precision::fp64)),
                                p.cost.flops + p.cost.wide, rows * p.seconds[1], rows * p.seconds[0]));
}

// Cell-centred unknowns average the fluxes of two materials in series; control volumes around nodes mix the materials.
std::string describe_hint(const Problem& problem, const Jumps& jumps) {
  constexpr double materials = 3;
  if (problem.scheme != Scheme::fv || problem.centering == Centering::cell || jumps.largest < materials) return {};
  return fmt::format(
      "the coefficient of neighbouring cells differs by a factor of up to {:.3g}; discretization: {{centering: cell}} "
      "is more accurate at material boundaries",
      jumps.largest);
}

std::string describe_widths(const Config& config) {
  const auto [least, widest] = cell_widths(config);
  if (widest <= least * (1 + 1e-6)) return fmt::format("{:.4g} wide", widest);
  return fmt::format("{:.4g} to {:.4g} wide (1 : {:.3g})", least, widest, widest / least);
}

std::string describe_economy(const Options& options) {
  const bool single = options.precision == SolvePrecision::single;
  return std::string("the device has too little memory for ") +
         (single ? "mixed precision: the image is solved in single precision on rediscretized levels, which take more "
                   "iterations and end when the flows have settled, at the latest at the rounding limit"
                 : "Galerkin levels: the image is solved on rediscretized levels, which take more iterations");
}

}  // namespace poisson
