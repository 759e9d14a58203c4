#include "grids/sampling/parted_face.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/places.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

// Where a cell of the face meets one of its nodes.
struct PartedFace::Point {
  std::size_t node;
  const Boundary* part;  // that the cell belongs to
  double area;           // of the node within the cell: what a value there weighs
  std::array<int, 3> cell, node_at;
  std::array<double, 3> at;
};

PartedFace::PartedFace(const Problem& problem, const Block& block, int axis, int end)
    : block_(block),
      axis_(axis),
      end_(end),
      face_(boundary(problem, axis, end)),
      nodes_(face_box(block, axis, end)),
      cells_(nodes_) {
  const auto across = static_cast<std::size_t>(axis);
  if (nodes_.size() == 0) return;
  for (std::size_t e = 0; e < 3; ++e)
    if (e != across) --cells_.first[e];
  const auto& nodes = block.axes[across].nodes();
  std::array<std::vector<double>, 3> centres;
  for_each_place(cells_, [&](int i, int j, int k) {
    const std::array at{i, j, k};
    for (std::size_t e = 0; e < 3; ++e)
      centres[e].push_back(e != across ? block.axes[e].point_in_cell(at[e], 0.5)
                           : end == 0  ? nodes.front()
                                       : nodes.back());
  });
  part_ = first_part(parts_of(face_), centres[0], centres[1], centres[2]);
  for (std::size_t e = 0; e < 3; ++e) {
    at_[e] = node_coordinates(block.axes[e]);
    for (int i = 0; i < block.axes[e].size(); ++i)
      sides_[e].push_back(e == across ? std::array{Part{0, 0}, Part{at_[e][static_cast<std::size_t>(i)], 1}}
                                      : poisson::parts_of(block.axes[e], i, true));
  }
  const std::vector<FacePart>& parts = parts_of(face_);
  for_each_place(nodes_, [&](int i, int j, int k) {
    bool held = false;
    for_each_cell_at({i, j, k}, [&](unsigned, double, std::size_t part) {
      held = held || parts[part].boundary.kind == BoundaryKind::dirichlet;
    });
    held_.push_back(held);
  });
}

// A face's nodes in pieces, rows of them in three dimensions.
template <class F>
void PartedFace::for_each_row(const F& f) const {
  const std::size_t e = axis_ == 2 ? 1 : 2;
  Box row = nodes_;
  for (int i = nodes_.first[e]; i < nodes_.last[e]; ++i) {
    row.first[e] = i;
    row.last[e] = i + 1;
    f(row);
  }
}

std::size_t PartedFace::number_of(const std::array<int, 3>& node) const {
  std::int64_t number = 0;
  for (std::size_t d = 3; d-- > 0;) number = number * (nodes_.last[d] - nodes_.first[d]) + node[d] - nodes_.first[d];
  return static_cast<std::size_t>(number);
}

bool PartedFace::holds(int i, int j, int k) const {
  return contains(nodes_, {i, j, k}) && held_[number_of({i, j, k})];
}

// The cells that a node has a part of, but for those that let nothing through: f(which of the cells below and above
// along each axis, by bits; the area of the node within it; the number of its part).
template <class F>
void PartedFace::for_each_cell_at(const std::array<int, 3>& node, const F& f) const {
  for (unsigned c = 0; c < 8; ++c) {
    double area = 1;
    std::int64_t cell = 0;
    for (std::size_t e = 3; e-- > 0 && area != 0;) {
      const unsigned upper = c >> e & 1U;
      area *= sides_[e][static_cast<std::size_t>(node[e])][upper].length;
      const int at = static_cast<int>(e) != axis_ ? node[e] - 1 + static_cast<int>(upper) : node[e];
      cell = cell * (cells_.last[e] - cells_.first[e]) + at - cells_.first[e];
    }
    if (area == 0) continue;
    if (const int part = part_[static_cast<std::size_t>(cell)]; part >= 0) f(c, area, static_cast<std::size_t>(part));
  }
}

// Nodes one after another, and of their cells those that are wanted(number of the node, what the cell belongs to).
// Dirichlet parts are asked at the node, the others as the cell beside it sees it.
template <class Wanted>
std::vector<PartedFace::Point> PartedFace::corners(const Box& nodes, const Wanted& wanted) const {
  const std::vector<FacePart>& parts = parts_of(face_);
  std::vector<Point> all;
  for_each_place(nodes, [&](int i, int j, int k) {
    const std::array node{i, j, k};
    const std::size_t number = number_of(node);
    for_each_cell_at(node, [&](unsigned c, double area, std::size_t p) {
      const Boundary& part = parts[p].boundary;
      if (!wanted(number, part)) return;
      Point corner{number, &part, area, node, node, {}};
      for (std::size_t e = 0; e < 3; ++e) {
        const std::size_t n = static_cast<std::size_t>(node[e]), upper = c >> e & 1U;
        if (static_cast<int>(e) != axis_) corner.cell[e] = node[e] - 1 + static_cast<int>(upper);
        corner.at[e] = part.kind == BoundaryKind::dirichlet ? at_[e][n] : sides_[e][n][upper].at;
      }
      all.push_back(corner);
    });
  });
  return all;
}

