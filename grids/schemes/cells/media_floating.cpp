// The floating bodies of a system: their values, charges, and couplings to cells; the flow to all bodies.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
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

bool needs_strong_conductors(const Media& media, std::size_t bodies) {
  const bool voxels = std::ranges::any_of(media.regions, [&](const MediaRegion& r) {
    return r.origin == MediaRegion::Origin::image && media.materials[r.material].floating;
  });
  return voxels || bodies > most_exact_bodies;
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

// Finds the body of each link to a floating region. A body that covers no centre of a cell is one body for its region,
// or for each copy of it.
void MediaSystem::name_bodies_of_links() {
  if (!floating_) return;
  std::vector<BodyCopies::Copy> thin;
  const auto find = [&](FixedLink& link) {
    BodyCopies::Copy copy;
    const auto found = floating_->beside(cells_, link.cell, link.axis, link.side, link.region, copy);
    link.body = found.body;
    link.periods = found.periods;
    return copy;
  };
  for (FixedLink& link : links_) {
    if (!media_->material_of(link.region).floating) continue;
    const BodyCopies::Copy copy = find(link);
    if (link.body < 0 && (thin.empty() || thin.back() != copy)) thin.push_back(copy);
  }
  floating_->add_thin(block_.processes(), thin);
  for (FixedLink& link : links_)
    if (link.body < 0 && media_->material_of(link.region).floating) find(link);
}

void MediaSystem::hold_bodies(const Problem& problem) {
  if (!floating_) return;
  constexpr double none = std::numeric_limits<double>::infinity();
  // Is the largest value on the faces that a body touches, with its face and place.
  struct Most {
    double value = -none;
    std::string key;
    Point at{};
  };
  std::vector<FloatingBody>& bodies = floating_->all();
  std::vector<double> least(bodies.size(), none);
  std::vector<Most> most(bodies.size());
  ErrorCollector check;
  for_each_face(problem, [&](int d, int end, const Boundary& face) {
    if (face.kind != BoundaryKind::dirichlet || !block_.axes[static_cast<std::size_t>(d)].open(end)) return;
    check([&] {
      const std::vector<double> values =
          sample(face.value, face_key(d, end), Sign::any, {block_}, Location::cell, face_box(block_, d, end));
      const std::vector<double>& nodes = block_.axes[static_cast<std::size_t>(d)].nodes();
      std::size_t at = 0;
      for_each_place(cells_behind(block_, d, end), [&](int i, int j, int k) {
        const double value = values[at++];
        const int b = floating_->at({i, j, k});
        if (b < 0) return;
        double& low = least[static_cast<std::size_t>(b)];
        Most& high = most[static_cast<std::size_t>(b)];
        low = std::min(low, value);
        if (value <= high.value) return;
        high = {value, face_key(d, end), cells_.centre(i, j, k)};
        high.at[static_cast<std::size_t>(d)] = end == 0 ? nodes.front() : nodes.back();
      });
    });
  });
  check.finish(block_.processes());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double low = block_.processes().least(least[b]), high = block_.processes().largest(most[b].value);
    bodies[b].held = low <= high;
    if (!bodies[b].held) continue;
    bodies[b].value = low;
    if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)) || most[b].value < high) continue;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", low);
    check([&] {
      throw ValueError(most[b].key, most[b].at, high,
                       std::string("must be ") + text.data() + " as on the other Dirichlet faces that floating body " +
                           media_->regions[bodies[b].regions.front()].name +
                           " touches, because it connects them without resistance: move the body, or use one value");
    });
  }
  check.finish(block_.processes());
}

bool has_negligible_gaps(const Problem& problem, double range) {
  constexpr double most_range = 1e3;
  if (!problem.media || !problem.media->has_gaps()) return false;
  const Media& media = *problem.media;
  const bool crossed = media.bodies && media.surfaces != Surfaces::staircase;
  return crossed || !media.contacts.empty() || !media.sheets.empty() || range > most_range;
}

// Works plane by plane, because many tubes may have an anchor each.
void add_anchors(const SchemeContext& context, Field& reaction) {
  std::map<int, std::vector<std::array<int, 3>>> planes;
  for (const std::array<int, 3>& cell : context.media->anchors()) planes[cell[2]].push_back(cell);
  for (const auto& [k, cells] : planes) {
    if (cells.size() == 1) {
      const auto [i, j, plane] = cells.front();
      context.sampler.put({{i, j, k}, {i + 1, j + 1, k + 1}}, std::array{1.0}, SampleStore::add, reaction);
      continue;
    }
    Box box = context.values();
    box.first[2] = k;
    box.last[2] = k + 1;
    std::vector<double> added(static_cast<std::size_t>(box.size()));
    for (const auto& [i, j, plane] : cells) added[number_in(box, i, j, plane)] = 1;
    context.sampler.put(box, added, SampleStore::add, reaction);
  }
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
