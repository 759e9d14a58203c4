#include "grids/meshes/mesh_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace poisson {
namespace {

// Calls f(cell number, cell, rule, coordinates) for all elements and sums what it returns.
template <class F>
double sum_elements(const MeshData& data, const F& f) {
  return sum_rows(data.topology.cells(), [&](std::int64_t e) {
    const Topology::Cell cell = data.topology.cell(e);
    return f(e, cell, rule_of(cell.shape), data.coordinates(cell.corners));
  });
}

// Interpolates point values at a point of a rule.
double interpolated(const ElementRule& rule, std::size_t point, std::span<const int> corners,
                    const std::vector<double>& u) {
  double sum = 0;
  for (std::size_t c = 0; c < corners.size(); ++c)
    sum += rule.value[point][c] * u[static_cast<std::size_t>(corners[c])];
  return sum;
}

std::array<double, 3> gradient(const ElementPoint& at, std::span<const int> corners, const std::vector<double>& u) {
  std::array<double, 3> sum{};
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += at.slope[c][d] * u[static_cast<std::size_t>(corners[c])];
  return sum;
}

std::array<double, 3> mean_gradient(const MeshData& data, std::int64_t e, const std::vector<double>& u) {
  const Topology::Cell cell = data.topology.cell(e);
  const ElementRule& rule = rule_of(cell.shape);
  const MeshData::Coordinates x = data.coordinates(cell.corners);
  std::array<double, 3> sum{};
  double volume = 0;
  ElementPoint at;
  for (int p = 0; p < rule.points; ++p) {
    map_point(rule, p, x, at);
    const auto g = gradient(at, cell.corners, u);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += std::abs(at.measure) * g[d];
    volume += std::abs(at.measure);
  }
  for (double& value : sum) value /= volume;
  return sum;
}

// Is a share of a point with a Dirichlet condition in the sides of one condition: their measure, and the flow through
// them by the gradient in the elements beside them.
struct SideShare {
  double measure = 0, flow = 0;
};
using SideShares = std::map<std::pair<int, int>, SideShare>;  // of (point, condition)

// Returns the outward unit normal of a side of an element.
std::array<double, 3> normal_of(const MeshData& data, const Facet& facet, std::span<const int> element) {
  const auto at = [&](int p) -> const std::array<double, 3>& {
    return data.mesh().points[static_cast<std::size_t>(p)];
  };
  const std::span<const int> side = facet.used();
  std::array<double, 3> a{}, b{0, 0, 1}, inwards{}, n{};
  for (std::size_t d = 0; d < 3; ++d) {
    a[d] = at(side[1])[d] - at(side[0])[d];
    if (side.size() > 2) b[d] = at(side.back())[d] - at(side[0])[d];
    for (const int p : element) inwards[d] += at(p)[d] / static_cast<double>(element.size());
    for (const int p : side) inwards[d] -= at(p)[d] / static_cast<double>(side.size());
  }
  double length = 0, along = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    length += n[d] * n[d];
    along += n[d] * inwards[d];
  }
  const double scale = length > 0 ? (along > 0 ? -1 : 1) / std::sqrt(length) : 0;
  for (double& value : n) value *= scale;
  return n;
}

// Estimates the flows at points that belong to sides of several conditions. The reaction of such a point is that of all
// its sides, and a split by their measures alone would leave an error of first order.
void estimate_shared_flows(const MeshData& data, const std::vector<double>& u, SideShares& shares) {
  std::map<int, std::vector<std::int64_t>> elements;  // at points of several conditions
  for (auto share = shares.begin(); share != shares.end(); ++share)
    if (const auto next = std::next(share); next != shares.end() && next->first.first == share->first.first)
      elements[share->first.first];
  if (elements.empty()) return;
  std::vector<bool> shared(u.size(), false);
  for (const auto& [point, none] : elements) shared[static_cast<std::size_t>(point)] = true;
  for (std::int64_t e = 0; e < data.topology.cells(); ++e)
    for (const int p : data.topology.cell(e).corners)
      if (shared[static_cast<std::size_t>(p)]) elements[p].push_back(e);
  for (const ConditionedFacet& of : data.facets) {
    const std::span<const int> side = of.facet.used();
    if (facts_of(of.facet.shape).dimension != data.mesh().dimension - 1 || side.size() < 2) continue;
    for (const int p : side) {
      const auto share = shares.find({p, of.condition});
      if (!shared[static_cast<std::size_t>(p)] || share == shares.end()) continue;
      const auto has_side = [&](std::int64_t e) {
        const auto corners = data.topology.cell(e).corners;
        return std::ranges::all_of(side, [&](int q) { return std::ranges::find(corners, q) != corners.end(); });
      };
      const auto beside = std::ranges::find_if(elements[p], has_side);
      if (beside == elements[p].end()) continue;
      const auto flux = data.flux(*beside, mean_gradient(data, *beside, u));
      const auto normal = normal_of(data, of.facet, data.topology.cell(*beside).corners);
      double through = 0;
      for (std::size_t d = 0; d < 3; ++d) through += flux[d] * normal[d];
      share->second.flow += through * measure_of(data.mesh(), of.facet.shape, side) / static_cast<double>(side.size());
    }
  }
}

