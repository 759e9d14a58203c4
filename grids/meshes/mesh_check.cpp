// This file finds faults of meshes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grids/compact/csr.hpp"
#include "grids/meshes/collapse.hpp"
#include "grids/meshes/element_rules.hpp"
#include "grids/meshes/point_tree.hpp"
#include "grids/meshes/sort_in_parts.hpp"
#include "grids/meshes/topology.hpp"

namespace poisson {
namespace {

using Point = std::array<double, 3>;
enum class State : std::uint8_t { positive, negative, flat, crossed };

double size_of(const Mesh& mesh, std::span<const int> corners) {
  Point lower = mesh.points[static_cast<std::size_t>(corners[0])], upper = lower;
  for (const int p : corners)
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], mesh.points[static_cast<std::size_t>(p)][d]);
      upper[d] = std::max(upper[d], mesh.points[static_cast<std::size_t>(p)][d]);
    }
  return std::hypot(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
}

// An element is flat if its determinants are below this share of the power of its size.
constexpr double least_share = 1e-13;

State state_of(const Mesh& mesh, CellShape shape, std::span<const int> corners) {
  const Determinants d = determinants_of(mesh, shape, corners);
  const double least = least_share * std::pow(size_of(mesh, corners), facts_of(shape).dimension);
  if (std::max(std::abs(d.least), std::abs(d.largest)) <= least) return State::flat;
  if (d.least > 0) return State::positive;
  return d.largest < 0 ? State::negative : State::crossed;
}

// Returns the label of the union of two labels' groups.
int joined_label(Mesh& mesh, int a, int b) {
  std::vector<int> all = mesh.labels[static_cast<std::size_t>(a)];
  for (const int g : mesh.labels[static_cast<std::size_t>(b)])
    if (std::ranges::find(all, g) == all.end()) all.push_back(g);
  std::ranges::sort(all);
  const auto known = std::ranges::find(mesh.labels, all);
  if (known != mesh.labels.end()) return static_cast<int>(known - mesh.labels.begin());
  mesh.labels.push_back(all);
  return static_cast<int>(mesh.labels.size()) - 1;
}

// Hashes the corners of an element, whatever their order.
std::uint64_t hash_of(std::span<const int> corners) {
  std::uint64_t sum = 0;
  for (const int p : corners) {
    std::uint64_t x = (static_cast<std::uint64_t>(p) + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL;
    sum += x ^ (x >> 32);
  }
  return sum;
}

bool same_corners(std::span<const int> a, std::span<const int> b) {
  return std::is_permutation(a.begin(), a.end(), b.begin());
}

// Removes elements with the corners of an earlier one. Files of version 2 list an element once for each of its groups,
// so only a repetition within one group is a fault.
void remove_duplicates(Mesh& mesh, MeshCells& block, MeshFault& fault) {
  const std::int64_t n = block.count();
  std::vector<std::pair<std::uint64_t, int>> order(static_cast<std::size_t>(n));
  for_rows(n, [&](std::int64_t e) {
    order[static_cast<std::size_t>(e)] = {hash_of(block.of(e)), static_cast<int>(e)};
  });
  sort_in_parts(order);
  std::vector<bool> kept;
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t l = k + 1; l < order.size() && order[l].first == order[k].first; ++l) {
      const auto a = static_cast<std::size_t>(order[k].second), b = static_cast<std::size_t>(order[l].second);
      if (!kept.empty() && (!kept[a] || !kept[b])) continue;
      if (!same_corners(block.of(order[k].second), block.of(order[l].second))) continue;
      if (kept.empty()) kept.assign(static_cast<std::size_t>(n), true);
      if (block.label[a] == block.label[b]) note_fault(fault, centre_of(mesh, block.of(order[k].second)));
      block.label[a] = joined_label(mesh, block.label[a], block.label[b]);
      kept[b] = false;
    }
  if (!kept.empty()) keep_elements(block, kept);
}

void check_shapes(Mesh& mesh, MeshCells& block, MeshFaults& faults) {
  const std::int64_t n = block.count();
  std::vector<State> state(static_cast<std::size_t>(n));
  for_rows(n, [&](std::int64_t e) { state[static_cast<std::size_t>(e)] = state_of(mesh, block.shape, block.of(e)); });
  // Some programs number all elements of a shape the other way round.
  const bool reversed = 2 * std::ranges::count(state, State::negative) > n;
  bool any_flat = false;
  for (std::int64_t e = 0; e < n; ++e) {
    const State s = state[static_cast<std::size_t>(e)];
    if (s == State::positive && !reversed) continue;
    const Point place = centre_of(mesh, block.of(e));
    if (s == (reversed ? State::positive : State::negative)) note_fault(faults.inverted, place);
    if (s == State::crossed) note_fault(faults.crossed, place);
    if (s == State::flat) note_fault(faults.degenerate, place);
    any_flat = any_flat || s == State::flat;
  }
  if (!any_flat) return;
  std::vector<bool> kept(static_cast<std::size_t>(n));
  for (std::size_t e = 0; e < kept.size(); ++e) kept[e] = state[e] != State::flat;
  keep_elements(block, kept);
}

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Returns whether a point lies on a line or triangle within a tolerance, at some distance from its corners.
bool lies_on(const Mesh& mesh, std::span<const int> corners, const Point& x, double tolerance) {
  const Point& a = mesh.points[static_cast<std::size_t>(corners[0])];
  for (const int p : corners) {
    const Point gap = minus(x, mesh.points[static_cast<std::size_t>(p)]);
    if (dot(gap, gap) <= 1e4 * tolerance * tolerance) return false;
  }
  const Point r = minus(x, a), e = minus(mesh.points[static_cast<std::size_t>(corners[1])], a);
  if (corners.size() == 2) {
    const double t = dot(r, e) / dot(e, e);
    const Point off{r[0] - t * e[0], r[1] - t * e[1], r[2] - t * e[2]};
    return t > 0 && t < 1 && dot(off, off) < tolerance * tolerance;
  }
  const Point f = minus(mesh.points[static_cast<std::size_t>(corners[2])], a);
  const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), det = ee * ff - ef * ef;
  if (!(det > 0)) return false;
  const double s = (ff * dot(r, e) - ef * dot(r, f)) / det, t = (ee * dot(r, f) - ef * dot(r, e)) / det;
  const Point off{r[0] - s * e[0] - t * f[0], r[1] - s * e[1] - t * f[1], r[2] - s * e[2] - t * f[2]};
  const double slack = 1e-9;
  return s > -slack && t > -slack && s + t < 1 + slack && dot(off, off) < tolerance * tolerance;
}

