// This file computes the flows through conditions.

#include <algorithm>
#include <cmath>
#include <utility>

#include "grids/meshes/mesh_results.hpp"

namespace poisson {
namespace {

// Is a share of a point with a Dirichlet condition in the sides of one condition: their measure, and the flow through
// them by the gradient in the elements beside them.
struct SideShare {
  int point = 0, condition = 0;
  double measure = 0, flow = 0;

  std::pair<int, int> key() const { return {point, condition}; }
};

// Sorts shares by point and condition, and joins those of one point and condition.
void join_shares(std::vector<SideShare>& shares) {
  std::ranges::stable_sort(shares, {}, &SideShare::key);
  std::size_t end = 0;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    if (end > 0 && shares[end - 1].key() == shares[s].key())
      shares[end - 1].measure += shares[s].measure;
    else
      shares[end++] = shares[s];
  }
  shares.resize(end);
}

using Vector3 = std::array<double, 3>;

Vector3 difference(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

void add_product(const Vector3& a, const Vector3& b, double scale, Vector3& sum) {
  for (std::size_t d = 0; d < 3; ++d)
    sum[d] += scale * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
}

// Returns the integral of the outward normal of an element's side, weighted by the shape function of one of its
// corners. Flows of linear functions are therefore exact, also through warped quadrilaterals.
Vector3 area_at(const MeshData& data, const Facet& facet, std::size_t corner, std::span<const int> element) {
  const auto at = [&](int p) -> const Vector3& { return data.mesh().points[static_cast<std::size_t>(p)]; };
  const std::span<const int> side = facet.used();
  Vector3 n{}, inwards{};
  if (side.size() == 4) {
    const bool right = corner == 1 || corner == 2, upper = corner >= 2;
    const std::array along{difference(at(side[1]), at(side[0])), difference(at(side[2]), at(side[3]))};
    const std::array across{difference(at(side[3]), at(side[0])), difference(at(side[2]), at(side[1]))};
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        add_product(along[a ? 1 : 0], across[b ? 1 : 0],
                    (a == upper ? 1.0 / 3 : 1.0 / 6) * (b == right ? 1.0 / 3 : 1.0 / 6), n);
  } else {
    const bool triangle = side.size() == 3;
    add_product(difference(at(side[1]), at(side[0])),
                triangle ? difference(at(side[2]), at(side[0])) : Vector3{0, 0, 1}, triangle ? 1.0 / 6 : 0.5, n);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    for (const int p : element) inwards[d] += at(p)[d] / static_cast<double>(element.size());
    for (const int p : side) inwards[d] -= at(p)[d] / static_cast<double>(side.size());
  }
  if (n[0] * inwards[0] + n[1] * inwards[1] + n[2] * inwards[2] > 0)
    for (double& value : n) value = -value;
  return n;
}

// Estimates the flows at points that belong to sides of several conditions. The reaction of such a point is that of all
// its sides, and a split by their measures alone would leave an error of first order.
void estimate_shared_flows(const MeshData& data, const std::vector<double>& u, std::vector<SideShare>& shares) {
  std::vector<bool> shared(u.size(), false);
  bool any = false;
  for (std::size_t s = 1; s < shares.size(); ++s)
    if (shares[s].point == shares[s - 1].point) shared[static_cast<std::size_t>(shares[s].point)] = any = true;
  if (!any) return;
  for (const ConditionedFacet& of : data.facets) {
    const std::span<const int> side = of.facet.used();
    if (facts_of(of.facet.shape).dimension != data.mesh().dimension - 1 || side.size() < 2) continue;
    for (std::size_t corner = 0; corner < side.size(); ++corner) {
      const int p = side[corner];
      if (!shared[static_cast<std::size_t>(p)]) continue;
      const auto share = std::ranges::lower_bound(shares, std::pair{p, of.condition}, {}, &SideShare::key);
      if (share == shares.end() || share->key() != std::pair{p, of.condition}) continue;
      const auto has_side = [&](std::int64_t e) {
        const auto corners = data.topology.cell(e).corners;
        return std::ranges::all_of(side, [&](int q) { return std::ranges::find(corners, q) != corners.end(); });
      };
      const std::span<const int> elements = data.topology.at(p);
      const auto beside = std::ranges::find_if(elements, has_side);
      if (beside == elements.end()) continue;
      const auto flux = data.flux(*beside, mean_gradient(data, *beside, u));
      const auto area = area_at(data, of.facet, corner, data.topology.cell(*beside).corners);
      for (std::size_t d = 0; d < 3; ++d) share->flow += flux[d] * area[d];
    }
  }
}

// Finds the mean of conditions on listed points alone, which have no size.
void average_listed_points(const MeshData& data, const std::vector<double>& u, std::vector<ConditionFlow>& flows) {
  for (const ConditionedFacet& f : data.facets) {
    ConditionFlow& flow = flows[static_cast<std::size_t>(f.condition)];
    if (!(flow.measure > 0))
      flow.mean += u[static_cast<std::size_t>(f.facet.corners[0])] / static_cast<double>(flow.facets);
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

std::vector<ConditionFlow> condition_flows(const MeshData& data, const std::vector<double>& u) {
  std::vector<ConditionFlow> flows(data.problem.conditions.size());
  std::vector<SideShare> shares;
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
      shares.push_back({p, data.facets[f].condition, measure / static_cast<double>(facet.used().size())});
    }
  }
  for (ConditionFlow& flow : flows)
    if (flow.measure > 0) flow.mean /= flow.measure;
  average_listed_points(data, u, flows);
  measure_held_points(data, u, flows);
  join_shares(shares);
  estimate_shared_flows(data, u, shares);
  const std::vector<double> reaction = reactions(data, u);
  const auto add = [&](int condition, double amount) {
    flows[static_cast<std::size_t>(condition)].flow += amount;
    flows[static_cast<std::size_t>(condition)].size += std::abs(amount);
  };
  auto first = shares.begin();
  for (std::size_t p = 0; p < u.size(); ++p) {
    const int holder = data.holder[p];
    if (holder < 0 || reaction[p] == 0) continue;
    while (first != shares.end() && first->point < static_cast<int>(p)) ++first;
    double estimated = 0, total = 0;
    auto last = first;
    for (; last != shares.end() && last->point == static_cast<int>(p); ++last) {
      estimated += last->flow;
      total += last->measure;
    }
    if (!(total > 0))
      add(holder, reaction[p]);
    else
      for (auto share = first; share != last; ++share)
        add(share->condition, share->flow + (reaction[p] - estimated) * share->measure / total);
  }
  return flows;
}

}  // namespace poisson
