#include "grids/meshes/mesh_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/meshes/mesh_system.hpp"

namespace poisson {
namespace {

void check_count(const std::vector<double>& values, std::size_t wanted, const char* name, const char* of) {
  if (values.size() != wanted)
    throw InputError(std::string(name) + " has " + std::to_string(values.size()) + " values; give " +
                     std::to_string(wanted) + ", " + of);
}

void check_values(const std::vector<double>& values, const char* name, double least, bool open, std::size_t step = 1,
                  std::size_t of_step = 1) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool bounded = i % step < of_step;
    if (std::isfinite(values[i]) && (!bounded || (open ? values[i] > least : values[i] >= least))) continue;
    throw InputError(std::string(name) + " of element " + std::to_string(i / step) + " is " +
                     std::to_string(values[i]) + "; it must be finite" +
                     (open                   ? " and positive"
                      : std::isfinite(least) ? " and not negative"
                                             : ""));
  }
}

// Interpolates values at the points of a side's rule into the data of the side, from `first` on.
void interpolate(const MeshData& data, std::size_t f, const std::vector<double>& values, std::size_t first,
                 std::vector<double>& to) {
  const Facet& facet = data.facets[f].facet;
  const ElementRule& rule = rule_of(facet.shape);
  if (facet.shape == CellShape::vertex) {
    to[first] = values[static_cast<std::size_t>(facet.corners[0])];
    return;
  }
  for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
    double sum = 0;
    for (std::size_t c = 0; c < facet.used().size(); ++c)
      sum += rule.value[p][c] * values[static_cast<std::size_t>(facet.corners[c])];
    to[first + p] = sum;
  }
}

std::size_t points_of(const Facet& facet) {
  return static_cast<std::size_t>(std::max(1, rule_of(facet.shape).points));
}

void add_element(const MeshData& data, std::int64_t e, const std::vector<double>& u, const std::vector<double>& lambda,
                 MeshGradients& all) {
  const Topology::Cell cell = data.topology.cell(e);
  const ElementRule& rule = rule_of(cell.shape);
  const MeshData::Coordinates x = data.coordinates(cell.corners);
  const auto at_e = static_cast<std::size_t>(e);
  double* const k = all.kappa.data() + at_e * data.kappa_entries;
  ElementPoint at;
  for (int p = 0; p < rule.points; ++p) {
    map_point(rule, p, x, at);
    const double w = std::abs(at.measure);
    std::array<double, 3> du{}, dl{};
    double value = 0, adjoint = 0;
    for (std::size_t c = 0; c < cell.corners.size(); ++c) {
      const double own = u[static_cast<std::size_t>(cell.corners[c])],
                   other = lambda[static_cast<std::size_t>(cell.corners[c])];
      value += rule.value[static_cast<std::size_t>(p)][c] * own;
      adjoint += rule.value[static_cast<std::size_t>(p)][c] * other;
      for (std::size_t d = 0; d < 3; ++d) {
        du[d] += at.slope[c][d] * own;
        dl[d] += at.slope[c][d] * other;
      }
    }
    all.reaction[at_e] -= w * value * adjoint;
    all.density[at_e] += w * adjoint;
    if (data.kappa_entries == 1) {
      k[0] -= w * (du[0] * dl[0] + du[1] * dl[1] + du[2] * dl[2]);
      continue;
    }
    for (std::size_t d = 0; d < 3; ++d) k[d] -= w * du[d] * dl[d];
    k[3] -= w * (du[0] * dl[1] + du[1] * dl[0]);
    k[4] -= w * (du[0] * dl[2] + du[2] * dl[0]);
    k[5] -= w * (du[1] * dl[2] + du[2] * dl[1]);
  }
}

void add_facet(const MeshData& data, std::size_t f, const std::vector<double>& u, const std::vector<double>& lambda,
               MeshGradients& all) {
  const MeshCondition& condition = data.condition(data.facets[f]);
  if (condition.kind == BoundaryKind::dirichlet) return;
  const Facet& facet = data.facets[f].facet;
  const auto number = static_cast<std::size_t>(data.facets[f].condition);
  const bool robin = condition.kind == BoundaryKind::robin;
  if (facet.shape == CellShape::vertex) {
    const auto p = static_cast<std::size_t>(facet.corners[0]);
    all.values[number][p] += lambda[p];
    if (robin) all.alphas[number][p] -= lambda[p] * u[p];
    return;
  }
  const ElementRule& rule = rule_of(facet.shape);
  const MeshData::Coordinates x = data.coordinates(facet.used());
  for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
    const double w = facet_measure(rule, static_cast<int>(p), x);
    double value = 0, adjoint = 0;
    for (std::size_t c = 0; c < facet.used().size(); ++c) {
      value += rule.value[p][c] * u[static_cast<std::size_t>(facet.corners[c])];
      adjoint += rule.value[p][c] * lambda[static_cast<std::size_t>(facet.corners[c])];
    }
    for (std::size_t c = 0; c < facet.used().size(); ++c) {
      const auto point = static_cast<std::size_t>(facet.corners[c]);
      all.values[number][point] += w * rule.value[p][c] * adjoint;
      if (robin) all.alphas[number][point] -= w * rule.value[p][c] * value * adjoint;
    }
  }
}

}  // namespace

