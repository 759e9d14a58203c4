#include "grids/meshes/mesh_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "backends/memory/error.hpp"
#include "grids/meshes/place_text.hpp"
#include "grids/meshes/sort_in_parts.hpp"

namespace poisson {
namespace {

// Lists the facets with Neumann and Robin conditions at each point.
struct FacetsAtPoints {
  std::vector<int> start, facet;  // empty without such facets

  explicit FacetsAtPoints(const MeshData& data) {
    const auto loads = [&](std::size_t f) { return data.condition(data.facets[f]).kind != BoundaryKind::dirichlet; };
    bool any = false;
    for (std::size_t f = 0; f < data.facets.size() && !any; ++f) any = loads(f);
    if (!any) return;
    start.resize(data.mesh().points.size() + 1, 0);
    for (std::size_t f = 0; f < data.facets.size(); ++f)
      if (loads(f))
        for (const int p : data.facets[f].facet.used()) ++start[static_cast<std::size_t>(p) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    facet.resize(static_cast<std::size_t>(start.back()));
    std::vector<int> next(start.begin(), start.end() - 1);
    for (std::size_t f = 0; f < data.facets.size(); ++f)
      if (loads(f))
        for (const int p : data.facets[f].facet.used())
          facet[static_cast<std::size_t>(next[static_cast<std::size_t>(p)]++)] = static_cast<int>(f);
  }
  std::span<const int> at(std::int64_t point) const {
    if (start.empty()) return {};
    const auto p = static_cast<std::size_t>(point);
    return {facet.data() + start[p], static_cast<std::size_t>(start[p + 1] - start[p])};
  }
};

// Contains the sums of a row besides its entries.
struct RowSums {
  double load = 0, volume = 0, absorbed = 0;  ///< ∫ f φ and boundary data; ∫ φ; ∫ σ φ and Robin α
};

std::size_t local_index(std::span<const int> corners, std::int64_t point) {
  return static_cast<std::size_t>(std::ranges::find(corners, static_cast<int>(point)) - corners.begin());
}

// Adds an element to a row: add(point, entry).
template <class Add>
void add_element(const MeshData& data, std::int64_t number, std::int64_t point, RowSums& sums, const Add& add) {
  const Topology::Cell cell = data.topology.cell(number);
  const std::size_t a = local_index(cell.corners, point), n = cell.corners.size();
  const ElementRule& rule = rule_of(cell.shape);
  const MeshData::Coordinates x = data.coordinates(cell.corners);
  const bool simplex = cell.shape == CellShape::triangle || cell.shape == CellShape::tetrahedron;
  const double sigma = data.reaction.empty() ? 0 : data.reaction[static_cast<std::size_t>(number)];
  const bool varies = !data.source.empty();
  std::array<double, most_corners> entry{};
  ElementPoint at;
  if (simplex) map_point(rule, 0, x, at);  // all points of simplices have the same slopes and measure
  double measure = 0;
  for (int p = 0; p < rule.points; ++p) {
    const auto q = static_cast<std::size_t>(p);
    if (!simplex) map_point(rule, p, x, at);
    const double w = std::abs(at.measure), own = w * rule.value[q][a];
    measure += w;
    sums.volume += own;
    sums.absorbed += sigma * own;
    sums.load += own * (varies                 ? data.source_at(number, p)
                        : data.density.empty() ? 0
                                               : data.density[static_cast<std::size_t>(number)]);
    if (sigma != 0)
      for (std::size_t b = 0; b < n; ++b) entry[b] += sigma * own * rule.value[q][b];
    if (simplex) continue;
    const auto flux = data.flux(number, at.slope[a]);
    for (std::size_t b = 0; b < n; ++b)
      entry[b] += w * (flux[0] * at.slope[b][0] + flux[1] * at.slope[b][1] + flux[2] * at.slope[b][2]);
  }
  if (simplex) {
    const auto flux = data.flux(number, at.slope[a]);
    for (std::size_t b = 0; b < n; ++b)
      entry[b] += measure * (flux[0] * at.slope[b][0] + flux[1] * at.slope[b][1] + flux[2] * at.slope[b][2]);
  }
  for (std::size_t b = 0; b < n; ++b) add(cell.corners[b], entry[b]);
}

template <class Add>
void add_facet(const MeshData& data, int number, std::int64_t point, RowSums& sums, const Add& add) {
  const Facet& facet = data.facets[static_cast<std::size_t>(number)].facet;
  const std::vector<double>& values = data.data[static_cast<std::size_t>(number)];
  const bool robin = data.condition(data.facets[static_cast<std::size_t>(number)]).kind == BoundaryKind::robin;
  const std::size_t a = local_index(facet.used(), point);
  const ElementRule& rule = rule_of(facet.shape);
  if (facet.shape == CellShape::vertex) {
    sums.load += values[0];
    if (!robin) return;
    sums.absorbed += values[1];
    return add(facet.corners[0], values[1]);
  }
  const MeshData::Coordinates x = data.coordinates(facet.used());
  for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
    const double own = facet_measure(rule, static_cast<int>(p), x) * rule.value[p][a];
    sums.load += own * values[p];
    if (!robin) continue;
    const double alpha = values[static_cast<std::size_t>(rule.points) + p];
    sums.absorbed += alpha * own;
    for (std::size_t b = 0; b < facet.used().size(); ++b) add(facet.corners[b], alpha * own * rule.value[p][b]);
  }
}

template <class Add>
RowSums add_row(const MeshData& data, const FacetsAtPoints& facets, std::int64_t point, const Add& add) {
  RowSums sums;
  for (const int number : data.topology.at(point)) add_element(data, number, point, sums, add);
  for (const int f : facets.at(point)) add_facet(data, f, point, sums, add);
  return sums;
}

// Spreads the lowest 21 bits of a number to every third bit.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

// Joins points of common elements, and finds the parts of the mesh that do not touch.
class TouchingParts {
 public:
  explicit TouchingParts(const MeshData& data) : of_(data.mesh().points.size()) {
    std::iota(of_.begin(), of_.end(), 0);
    for (const MeshCells* block : data.topology.blocks())
      for (std::int64_t e = 0; e < block->count(); ++e)
        for (const int p : block->of(e)) join(block->of(e)[0], p);
  }
  int root(int p) {
    while (of_[static_cast<std::size_t>(p)] != p)
      p = of_[static_cast<std::size_t>(p)] = of_[static_cast<std::size_t>(of_[static_cast<std::size_t>(p)])];
    return p;
  }

