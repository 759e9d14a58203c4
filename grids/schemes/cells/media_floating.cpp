// The floating bodies of a system: their values, charges, and couplings to cells; the flow to all bodies.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_rows.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

bool needs_strong_conductors(const Media& media, const FloatingBodies& floating) {
  const bool voxels = std::ranges::any_of(media.regions, [&](const MediaRegion& r) {
    return r.origin == MediaRegion::Origin::image && media.materials[r.material].floating;
  });
  return voxels || floating.all().size() > most_exact_bodies;
}

double MediaSystem::value_of(const FixedLink& link, const std::array<double, 3>& rise) const {
  if (link.body < 0) return *media_->material_of(link.region).fixed;
  double value = floating_->all()[static_cast<std::size_t>(link.body)].value;
  for (std::size_t d = 0; d < 3; ++d) value += rise[d] * link.periods[d];
  return value;
}

double MediaSystem::fixed_value(int i, int j, int k) const {
  const Material& m = media_->material_of(cells_.region(i, j, k));
  if (m.fixed) return *m.fixed;
  return floating_->all()[static_cast<std::size_t>(floating_->at({i, j, k}))].value;
}

double MediaSystem::charge_of(const FloatingBody& body) const {
  double charge = 0;
  for (const RegionNumber r : body.regions) charge += media_->material_of(r).floating.value_or(0);
  return charge;
}

void MediaSystem::set_floating(const std::vector<double>& values) {
  for (std::size_t b = 0; b < values.size(); ++b) floating_->all()[b].value = values[b];
}

// Finds the body of each link to a floating region. A body that covers no centre of a cell is one body for its region.
void MediaSystem::name_bodies_of_links() {
  if (!floating_) return;
  const auto find = [&](FixedLink& link) {
    if (media_->material_of(link.region).floating)
      link.body = floating_->beside(cells_, link.cell, link.axis, link.side, link.region);
  };
  std::vector<char> thin(media_->regions.size());
  for (FixedLink& link : links_) {
    find(link);
    if (link.body < 0 && media_->material_of(link.region).floating) thin[link.region] = 1;
  }
  floating_->add_thin(block_.processes(), thin);
  for (FixedLink& link : links_) {
    if (link.body < 0) find(link);
    if (link.body < 0) continue;
    std::array next = link.cell;
    const auto d = static_cast<std::size_t>(link.axis);
    next[d] += link.side;
    if (!cells_.stores(next) || floating_->at(next) != link.body) continue;
    const auto& along = floating_->periods(next);
    for (std::size_t e = 0; e < 3; ++e) link.periods[e] = static_cast<std::int8_t>(-along[e]);
    const int number = block_.axes[d].origin() + next[d];
    if (block_.axes[d].closed() && (number < 0 || number >= block_.axes[d].all_cells()))
      link.periods[d] = static_cast<std::int8_t>(link.periods[d] + link.side);
  }
}

void MediaSystem::hold_bodies(const Problem& problem) {
  if (!floating_) return;
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<FloatingBody>& bodies = floating_->all();
  std::vector<double> least(bodies.size(), none), most(bodies.size(), -none);
  ErrorCollector check;
  for_each_face(problem, [&](int d, int end, const Boundary& face) {
    if (face.kind != BoundaryKind::dirichlet || !block_.axes[static_cast<std::size_t>(d)].open(end)) return;
    check([&] {
      const std::vector<double> values =
          sample(face.value, face_key(d, end), Sign::any, {block_}, Location::cell, face_box(block_, d, end));
      std::size_t at = 0;
      for_each_place(cells_behind(block_, d, end), [&](int i, int j, int k) {
        const double value = values[at++];
        const int b = floating_->at({i, j, k});
        if (b < 0) return;
        double &low = least[static_cast<std::size_t>(b)], &high = most[static_cast<std::size_t>(b)];
        low = std::min(low, value);
        high = std::max(high, value);
      });
    });
  });
  check.finish(block_.processes());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double low = block_.processes().least(least[b]), high = block_.processes().largest(most[b]);
    bodies[b].held = low <= high;
    if (!bodies[b].held) continue;
    if (high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))
      throw InputError("floating body " + media_->regions[bodies[b].regions.front()].name +
                       " touches Dirichlet faces with different values (" + std::to_string(low) + " and " +
                       std::to_string(high) + "): it connects them without resistance. Move the body or use one value");
    bodies[b].value = low;
  }
}

bool has_negligible_gaps(const Problem& problem, double range) {
  constexpr double most_range = 1e3;
  if (!problem.media || !problem.media->has_gaps()) return false;
  const Media& media = *problem.media;
  const bool crossed = media.bodies && media.surfaces != Surfaces::staircase;
  return crossed || !media.contacts.empty() || !media.sheets.empty() || range > most_range;
}

double flow_to_fixed(const SchemeContext& context, const Field& u) {
  const std::vector<FixedLink>& links = context.media->links();
  double sum = 0;
  if (!links.empty()) {
    const std::vector<double> values = context.functionals.values(u, context.values());
    for (const FixedLink& link : links)
      if (const auto [i, j, k] = link.cell; context.media->solved(i, j, k))
        sum += link.conductance * values[context.media->own(i, j, k)];
  }
  return context.processes().sum(sum);
}

}  // namespace poisson