void set_kappa(MeshData& data, std::vector<double> values) {
  const auto cells = static_cast<std::size_t>(data.topology.cells());
  check_count(values, cells * data.kappa_entries, "the coefficient",
              data.kappa_entries == 1 ? "one for each element" : "six for each element");
  const auto dimension = static_cast<std::size_t>(data.mesh().dimension);
  check_values(values, "the coefficient", 0, true, data.kappa_entries, data.kappa_entries == 1 ? 1 : dimension);
  double least = std::numeric_limits<double>::max(), largest = 0;
  for (std::size_t e = 0; e < cells; ++e)
    for (std::size_t d = 0; d < (data.kappa_entries == 1 ? 1 : dimension); ++d) {
      least = std::min(least, values[e * data.kappa_entries + d]);
      largest = std::max(largest, values[e * data.kappa_entries + d]);
    }
  data.range = largest / least;
  data.kappa = std::move(values);
}

void set_reaction(MeshData& data, std::vector<double> values) {
  check_count(values, static_cast<std::size_t>(data.topology.cells()), "the reaction", "one for each element");
  check_values(values, "the reaction", 0, false);
  data.reaction = std::move(values);
}

void set_density(MeshData& data, std::vector<double> values) {
  check_count(values, static_cast<std::size_t>(data.topology.cells()), "the source", "one for each element");
  check_values(values, "the source", -std::numeric_limits<double>::infinity(), false);
  data.density = std::move(values);
  data.source.clear();
}

void set_condition(MeshData& data, int condition, const std::vector<double>& values) {
  check_count(values, data.mesh().points.size(), "the datum of a boundary", "one for each point of the mesh");
  const MeshCondition& of = data.problem.conditions[static_cast<std::size_t>(condition)];
  if (of.kind == BoundaryKind::dirichlet) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (data.holder[p] != condition) continue;
      if (!std::isfinite(values[p])) throw InputError("boundary." + of.name + " is not finite at a point");
      data.held[p] = values[p];
    }
    return;
  }
  for (std::size_t f = 0; f < data.facets.size(); ++f)
    if (data.facets[f].condition == condition) interpolate(data, f, values, 0, data.data[f]);
}

void set_alpha(MeshData& data, int condition, const std::vector<double>& values) {
  check_count(values, data.mesh().points.size(), "alpha of a boundary", "one for each point of the mesh");
  check_values(values, "alpha", 0, false);
  for (std::size_t f = 0; f < data.facets.size(); ++f)
    if (data.facets[f].condition == condition)
      interpolate(data, f, values, points_of(data.facets[f].facet), data.data[f]);
}

MeshGradients gradients_of(const MeshData& data, const std::vector<double>& u, const std::vector<double>& lambda) {
  const auto cells = static_cast<std::size_t>(data.topology.cells());
  const std::size_t points = u.size(), conditions = data.problem.conditions.size();
  MeshGradients all;
  all.kappa.assign(cells * data.kappa_entries, 0);
  all.reaction.assign(cells, 0);
  all.density.assign(cells, 0);
  all.values.assign(conditions, std::vector<double>(points, 0));
  all.alphas.assign(conditions, std::vector<double>(points, 0));
  for_rows(data.topology.cells(), [&](std::int64_t e) { add_element(data, e, u, lambda, all); });
  for (std::size_t f = 0; f < data.facets.size(); ++f) add_facet(data, f, u, lambda, all);
  // reactions() contains the load, which does not depend on its argument.
  const std::vector<double> with = reactions(data, lambda), load = reactions(data, std::vector<double>(points, 0));
  for (std::size_t p = 0; p < points; ++p)
    if (data.holder[p] >= 0) all.values[static_cast<std::size_t>(data.holder[p])][p] -= with[p] - load[p];
  return all;
}

}  // namespace poisson