// Looks for points of the boundary inside its sides, and at the same place.
void check_boundary(const Mesh& mesh, MeshFaults& faults) {
  const Topology topology(mesh);
  const std::vector<Facet> facets = outer_facets(topology);
  std::vector<int> points;
  double width = 0;
  for (const Facet& facet : facets) {
    points.insert(points.end(), facet.used().begin(), facet.used().end());
    width += size_of(mesh, facet.used()) / static_cast<double>(facets.size());
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.empty() || !(width > 0)) return;
  const PointTree tree(mesh.points, points);
  const auto count = static_cast<std::int64_t>(facets.size());
  std::vector<std::vector<int>> found(static_cast<std::size_t>((count + row_chunk - 1) / row_chunk));
  for_rows(count, [&](std::int64_t number) {
    const Facet& facet = facets[static_cast<std::size_t>(number)];
    const auto used = facet.used();
    Point lower = mesh.points[static_cast<std::size_t>(used[0])], upper = lower;
    for (const int p : used)
      for (std::size_t d = 0; d < 3; ++d) {
        lower[d] = std::min(lower[d], mesh.points[static_cast<std::size_t>(p)][d]);
        upper[d] = std::max(upper[d], mesh.points[static_cast<std::size_t>(p)][d]);
      }
    const double tolerance = 1e-7 * size_of(mesh, used);
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] -= tolerance;
      upper[d] += tolerance;
    }
    tree.within(lower, upper, [&](int p) {
      if (std::ranges::find(used, p) != used.end()) return;
      const Point& x = mesh.points[static_cast<std::size_t>(p)];
      const bool split = used.size() == 4;
      if (lies_on(mesh, split ? used.first(3) : used, x, tolerance) ||
          (split && lies_on(mesh, std::array{used[0], used[2], used[3]}, x, tolerance)))
        found[static_cast<std::size_t>(number / row_chunk)].push_back(p);
    });
  });
  std::vector<int> hanging;
  for (const std::vector<int>& part : found) hanging.insert(hanging.end(), part.begin(), part.end());
  std::ranges::sort(hanging);
  hanging.erase(std::unique(hanging.begin(), hanging.end()), hanging.end());
  for (const int p : hanging) note_fault(faults.hanging, mesh.points[static_cast<std::size_t>(p)]);
  for (const int p : points) {
    const Point& x = mesh.points[static_cast<std::size_t>(p)];
    const double room = 1e-9 * width;
    tree.within({x[0] - room, x[1] - room, x[2] - room}, {x[0] + room, x[1] + room, x[2] + room}, [&](int q) {
      const Point gap = minus(mesh.points[static_cast<std::size_t>(q)], x);
      if (q > p && dot(gap, gap) < 1e-18 * width * width) note_fault(faults.coincident, x);
    });
  }
}

}  // namespace

void note_fault(MeshFault& fault, const Point& place) {
  if (fault.count++ == 0) fault.first = place;
}

void keep_elements(MeshCells& block, const std::vector<bool>& kept) {
  const auto corners = static_cast<std::size_t>(facts_of(block.shape).corners);
  std::size_t to = 0;
  for (std::size_t e = 0; e < kept.size(); ++e) {
    if (!kept[e]) continue;
    std::copy_n(block.corners.begin() + static_cast<std::ptrdiff_t>(e * corners), corners,
                block.corners.begin() + static_cast<std::ptrdiff_t>(to * corners));
    block.label[to++] = block.label[e];
  }
  block.corners.resize(to * corners);
  block.label.resize(to);
}

MeshFaults check_mesh(Mesh& mesh) {
  MeshFaults faults;
  collapse_elements(mesh, faults.collapsed, faults.degenerate);
  for (MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension > 0) remove_duplicates(mesh, block, faults.duplicate);
    if (facts_of(block.shape).dimension == mesh.dimension) check_shapes(mesh, block, faults);
  }
  if (mesh.count(mesh.dimension) > 0) check_boundary(mesh, faults);
  return faults;
}

}  // namespace poisson