 private:
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    of_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::vector<int> of_;
};

// Returns whether no part of the mesh has a value of its own. Throws InputError if only some have, or if several parts
// float.
bool floats(const MeshData& data, const std::vector<bool>& fixed) {
  TouchingParts parts(data);
  const std::size_t points = fixed.size();
  std::vector<bool> has(points, false);
  for (std::size_t p = 0; p < points; ++p)
    if (fixed[p]) has[static_cast<std::size_t>(parts.root(static_cast<int>(p)))] = true;
  std::int64_t floating = 0, all = 0;
  std::size_t first = 0;
  for (std::size_t p = 0; p < points; ++p) {
    if (!data.used(static_cast<std::int64_t>(p)) || parts.root(static_cast<int>(p)) != static_cast<int>(p)) continue;
    ++all;
    if (has[p]) continue;
    if (floating++ == 0) first = p;
  }
  if (floating == 0) return false;
  if (all == 1) return true;
  const auto& x = data.mesh().points[first];
  throw InputError(
      std::to_string(floating) + " of the " + std::to_string(all) +
      " parts of the mesh that do not touch have no Dirichlet or Robin condition and no reaction, so u is "
      "not determined there (one contains the point " +
      place_text(x, data.mesh().dimension) +
      "): join the parts in the mesh (in Gmsh: Coherence or BooleanFragments; blocks: common vertices), or "
      "give each a condition");
}

}  // namespace

// Rows follow Morton's curve.
void number_rows(const MeshData& data, MeshSystem& system) {
  const auto points = static_cast<std::int64_t>(data.mesh().points.size());
  std::array<double, 3> lower, upper;
  lower.fill(std::numeric_limits<double>::max());
  upper.fill(-std::numeric_limits<double>::max());
  std::vector<std::pair<std::uint64_t, int>> order;
  for (std::int64_t p = 0; p < points; ++p) {
    if (!data.free(p)) continue;
    order.emplace_back(0, static_cast<int>(p));
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], data.mesh().points[static_cast<std::size_t>(p)][d]);
      upper[d] = std::max(upper[d], data.mesh().points[static_cast<std::size_t>(p)][d]);
    }
  }
  if (order.empty())
    throw InputError(
        "the conditions give u at all points of the mesh, so that nothing is left to solve; use a finer mesh, or "
        "fewer Dirichlet conditions and fixed materials");
  const double width = std::max({upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]});
  const double step = width > 0 ? 2097151 / width : 0;
  for_rows(static_cast<std::int64_t>(order.size()), [&](std::int64_t i) {
    auto& [key, p] = order[static_cast<std::size_t>(i)];
    const auto& x = data.mesh().points[static_cast<std::size_t>(p)];
    for (std::size_t d = 0; d < 3; ++d) key |= spread(static_cast<std::uint64_t>((x[d] - lower[d]) * step)) << d;
  });
  sort_in_parts(order);
  system.row.resize(static_cast<std::size_t>(points));
  std::ranges::fill(system.row, -1);
  system.point.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    system.point[i] = order[i].second;
    system.row[static_cast<std::size_t>(order[i].second)] = static_cast<int>(i);
  }
}

