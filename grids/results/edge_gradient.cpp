#include "grids/results/edge_gradient.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "grids/results/edge_patch.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

using Index = std::array<int, 3>;
using Vector = std::array<double, 3>;

/// Names an end of an axis, and the face there.
struct End {
  std::size_t axis;
  int end;
};

double scaled(double angle) {
  return 2 / std::numbers::pi * angle;
}

// Within this number of cells from the faces, the discrete error near edges and corners differs from the continuous
// one.
constexpr int near_edges = 12, near_corners = 8;

// Returns 2/π atan(X_q/X_p), which is 1 on the face across p and 0 on the face across q. add_edge adds its gradient.
double edge_value(double p, double q) {
  return scaled(std::atan2(q, p));
}
void add_edge(double factor, const Vector& X, std::size_t p, std::size_t q, Vector& to) {
  const double square = X[p] * X[p] + X[q] * X[q];
  to[p] -= scaled(factor * X[q] / square);
  to[q] += scaled(factor * X[p] / square);
}

// Returns 2/π atan(X_q X_r/(X_p R)), which is 1 on the face across p and 0 on the others. add_corner adds its gradient.
double corner_value(const Vector& X, std::size_t p) {
  const double q = X[(p + 1) % 3], r = X[(p + 2) % 3];
  return scaled(std::atan2(q * r, X[p] * std::hypot(X[p], q, r)));
}
void add_corner(double factor, const Vector& X, std::size_t p, Vector& to) {
  const std::size_t q = (p + 1) % 3, r = (p + 2) % 3;
  const double pp = X[p] * X[p], pq = pp + X[q] * X[q], pr = pp + X[r] * X[r], square = pr + X[q] * X[q];
  const double R = std::sqrt(square);
  to[p] -= scaled(factor * X[q] * X[r] * (square + pp) / (R * pq * pr));
  to[q] += scaled(factor * X[p] * X[r] / (R * pq));
  to[r] += scaled(factor * X[p] * X[q] / (R * pr));
}