// Finds the mean and the extremes of conditions on points and elements alone, which have no sides.
void measure_held_points(const MeshData& data, const std::vector<double>& u, std::vector<ConditionFlow>& flows) {
  std::vector<double> count(flows.size(), 0);
  for (std::size_t p = 0; p < u.size(); ++p) {
    if (data.holder[p] < 0) continue;
    const auto c = static_cast<std::size_t>(data.holder[p]);
    ConditionFlow& flow = flows[c];
    if (flow.facets > 0) continue;
    if (count[c]++ == 0) flow.least = flow.largest = u[p];
    flow.least = std::min(flow.least, u[p]);
    flow.largest = std::max(flow.largest, u[p]);
    flow.mean += u[p];
  }
  for (std::size_t c = 0; c < flows.size(); ++c)
    if (flows[c].facets == 0) flows[c].mean /= count[c];  // NaN without points
}

}  // namespace

MeshIntegrals integrate(const MeshData& data, const std::vector<double>& u) {
  MeshIntegrals found;
  found.least = std::numeric_limits<double>::max();
  found.largest = -found.least;
  for (std::size_t p = 0; p < u.size(); ++p) {
    if (!data.used(static_cast<std::int64_t>(p))) continue;
    if (u[p] < found.least) {
      found.least = u[p];
      found.least_at = data.mesh().points[p];
    }
    if (u[p] > found.largest) {
      found.largest = u[p];
      found.largest_at = data.mesh().points[p];
    }
  }
  const auto integral = [&](const auto& f) {
    return sum_elements(data, [&](std::int64_t e, const Topology::Cell& cell, const ElementRule& rule, const auto& x) {
      double sum = 0;
      ElementPoint at;
      for (int p = 0; p < rule.points; ++p) {
        map_point(rule, p, x, at);
        sum += std::abs(at.measure) * f(e, p, interpolated(rule, static_cast<std::size_t>(p), cell.corners, u));
      }
      return sum;
    });
  };
  found.integral = integral([](std::int64_t, int, double v) { return v; });
  found.l2 = std::sqrt(integral([](std::int64_t, int, double v) { return v * v; }));
  if (!data.density.empty() || !data.source.empty()) {
    found.source = integral([&](std::int64_t e, int p, double) { return data.source_at(e, p); });
    found.source_size = integral([&](std::int64_t e, int p, double) { return std::abs(data.source_at(e, p)); });
  }
  if (!data.reaction.empty()) {
    const auto absorbed = [&](std::int64_t e, double v) { return data.reaction[static_cast<std::size_t>(e)] * v; };
    found.reaction = integral([&](std::int64_t e, int, double v) { return absorbed(e, v); });
    found.reaction_size = integral([&](std::int64_t e, int, double v) { return std::abs(absorbed(e, v)); });
  }
  return found;
}