MeshSystem assemble(const MeshData& data) {
  MeshSystem system;
  number_rows(data, system);
  const auto n = static_cast<std::int64_t>(system.point.size());
  const FacetsAtPoints facets(data);
  RowCollector rows(n);
  system.rows.b.resize(static_cast<std::size_t>(n));
  system.rows.weights.resize(static_cast<std::size_t>(n));
  std::vector<char> absorbs(static_cast<std::size_t>(n), 0);
#pragma omp parallel if (n > row_chunk)
  {
    std::vector<std::pair<int, double>> row;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t first = 0; first < n; first += row_chunk) {
      RowCollector::Chunk& chunk = rows.chunk(first);
      for (std::int64_t i = first; i < std::min(n, first + row_chunk); ++i) {
        const auto at = static_cast<std::size_t>(i);
        row.clear();
        double load = 0;
        const RowSums sums = add_row(data, facets, system.point[at], [&](int point, double entry) {
          const int column = system.row[static_cast<std::size_t>(point)];
          if (column < 0) {
            load -= entry * data.held[static_cast<std::size_t>(point)];
            return;
          }
          for (auto& [known, value] : row)
            if (known == column) {
              value += entry;
              return;
            }
          row.emplace_back(column, entry);
        });
        std::ranges::sort(row, {}, &std::pair<int, double>::first);
        for (const auto& [column, value] : row) {
          chunk.column.push_back(column);
          chunk.value.push_back(value);
        }
        chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
        system.rows.b[at] = load + sums.load;
        system.rows.weights[at] = sums.volume;
        absorbs[at] = sums.absorbed > 0 ? 1 : 0;
      }
    }
  }
  system.rows.A = rows.join(n);
  std::vector<bool> fixed(system.row.size(), false);
  for (std::size_t p = 0; p < fixed.size(); ++p)
    fixed[p] = system.row[p] < 0 ? data.used(static_cast<std::int64_t>(p))
                                 : absorbs[static_cast<std::size_t>(system.row[p])] != 0;
  system.rows.singular = floats(data, fixed);
  system.rows.range = data.range;
  return system;
}

bool has_fixed_values(const MeshData& data) {
  std::vector<bool> fixed(data.mesh().points.size());
  for (std::size_t p = 0; p < fixed.size(); ++p) fixed[p] = data.holder[p] >= 0;
  for (std::int64_t e = 0; e < std::ssize(data.reaction); ++e)
    if (data.reaction[static_cast<std::size_t>(e)] > 0)
      for (const int p : data.topology.cell(e).corners) fixed[static_cast<std::size_t>(p)] = true;
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    if (data.condition(data.facets[f]).kind != BoundaryKind::robin) continue;
    const std::size_t half = data.data[f].size() / 2;
    if (std::any_of(data.data[f].begin() + static_cast<std::ptrdiff_t>(half), data.data[f].end(),
                    [](double alpha) { return alpha > 0; }))
      for (const int p : data.facets[f].facet.used()) fixed[static_cast<std::size_t>(p)] = true;
  }
  return !floats(data, fixed);
}

RowEstimate estimate_rows(const MeshData& data) {
  constexpr std::int64_t most_counted = 20'000;
  RowEstimate estimate;
  const auto points = static_cast<std::int64_t>(data.mesh().points.size());
  for (std::int64_t p = 0; p < points; ++p) estimate.rows += data.free(p) ? 1 : 0;
  const std::int64_t step = std::max<std::int64_t>(1, estimate.rows / most_counted);
  std::int64_t counted = 0, entries = 0, free = 0;
  std::vector<int> near;
  for (std::int64_t p = 0; p < points; ++p) {
    if (!data.free(p) || free++ % step != 0) continue;
    near.clear();
    for (const int number : data.topology.at(p))
      for (const int q : data.topology.cell(number).corners)
        if (data.free(q)) near.push_back(q);
    std::ranges::sort(near);
    entries += std::unique(near.begin(), near.end()) - near.begin();
    ++counted;
  }
  if (counted > 0) estimate.entries = entries * estimate.rows / counted;
  return estimate;
}

std::vector<double> point_values(const MeshData& data, const MeshSystem& system, const std::vector<double>& rows) {
  std::vector<double> u(system.row.size(), 0);
  for_rows(static_cast<std::int64_t>(u.size()), [&](std::int64_t p) {
    const auto at = static_cast<std::size_t>(p);
    u[at] = system.row[at] >= 0 ? rows[static_cast<std::size_t>(system.row[at])] : data.held[at];
  });
  return u;
}

std::vector<double> reactions(const MeshData& data, const std::vector<double>& u) {
  const FacetsAtPoints facets(data);
  std::vector<double> flow(u.size(), 0);
  for_row_chunks(static_cast<std::int64_t>(u.size()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      if (!data.used(p) || data.holder[static_cast<std::size_t>(p)] < 0) continue;
      double sum = 0;
      const RowSums sums =
          add_row(data, facets, p, [&](int point, double entry) { sum += entry * u[static_cast<std::size_t>(point)]; });
      flow[static_cast<std::size_t>(p)] = sum - sums.load;
    }
  });
  return flow;
}

}  // namespace poisson