class Edges {
 public:
  Edges(const Problem& problem, const Block& block)
      : problem_(problem), block_(block), whole_(block.global()), n_(whole_.layout().n) {
    for (std::size_t d = 0; d < 3; ++d) {
      own_.first[d] = block.axes[d].origin();
      own_.last[d] = own_.first[d] + block.axes[d].size();
    }
    for_each_face(problem, [&](int d, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::dirichlet || face.value.constant()) return;
      data_[{d, end}] =
          sample(face.value, face_key(d, end), Sign::any, {block}, Location::cell, face_box(block, d, end));
    });
  }

  void correct(std::vector<double>& gradient) {
    const auto dimension = static_cast<std::size_t>(problem_.dimension);
    for (std::size_t p = 0; p < dimension; ++p)
      for (std::size_t q = p + 1; q < dimension; ++q)
        for (const int at_p : {0, 1})
          for (const int at_q : {0, 1}) edge({p, at_p}, {q, at_q}, gradient);
    if (dimension < 3) return;
    for (int corner_number = 0; corner_number < 8; ++corner_number)
      corner({corner_number & 1, corner_number >> 1 & 1, corner_number >> 2 & 1}, gradient);
  }

 private:
  bool constrained(const End& e) const {
    return boundary(problem_, static_cast<int>(e.axis), e.end).kind == BoundaryKind::dirichlet;
  }
  int outermost(const End& e) const { return e.end == 0 ? 0 : n_[e.axis] - 1; }
  // Returns true if this process owns the cells at all these ends.
  bool here(const std::vector<End>& ends) const {
    return std::ranges::all_of(ends, [&](const End& e) { return block_.axes[e.axis].open(e.end); });
  }

  double kappa_at(std::size_t d, const Index& cell) { return kappa(d)[number(cell)]; }
  // Returns the index of a cell among the cells of this process.
  std::size_t number(const Index& cell) const {
    std::size_t at = 0;
    for (std::size_t d = 3; d-- > 0;)
      at = at * static_cast<std::size_t>(own_.last[d] - own_.first[d]) +
           static_cast<std::size_t>(cell[d] - own_.first[d]);
    return at;
  }
  // Returns the index of the cell that is `i` cells from an end.
  int inwards(const End& e, int i) const { return e.end == 0 ? i : n_[e.axis] - 1 - i; }

  // Returns the offset of u that the half cells behind `face` cause on its edge with the face `other`: −h²/8 u″ − h²/4
  // κ′u′/κ. `at` gives the cell along the edge. It uses the smaller of two second differences, because data may jump.
  double offset(const End& face, const End& other, Index at) {
    const Axis& axis = whole_.axes[face.axis];
    const auto found = data_.find({static_cast<int>(other.axis), other.end});
    if (found == data_.end() || axis.cells() < 4) return 0;
    std::array<double, 4> x{}, g{};
    Index n{}, in_part{};
    for (std::size_t d = 0; d < 3; ++d) n[d] = d == other.axis ? 1 : own_.last[d] - own_.first[d];
    for (int i = 0; i < 4; ++i) {
      at[face.axis] = inwards(face, i);
      for (std::size_t d = 0; d < 3; ++d) in_part[d] = d == other.axis ? 0 : at[d] - own_.first[d];
      x[static_cast<std::size_t>(i)] = axis.point(at[face.axis]);
      g[static_cast<std::size_t>(i)] =
          found->second[static_cast<std::size_t>((in_part[2] * n[1] + in_part[1]) * n[0] + in_part[0])];
    }
    const auto slope = [&](std::size_t i) { return (g[i + 1] - g[i]) / (x[i + 1] - x[i]); };
    const auto second = [&](std::size_t i) { return 2 * (slope(i + 1) - slope(i)) / (x[i + 2] - x[i]); };
    const double h = axis.width(outermost(face)), first = second(0), next = second(1);
    double off = first * next > 0 ? -h * h / 8 * (std::abs(first) < std::abs(next) ? first : next) : 0;
    at[face.axis] = outermost(face);
    at[other.axis] = outermost(other);
    const double here = kappa_at(face.axis, at);
    at[face.axis] = inwards(face, 1);
    const double there = kappa_at(face.axis, at);
    if (alike(here, there)) off -= h * h / 4 * (there / here - 1) / (x[1] - x[0]) * slope(0);
    return off;
  }

  static bool alike(double a, double b) { return a < 2 * b && b < 2 * a; }

  // Returns κ in the cell where these faces meet, along the axis across each face.
  Vector kappas(const std::vector<End>& faces, Index at) {
    for (const End& face : faces) at[face.axis] = outermost(face);
    Vector found{1, 1, 1};
    for (const End& face : faces) found[face.axis] = kappa_at(face.axis, at);
    return found;
  }
  static Vector roots(const Vector& kappa) { return {std::sqrt(kappa[0]), std::sqrt(kappa[1]), std::sqrt(kappa[2])}; }

  // Broadcasts the values of the processes at these ends. Without `along`, every process receives them. With `along`, a
  // process receives those for its own range of cells along that axis, one for each cell.
  template <class Value>
  void share(const std::vector<End>& ends, std::optional<std::size_t> along, std::vector<Value>& values) const {
    if (!block_.share) return;
    const Cuts& cuts = block_.share->cuts;
    std::vector<Value> of_other;
    for (int p = 0; p < cuts.patches(); ++p) {
      const std::array<int, 3> place = cuts.place(p);
      if (!std::ranges::all_of(
              ends, [&](const End& e) { return place[e.axis] == (e.end == 0 ? 0 : cuts.count(e.axis) - 1); }))
        continue;
      const Box patch = cuts.patch(p);
      const bool own = !along || patch.first[*along] == own_.first[*along];
      of_other.resize(along ? static_cast<std::size_t>(patch.last[*along] - patch.first[*along]) : values.size());
      Value* const data = own ? values.data() : of_other.data();
      block_.processes().broadcast(data, of_other.size() * sizeof(Value), p);
    }
  }

  EdgePatch patch(const std::vector<End>& faces, const Vector& root, const std::vector<double>& values, int cells,
                  const std::function<double(const Vector&)>& beyond) const {
    std::vector<std::vector<double>> widths;
    for (const End& face : faces) {
      widths.emplace_back();
      for (int i = 0; i <= std::min(cells, n_[face.axis] / 2); ++i)
        widths.back().push_back(whole_.axes[face.axis].width(inwards(face, i)) / root[face.axis]);
    }
    return {widths, values, beyond};
  }
  EdgePatch edge_patch(const End& p, const End& q, const Vector& root) const {
    return patch({p, q}, root, {1, 0}, near_edges, [](const Vector& X) { return edge_value(X[0], X[1]); });
  }
  // Adds the gradient of a patch in a cell near the edge; `from_faces` counts cells from the faces.
  static void add_patch(const EdgePatch& patch, const Index& from_faces, double factor, const End& p, const End& q,
                        Vector& to) {
    const Vector& gradient = patch.gradient({from_faces[p.axis], from_faces[q.axis], 0});
    to[p.axis] += factor * gradient[0];
    to[q.axis] += factor * gradient[1];
  }

  void edge(const End& p, const End& q, std::vector<double>& gradient) {
    if (!constrained(p) || !constrained(q)) return;
    struct Station {
      double jump = 0;
      Vector kappa{1, 1, 1};
    };
    const std::size_t along = 3 - p.axis - q.axis;
    const int begin = own_.first[along];
    std::vector<Station> stations(static_cast<std::size_t>(own_.last[along] - begin));
    if (here({p, q})) {
      Index at{};
      for (at[along] = begin; at[along] < own_.last[along]; ++at[along])
        stations[static_cast<std::size_t>(at[along] - begin)] = {offset(p, q, at) - offset(q, p, at),
                                                                 kappas({p, q}, at)};
    }
    share({p, q}, along, stations);
    if (std::ranges::all_of(stations, [](const Station& s) { return s.jump == 0; })) return;
    const Box near = near_faces({p, q});
    if (near.size() == 0) return;
    std::vector<std::shared_ptr<const EdgePatch>> patches;
    Vector before{};
    for (const Station& s : stations) {
      patches.push_back(s.kappa == before ? patches.back()
                                          : std::make_shared<const EdgePatch>(edge_patch(p, q, roots(s.kappa))));
      before = s.kappa;
    }
    const auto number_of = [&](const Index& cell) { return static_cast<std::size_t>(cell[along] - begin); };
    for_each_cell(
        {p, q}, near, [&](const Index& cell) { return stations[number_of(cell)].kappa; }, gradient,
        [&](const Index& cell, const Index& from_faces, const Vector& X, Vector& error) {
          const std::size_t m = number_of(cell);
          if (patches[m]->holds({from_faces[p.axis], from_faces[q.axis], 0}))
            add_patch(*patches[m], from_faces, stations[m].jump, p, q, error);
          else
            add_edge(stations[m].jump, X, p.axis, q.axis, error);
        });
  }

  // Subtracts the part of a corner's error that its edges do not contain.
  void corner(const Index& ends, std::vector<double>& gradient) {
    std::vector<End> faces;
    Index at{};
    for (std::size_t d = 0; d < 3; ++d) {
      faces.push_back({d, ends[d]});
      at[d] = outermost(faces.back());
      if (!constrained(faces.back())) return;
    }
    std::vector<Vector> found(2);  // offsets of the faces, and κ
    Vector &off = found[0], &kappa = found[1];
    if (here(faces)) {
      for (std::size_t d = 0; d < 3; ++d)
        off[d] = 0.5 * (offset(faces[d], faces[(d + 1) % 3], at) + offset(faces[d], faces[(d + 2) % 3], at));
      kappa = kappas(faces, at);
    }
    share(faces, {}, found);
    const Box near = near_faces(faces);
    if (off == Vector{} || near.size() == 0) return;
    const Vector root = roots(kappa);
    const EdgePatch all = patch(faces, root, {off.begin(), off.end()}, near_corners, [&](const Vector& X) {
      return off[0] * corner_value(X, 0) + off[1] * corner_value(X, 1) + off[2] * corner_value(X, 2);
    });
    std::vector<EdgePatch> edges;
    for (std::size_t d = 0; d < 3; ++d) edges.push_back(edge_patch(faces[d], faces[(d + 1) % 3], root));
    for_each_cell(
        faces, near, [&](const Index&) { return kappa; }, gradient,
        [&](const Index&, const Index& from_faces, const Vector& X, Vector& error) {
          if (all.holds(from_faces)) {
            error = all.gradient(from_faces);
            for (std::size_t d = 0; d < 3; ++d)
              add_patch(edges[d], from_faces, off[(d + 1) % 3] - off[d], faces[d], faces[(d + 1) % 3], error);
            return;
          }
          for (std::size_t d = 0; d < 3; ++d) {
            add_corner(off[d], X, d, error);
            add_edge(off[(d + 1) % 3] - off[d], X, d, (d + 1) % 3, error);
          }
        });
  }

  const std::vector<double>& kappa(std::size_t d) {
    std::vector<double>& values = kappa_[problem_.isotropic ? 0 : d];
    if (values.empty())
      values =
          sample(problem_.coefficient[problem_.isotropic ? 0 : d], coefficient_key(problem_, d),
                 problem_.media ? Sign::nonnegative : Sign::positive, {block_}, Location::cell, block_.layout().box());
    return values;
  }

  // Returns the cells of this process within half of the box from the faces.
  Box near_faces(const std::vector<End>& faces) const {
    Box near = own_;
    for (const End& face : faces) {
      const auto& nodes = whole_.axes[face.axis].nodes();
      const double half = 0.5 * (nodes.front() + nodes.back());
      const auto middle = static_cast<int>(std::ranges::lower_bound(nodes, half) - nodes.begin());
      int& first = near.first[face.axis];
      int& last = near.last[face.axis];
      (face.end == 0 ? last : first) = face.end == 0 ? std::min(last, middle) : std::max(first, middle - 1);
    }
    return near;
  }

  // Subtracts an error from the gradient in cells near an edge or a corner. Skips cells whose κ differs by a factor of
  // 2 or more from κ at the faces, `beside(cell)`.
  // add_error computes the error from the cell, its index from each face, and its distances from the faces over √κ.
  template <class Beside, class F>
  void for_each_cell(const std::vector<End>& faces, const Box& near, const Beside& beside,
                     std::vector<double>& gradient, const F& add_error) {
    const auto dimension = static_cast<std::size_t>(problem_.dimension);
    std::array<const std::vector<double>*, 3> kappa_of{};
    for (std::size_t d = 0; d < dimension; ++d) kappa_of[d] = &kappa(d);
    cpu::for_each_line(near, cpu::heavy_threshold, [&](int j, int k) {
      for (int i = near.first[0]; i < near.last[0]; ++i) {
        const Index cell{i, j, k};
        const Vector at_faces = beside(cell);
        Index from_faces{};
        Vector X{}, root{1, 1, 1}, error{};
        double farthest = 0, least_length = std::numeric_limits<double>::infinity();
        bool same = true;
        for (const End& face : faces) {
          const Axis& axis = whole_.axes[face.axis];
          const auto& nodes = axis.nodes();
          const double at_face = at_faces[face.axis];
          from_faces[face.axis] = inwards(face, cell[face.axis]);
          same = same && alike((*kappa_of[face.axis])[number(cell)], at_face);
          root[face.axis] = std::sqrt(at_face);
          X[face.axis] =
              std::abs(axis.point(cell[face.axis]) - (face.end == 0 ? nodes.front() : nodes.back())) / root[face.axis];
          farthest = std::max(farthest, X[face.axis]);
          least_length = std::min(least_length, (nodes.back() - nodes.front()) / root[face.axis]);
        }
        // The correction is full up to a quarter of the box and zero from a half on, where h²/r is of order h².
        const double share_of_it = std::clamp(2 - 4 * farthest / least_length, 0.0, 1.0);
        if (!same || share_of_it == 0) continue;
        add_error(cell, from_faces, X, error);
        for (const End& face : faces)
          gradient[number(cell) * dimension + face.axis] -=
              (face.end == 0 ? share_of_it : -share_of_it) * error[face.axis] / root[face.axis];
      }
    });
  }

  const Problem& problem_;
  const Block& block_;
  const Block whole_;
  Index n_;                                                  // global cells
  Box own_;                                                  // global indices of own cells
  std::map<std::pair<int, int>, std::vector<double>> data_;  // Dirichlet data that vary
  std::array<std::vector<double>, 3> kappa_;
};

}  // namespace

void correct_edges(const Problem& problem, const Block& block, std::vector<double>& gradient) {
  Edges(problem, block).correct(gradient);
}

}  // namespace poisson
