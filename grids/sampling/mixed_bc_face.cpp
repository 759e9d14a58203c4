#include "grids/sampling/mixed_bc_face.hpp"

#include <cmath>
#include <string>

#include "backends/memory/places.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

// Lists the points at which a part is evaluated, and the weights of their values in the nodes.
struct MixedBcFace::Points {
  struct Term {
    std::size_t node, point;
    double weight;
  };
  std::vector<double> x, y, z;
  std::vector<Term> terms;

  void clear() {
    for (auto* along : {&x, &y, &z}) along->clear();
    terms.clear();
  }
  void add(const std::array<double, 3>& at) {
    x.push_back(at[0]);
    y.push_back(at[1]);
    z.push_back(at[2]);
  }
  /// Adds the last point to a node with a weight.
  void weigh(std::size_t node, double weight) { terms.push_back({node, x.size() - 1, weight}); }
};

MixedBcFace::MixedBcFace(const Problem& problem, const Block& block, int axis, int end)
    : block_(block),
      axis_(axis),
      end_(end),
      along_{axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U},
      face_(boundary(problem, axis, end)),
      nodes_(face_box(block, axis, end)),
      cells_(nodes_) {
  if (nodes_.size() == 0) return;
  const auto across = static_cast<std::size_t>(axis);
  const auto& nodes = block.axes[across].nodes();
  place_[across] = end == 0 ? nodes.front() : nodes.back();
  // Cells beyond the face have no width. They belong to no part and are never evaluated.
  struct Middle {
    double at;
    bool exists;
  };
  std::array<std::vector<Middle>, 3> middle;
  middle[across] = {{place_[across], true}};
  for (const std::size_t e : along_) {
    const Axis& axis_along = block.axes[e];
    --cells_.first[e];
    for (int c = cells_.first[e]; c < cells_.last[e]; ++c)
      middle[e].push_back({axis_along.point_in_cell(c, 0.5), axis_along.width(c) > 0});
    at_[e] = node_coordinates(axis_along);
    for (int i = 0; i < axis_along.size(); ++i) sides_[e].push_back(poisson::parts_of(axis_along, i, true));
  }
  const std::vector<FacePart>& parts = parts_of(face_);
  Points row;
  for (const Middle& z : middle[2])
    for (const Middle& y : middle[1]) {
      const auto exists = [&](const Middle& x) { return x.exists && y.exists && z.exists; };
      row.clear();
      for (const Middle& x : middle[0])
        if (exists(x)) row.add({x.at, y.at, z.at});
      const std::vector<int> first = first_part(parts, row.x, row.y, row.z);
      auto next = first.begin();
      for (const Middle& x : middle[0]) part_.push_back(exists(x) ? *next++ : -1);
    }
  held_.resize(static_cast<std::size_t>(nodes_.size()));
  for_each_place(cells_, [&](int i, int j, int k) {
    const int part = part_of({i, j, k});
    if (part >= 0 && parts[static_cast<std::size_t>(part)].boundary.kind == BoundaryKind::dirichlet)
      for_each_node_of({i, j, k}, [&](std::size_t node, double, int, int) { held_[node] = true; });
  });
}

// Visits the cells that contain a part of a node's area, except cells without a condition. Calls f(for each axis of the
// face whether the cell is above the node, the area of the node within the cell, the number of the cell's part).
template <class F>
void MixedBcFace::for_each_cell_at(const std::array<int, 3>& node, const F& f) const {
  const auto [a, b] = along_;
  for (const int above_b : {0, 1})
    for (const int above_a : {0, 1}) {
      const double area = side(node, b, above_b).length * side(node, a, above_a).length;
      if (area == 0) continue;
      std::array<int, 3> cell = node;
      cell[a] += above_a - 1;
      cell[b] += above_b - 1;
      if (const int part = part_of(cell); part >= 0)
        f(std::array{above_a, above_b}, area, static_cast<std::size_t>(part));
    }
}

// Visits the local nodes that have an area in a cell. Calls f(number, area, the corner of the cell along each axis of
// the face).
template <class F>
void MixedBcFace::for_each_node_of(const std::array<int, 3>& cell, const F& f) const {
  const auto [a, b] = along_;
  for (const int corner_b : {0, 1})
    for (const int corner_a : {0, 1}) {
      std::array<int, 3> node = cell;
      node[a] += corner_a;
      node[b] += corner_b;
      if (!contains(nodes_, node)) continue;
      const double area = side(node, b, 1 - corner_b).length * side(node, a, 1 - corner_a).length;
      if (area != 0) f(number_of(node), area, corner_a, corner_b);
    }
}

// Sums data or α of the parts for which wanted(boundary) is true, by node. Calls collect(place, number of the part,
// points) for all places of a box of nodes or cells, row by row.
template <class Wanted, class Collect>
std::vector<double> MixedBcFace::summed(const Box& box, bool alpha, const Wanted& wanted,
                                        const Collect& collect) const {
  const std::vector<FacePart>& parts = parts_of(face_);
  std::vector<double> sum(held_.size()), values;
  Points points;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!wanted(parts[p].boundary)) continue;
    const Quantity& datum = alpha ? parts[p].boundary.alpha : parts[p].boundary.value;
    Box row = box;
    for (int i = box.first[along_[1]]; i < box.last[along_[1]]; ++i) {
      row.first[along_[1]] = i;
      row.last[along_[1]] = i + 1;
      points.clear();
      for_each_place(row, [&](int x, int y, int z) { collect(std::array{x, y, z}, p, points); });
      values.resize(points.x.size());
      if (values.empty()) continue;
      evaluate_at(points.x, points.y, points.z, datum, values);
      check(points, values, alpha);
      for (const auto& [node, point, weight] : points.terms) sum[node] += weight * values[point];
    }
  }
  return sum;
}