std::vector<ConditionFlow> condition_flows(const MeshData& data, const std::vector<double>& u) {
  std::vector<ConditionFlow> flows(data.problem.conditions.size());
  SideShares shares;
  std::map<int, double> of_point;
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    const Facet& facet = data.facets[f].facet;
    const MeshCondition& condition = data.condition(data.facets[f]);
    ConditionFlow& flow = flows[static_cast<std::size_t>(data.facets[f].condition)];
    if (flow.facets++ == 0) flow.least = flow.largest = u[static_cast<std::size_t>(facet.corners[0])];
    for (const int p : facet.used()) {
      flow.least = std::min(flow.least, u[static_cast<std::size_t>(p)]);
      flow.largest = std::max(flow.largest, u[static_cast<std::size_t>(p)]);
    }
    const ElementRule& rule = rule_of(facet.shape);
    const MeshData::Coordinates x = data.coordinates(facet.used());
    const bool dirichlet = condition.kind == BoundaryKind::dirichlet;
    const auto add = [&](double amount) {
      flow.flow += amount;
      flow.size += std::abs(amount);
    };
    double measure = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
      const double w = facet_measure(rule, static_cast<int>(p), x), v = interpolated(rule, p, facet.used(), u);
      measure += w;
      flow.mean += w * v;
      if (dirichlet) continue;
      const double alpha =
          condition.kind == BoundaryKind::robin ? data.data[f][static_cast<std::size_t>(rule.points) + p] : 0;
      add(w * (data.data[f][p] - alpha * v));
    }
    if (facet.shape == CellShape::vertex && !dirichlet)
      add(data.data[f][0] -
          (data.data[f].size() > 1 ? data.data[f][1] : 0) * u[static_cast<std::size_t>(facet.corners[0])]);
    flow.measure += measure;
    if (!dirichlet || facts_of(facet.shape).dimension != data.mesh().dimension - 1) continue;
    for (const int p : facet.used()) {
      const double share = measure / static_cast<double>(facet.used().size());
      shares[{p, data.facets[f].condition}].measure += share;
      of_point[p] += share;
    }
  }
  for (ConditionFlow& flow : flows)
    if (flow.measure > 0) flow.mean /= flow.measure;
  measure_held_points(data, u, flows);
  estimate_shared_flows(data, u, shares);
  const std::vector<double> reaction = reactions(data, u);
  for (std::size_t p = 0; p < u.size(); ++p) {
    const int holder = data.holder[p];
    if (holder < 0 || reaction[p] == 0) continue;
    const auto add = [&](int condition, double amount) {
      flows[static_cast<std::size_t>(condition)].flow += amount;
      flows[static_cast<std::size_t>(condition)].size += std::abs(amount);
    };
    const auto total = of_point.find(static_cast<int>(p));
    if (total == of_point.end() || !(total->second > 0)) {
      add(holder, reaction[p]);
      continue;
    }
    const auto first = shares.lower_bound({static_cast<int>(p), -1}),
               last = shares.lower_bound({static_cast<int>(p) + 1, -1});
    double estimated = 0;
    for (auto share = first; share != last; ++share) estimated += share->second.flow;
    for (auto share = first; share != last; ++share)
      add(share->first.second, share->second.flow + (reaction[p] - estimated) * share->second.measure / total->second);
  }
  return flows;
}

MeshError error_of(const MeshData& data, const std::vector<double>& u, const Quantity& exact) {
  MeshError error;
  std::vector<std::array<double, 3>> places(data.mesh().points.begin(), data.mesh().points.end());
  const std::vector<double> at_points = sample_at(exact, "exact", Sign::any, places);
  for (std::size_t p = 0; p < u.size(); ++p)
    if (data.used(static_cast<std::int64_t>(p))) error.largest = std::max(error.largest, std::abs(u[p] - at_points[p]));
  places.clear();
  places.resize(static_cast<std::size_t>(data.first_source(data.topology.cells())));
  const auto for_places = [&](const auto& f) {
    for_rows(data.topology.cells(), [&](std::int64_t e) {
      const Topology::Cell cell = data.topology.cell(e);
      f(e, cell, rule_of(cell.shape), static_cast<std::size_t>(data.first_source(e)));
    });
  };
  for_places([&](std::int64_t, const Topology::Cell& cell, const ElementRule& rule, std::size_t first) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p)
      for (std::size_t c = 0; c < cell.corners.size(); ++c)
        for (std::size_t d = 0; d < 3; ++d)
          places[first + p][d] += rule.value[p][c] * data.mesh().points[static_cast<std::size_t>(cell.corners[c])][d];
  });
  const std::vector<double> inside = sample_at(exact, "exact", Sign::any, places);
  error.l2 = std::sqrt(
      sum_elements(data, [&](std::int64_t e, const Topology::Cell& cell, const ElementRule& rule, const auto& x) {
        double sum = 0;
        ElementPoint at;
        const auto first = static_cast<std::size_t>(data.first_source(e));
        for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
          map_point(rule, static_cast<int>(p), x, at);
          const double gap = interpolated(rule, p, cell.corners, u) - inside[first + p];
          sum += std::abs(at.measure) * gap * gap;
        }
        return sum;
      }));
  return error;
}