// All corners of each cell, which weigh what hat functions have in common (∫φφ′ is a third and a sixth of a length).
std::vector<PartedFace::Point> PartedFace::of_whole_cells(const std::vector<Point>& corners) const {
  std::vector<Point> all;
  for (const Point& own : corners) {
    for (int c = 0; c < 8; ++c) {
      Point corner = own;
      bool exists = true;
      for (std::size_t e = 0; e < 3 && exists; ++e) {
        const bool along = static_cast<int>(e) != axis_ && !block_.axes[e].degenerate();
        const int upper = c >> e & 1;
        if (!along && upper == 1) exists = false;
        if (!along) continue;
        corner.area *= own.cell[e] + upper == own.node_at[e] ? 2.0 / 3 : 1.0 / 3;
        corner.at[e] = corner_coordinate(block_.axes[e], own.cell[e], upper);
      }
      if (exists) all.push_back(corner);
    }
  }
  return all;
}

// α, or what a part's face is given, part by part.
std::vector<double> PartedFace::evaluated(const std::vector<Point>& points, bool alpha) const {
  std::vector<double> all(points.size());
  for (const FacePart& part : parts_of(face_)) {
    std::vector<std::size_t> which;
    std::array<std::vector<double>, 3> at;
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (points[p].part != &part.boundary) continue;
      which.push_back(p);
      for (std::size_t d = 0; d < 3; ++d) at[d].push_back(points[p].at[d]);
    }
    if (which.empty()) continue;
    std::vector<double> values(which.size());
    evaluate_at(at[0], at[1], at[2], alpha ? part.boundary.alpha : part.boundary.value, values);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const bool finite = std::isfinite(values[v]);
      if (!finite || (alpha && values[v] < 0))
        throw ValueError(
            "boundary." +
                std::string(face_names[2 * static_cast<std::size_t>(axis_) + static_cast<std::size_t>(end_)]) +
                (alpha ? ".alpha" : ""),
            {at[0][v], at[1][v], at[2][v]}, values[v],
            finite ? "must not be negative" : "must be finite on the whole grid");
      all[which[v]] = values[v];
    }
  }
  return all;
}

std::vector<double> PartedFace::given() const {
  std::vector<double> sum(held_.size()), count(held_.size());
  for_each_row([&](const Box& row) {
    const std::vector<Point> held =
        corners(row, [](std::size_t, const Boundary& part) { return part.kind == BoundaryKind::dirichlet; });
    const std::vector<double> values = evaluated(held, false);
    for (std::size_t c = 0; c < held.size(); ++c) {
      sum[held[c].node] += values[c];
      ++count[held[c].node];
    }
  });
  for (std::size_t n = 0; n < sum.size(); ++n)
    if (count[n] > 0) sum[n] /= count[n];
  return sum;
}

std::vector<double> PartedFace::integrals(bool against_hats, bool alpha) const {
  std::vector<double> sum(held_.size());
  for_each_row([&](const Box& row) {
    std::vector<Point> free = corners(row, [&](std::size_t node, const Boundary& part) {
      const double* const given = part.value.constant();
      return !held_[node] && (alpha ? part.kind == BoundaryKind::robin : !given || *given != 0);
    });
    if (against_hats) free = of_whole_cells(free);
    const std::vector<double> values = evaluated(free, alpha);
    for (std::size_t c = 0; c < free.size(); ++c) sum[free[c].node] += free[c].area * values[c];
  });
  return sum;
}

std::vector<double> PartedFace::flux_integrals() const {
  return integrals(false, false);
}
std::vector<double> PartedFace::alpha_integrals() const {
  return integrals(false, true);
}
std::vector<double> PartedFace::flux_against_hats() const {
  return integrals(true, false);
}

bool has_parted_faces(const Problem& problem) {
  bool found = false;
  for_each_face(problem, [&](int, int, const Boundary& face) { found = found || face.mixed; });
  return found && problem.centering == Centering::node;
}

std::vector<PartedFace> parted_faces(const Problem& problem, const Block& block) {
  std::vector<PartedFace> faces;
  if (problem.centering == Centering::node)
    for_each_face(problem, [&](int axis, int end, const Boundary& face) {
      if (face.mixed) faces.emplace_back(problem, block, axis, end);
    });
  return faces;
}

}  // namespace poisson