void MixedBcFace::check(const Points& points, const std::vector<double>& values, bool alpha) const {
  for (std::size_t v = 0; v < values.size(); ++v) {
    const bool finite = std::isfinite(values[v]);
    if (!finite || (alpha && values[v] < 0))
      throw ValueError(
          "boundary." + std::string(face_names[2 * static_cast<std::size_t>(axis_) + static_cast<std::size_t>(end_)]) +
              (alpha ? ".alpha" : ""),
          {points.x[v], points.y[v], points.z[v]}, values[v],
          finite ? "must not be negative" : "must be finite on the whole grid");
  }
}

std::vector<double> MixedBcFace::given() const {
  std::vector<double> count(held_.size());  // counts cells with data
  std::vector<double> sum = summed(
      nodes_, false, [](const Boundary& part) { return part.kind == BoundaryKind::dirichlet; },
      [&](const std::array<int, 3>& node, std::size_t own, Points& points) {
        const std::size_t number = number_of(node);
        if (!held_[number]) return;
        double cells = 0;
        for_each_cell_at(node, [&](const auto&, double, std::size_t part) { cells += part == own ? 1 : 0; });
        if (cells == 0) return;
        std::array<double, 3> at = place_;
        for (const std::size_t e : along_) at[e] = at_[e][static_cast<std::size_t>(node[e])];
        points.add(at);
        points.weigh(number, cells);
        count[number] += cells;
      });
  for (std::size_t n = 0; n < sum.size(); ++n)
    if (count[n] > 0) sum[n] /= count[n];
  return sum;
}

namespace {

// Returns whether a part has a flux that does not depend on u.
bool brings_flux(const Boundary& part) {
  const double* const given = part.value.constant();
  return part.kind != BoundaryKind::dirichlet && (!given || *given != 0);
}

}  // namespace

// The integrals evaluate each cell at the points of its nodes.
std::vector<double> MixedBcFace::flux_integrals() const {
  return integrals(false);
}
std::vector<double> MixedBcFace::alpha_integrals() const {
  return integrals(true);
}
std::vector<double> MixedBcFace::integrals(bool alpha) const {
  return summed(
      nodes_, alpha, [&](const Boundary& part) { return alpha ? part.kind == BoundaryKind::robin : brings_flux(part); },
      [&](const std::array<int, 3>& node, std::size_t own, Points& points) {
        const std::size_t number = number_of(node);
        if (held_[number]) return;
        for_each_cell_at(node, [&](const std::array<int, 2>& above, double area, std::size_t part) {
          if (part != own) return;
          std::array<double, 3> at = place_;
          for (std::size_t d = 0; d < 2; ++d) at[along_[d]] = side(node, along_[d], above[d]).at;
          points.add(at);
          points.weigh(number, area);
        });
      });
}

// Evaluates all corners of each cell, with the products of hat functions as weights (∫φφ′ is 1/3 and 1/6 of a length).
std::vector<double> MixedBcFace::flux_against_hats() const {
  const auto [a, b] = along_;
  const auto corners = [&](std::size_t e) { return block_.axes[e].degenerate() ? 1 : 2; };
  std::array<std::vector<std::array<double, 2>>, 3> corner_at;
  for (const std::size_t e : along_)
    for (int c = cells_.first[e]; c < cells_.last[e]; ++c)
      corner_at[e].push_back({corner_coordinate(block_.axes[e], c, 0), corner_coordinate(block_.axes[e], c, 1)});
  return summed(cells_, false, brings_flux, [&](const std::array<int, 3>& cell, std::size_t own, Points& points) {
    if (part_of(cell) != static_cast<int>(own)) return;
    struct Node {
      std::size_t number;
      double area;
      int corner_a, corner_b;
    };
    std::array<Node, 4> free;
    std::size_t count = 0;
    for_each_node_of(cell, [&](std::size_t number, double area, int corner_a, int corner_b) {
      if (!held_[number]) free[count++] = {number, area, corner_a, corner_b};
    });
    if (count == 0) return;
    const auto share = [&](std::size_t e, int of, int corner) {
      return corners(e) == 1 ? 1 : of == corner ? 2.0 / 3 : 1.0 / 3;
    };
    for (int corner_b = 0; corner_b < corners(b); ++corner_b)
      for (int corner_a = 0; corner_a < corners(a); ++corner_a) {
        std::array<double, 3> at = place_;
        at[a] = corner_at[a][static_cast<std::size_t>(cell[a] - cells_.first[a])][static_cast<std::size_t>(corner_a)];
        at[b] = corner_at[b][static_cast<std::size_t>(cell[b] - cells_.first[b])][static_cast<std::size_t>(corner_b)];
        points.add(at);
        for (std::size_t n = 0; n < count; ++n)
          points.weigh(free[n].number,
                       free[n].area * share(a, free[n].corner_a, corner_a) * share(b, free[n].corner_b, corner_b));
      }
  });
}

bool has_mixed_bc(const Problem& problem) {
  bool found = false;
  for_each_face(problem, [&](int, int, const Boundary& face) { found = found || face.mixed_bc; });
  return found && problem.centering == Centering::node;
}

bool needs_stored_bands(const Problem& problem) {
  return on_elements(problem.scheme) && has_mixed_bc(problem);
}

std::vector<MixedBcFace> mixed_bc_faces(const Problem& problem, const Block& block) {
  std::vector<MixedBcFace> faces;
  if (problem.centering == Centering::node)
    for_each_face(problem, [&](int axis, int end, const Boundary& face) {
      if (face.mixed_bc) faces.emplace_back(problem, block, axis, end);
    });
  return faces;
}

}  // namespace poisson
