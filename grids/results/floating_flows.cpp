#include "grids/results/floating_flows.hpp"

#include <algorithm>
#include <map>

#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

std::vector<double> floating_flows(const Discretization& d, const Field& field, const std::vector<double>& values,
                                   const std::array<double, 3>& rise) {
  const MediaSystem& media = *d.media();
  std::vector<double> flows(values.size());
  const SchemeContext context = d.context();
  const auto floats = [](const FixedLink& link) { return link.body >= 0; };
  if (std::ranges::any_of(media.links(), floats)) {
    const std::vector<double> u = d.functionals().values(field, context.values());
    for (const FixedLink& link : media.links()) {
      const auto [i, j, k] = link.cell;
      if (link.body < 0 || !media.solved(i, j, k)) continue;
      double value = values[static_cast<std::size_t>(link.body)];
      for (std::size_t e = 0; e < 3; ++e) value += rise[e] * link.periods[e];
      flows[static_cast<std::size_t>(link.body)] += link.conductance * (value - u[media.own(i, j, k)]);
    }
  }
  for (double& flow : flows) flow = d.processes().sum(flow);
  return flows;
}

std::vector<FloatingResult> floating_results(const Discretization& d, const Field& u,
                                             const std::array<double, 3>& rise) {
  if (!d.media() || !d.media()->floating()) return {};
  const MediaSystem& media = *d.media();
  const std::vector<FloatingBody>& bodies = media.floating()->all();
  std::vector<double> values;
  for (const FloatingBody& body : bodies) values.push_back(body.value);
  const std::vector<double> flows = floating_flows(d, u, values, rise);
  std::map<RegionNumber, int> several, seen;
  for (const FloatingBody& body : bodies) ++several[body.regions.front()];
  std::vector<FloatingResult> results;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const RegionNumber first = bodies[b].regions.front();
    std::string name = media.media().regions[first].name;
    if (several[first] > 1) name += " #" + std::to_string(++seen[first]);
    results.push_back({name, bodies[b].cells, bodies[b].value, flows[b], media.charge_of(bodies[b]), bodies[b].held});
  }
  return results;
}

}  // namespace poisson