std::vector<double> element_flux(const MeshData& data, const std::vector<double>& u) {
  std::vector<double> flux(3 * static_cast<std::size_t>(data.topology.cells()));
  for_rows(data.topology.cells(), [&](std::int64_t e) {
    const auto f = data.flux(e, mean_gradient(data, e, u));
    for (std::size_t d = 0; d < 3; ++d) flux[3 * static_cast<std::size_t>(e) + d] = -f[d];
  });
  return flux;
}

double recovered_error(const MeshData& data, const std::vector<double>& u) {
  const auto cells = data.topology.cells();
  std::vector<std::array<double, 4>> mean(static_cast<std::size_t>(cells));  // gradient and measure
  for_rows(cells, [&](std::int64_t e) {
    const Topology::Cell cell = data.topology.cell(e);
    const ElementRule& rule = rule_of(cell.shape);
    const MeshData::Coordinates x = data.coordinates(cell.corners);
    ElementPoint at;
    auto& own = mean[static_cast<std::size_t>(e)];
    for (int p = 0; p < rule.points; ++p) {
      map_point(rule, p, x, at);
      const double w = std::abs(at.measure);
      const auto g = gradient(at, cell.corners, u);
      for (std::size_t d = 0; d < 3; ++d) own[d] += w * g[d];
      own[3] += w;
    }
    for (std::size_t d = 0; d < 3; ++d) own[d] /= own[3];
  });
  // Elements whose gradients have a common mean: those of equal κ, and of one label if κ varies little between them.
  const std::size_t entries = data.kappa_entries;
  const auto similar = [&](std::int64_t a, int label, std::int64_t b) {
    constexpr double most = 0.5;
    const double* const k = data.kappa.data() + static_cast<std::size_t>(a) * entries;
    const double* const l = data.kappa.data() + static_cast<std::size_t>(b) * entries;
    double difference = 0, size = 0;
    for (std::size_t c = 0; c < entries; ++c) {
      difference = std::max(difference, std::abs(k[c] - l[c]));
      size = std::max({size, std::abs(k[c]), std::abs(l[c])});
    }
    return difference == 0 || (difference <= most * size && data.topology.cell(b).label == label);
  };
  const auto energy = [&](std::int64_t e, const std::array<double, 3>& g) {
    const auto flux = data.flux(e, g);
    return flux[0] * g[0] + flux[1] * g[1] + flux[2] * g[2];
  };
  const auto energies = [&](std::int64_t e, bool whole) {
    const Topology::Cell cell = data.topology.cell(e);
    const auto& own = mean[static_cast<std::size_t>(e)];
    if (whole) return own[3] * energy(e, {own[0], own[1], own[2]});
    double sum = 0;
    for (const int point : cell.corners) {
      std::array<double, 4> near{};
      for (const int other : data.topology.at(point)) {
        if (!similar(e, cell.label, other)) continue;
        const auto& theirs = mean[static_cast<std::size_t>(other)];
        for (std::size_t d = 0; d < 3; ++d) near[d] += theirs[3] * theirs[d];
        near[3] += theirs[3];
      }
      std::array<double, 3> gap{};
      for (std::size_t d = 0; d < 3; ++d) gap[d] = near[d] / near[3] - own[d];
      sum += energy(e, gap);
    }
    // The mean over corners of a linear function's square is larger than that over a simplex of dimension n, (n + 2)
    // times for a function without a mean.
    return own[3] * sum / static_cast<double>(cell.corners.size()) / (data.mesh().dimension + 2);
  };
  const double whole = sum_rows(cells, [&](std::int64_t e) { return energies(e, true); });
  return whole > 0 ? std::sqrt(sum_rows(cells, [&](std::int64_t e) { return energies(e, false); }) / whole) : 0;
}

}  // namespace poisson
