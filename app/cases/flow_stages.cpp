#include "app/cases/flow_stages.hpp"

#include <algorithm>

#include "io/fields/field_choices.hpp"

namespace poisson {

Solver::Stages flow_stages(const Config& config, const std::array<double, 3>& rise, const Discretization& d,
                           Solver& solver) {
  const double tolerance = config.options.tolerance;
  if (config.flow_tolerance > 0) return settling_stages(config.flow_tolerance, tolerance, rise, d, solver);
  return writes_flux(config) ? balancing_stages(tolerance, rise, d, solver) : Solver::Stages();
}

bool writes_flux(const Config& config) {
  const auto shows = [](const std::string& name) { return name == "flux" || field_choice(name).face_axis >= 0; };
  return std::ranges::any_of(config.output.fields, shows) && !config.output.formats.empty();
}

}  // namespace poisson
