#pragma once

#include "tests/oracles/reference.hpp"

/// This oracle computes cell-centred finite volumes in plain loops in extended precision.
namespace poisson::reference {

/// Numbers the cells of a problem, x fastest; in two dimensions z has one cell.
struct CellGrid {
  int dimension;
  std::array<std::vector<double>, 3> nodes;
  std::array<std::array<BoundaryKind, 2>, 3> kind{};
  Index size{1, 1, 1};

  explicit CellGrid(const Problem& p) : dimension(p.dimension), nodes(p.nodes) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      kind[d] = {p.boundary[d][0].kind, p.boundary[d][1].kind};
      size[d] = static_cast<int>(nodes[d].size()) - 1;
    }
  }
  bool periodic(std::size_t d) const { return kind[d][0] == BoundaryKind::periodic; }
  std::size_t count() const { return static_cast<std::size_t>(size[0]) * size[1] * size[2]; }
  std::size_t number(Index at) const {
    return (static_cast<std::size_t>(at[2]) * size[1] + static_cast<std::size_t>(at[1])) * size[0] +
           static_cast<std::size_t>(at[0]);
  }
  Index index(std::size_t number) const {
    const auto i = static_cast<int>(number);
    return {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
  }
  Real width(std::size_t d, Index at) const {
    if (d >= static_cast<std::size_t>(dimension)) return 1;
    const auto i = static_cast<std::size_t>(at[d]);
    return Real{nodes[d][i + 1]} - Real{nodes[d][i]};
  }
  std::array<double, 3> centre(Index at) const {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      const auto i = static_cast<std::size_t>(at[d]);
      x[d] = 0.5 * (nodes[d][i] + nodes[d][i + 1]);
    }
    return x;
  }
};

/// Stores the rows of cells, Σ_n coupling (u − u_n) + reaction u + Σ_faces coupling (u − data) = rhs, multiplied by a
/// scale.
struct CellSystem : System {
  Vector rhs;
};

/// Assembles the rows. The resistances between two centres, or between a centre and a face, are in series: Σ length/κ
/// of the half cells, and 1/α.
inline CellSystem assemble_cells(const Problem& p, Real scale = 1) {
  CellSystem s{{Grid(p), {}, {}, {}, {}}, {}};
  const CellGrid g(p);
  s.neighbours.resize(g.count());
  s.unknown.assign(g.count(), true);
  for (std::size_t i = 0; i < g.count(); ++i) {
    const Index at = g.index(i);
    Real volume = 1;
    for (std::size_t d = 0; d < 3; ++d) volume *= g.width(d, at);
    const Real reaction = volume * evaluate(p.reaction, g.centre(at), at);
    Real diagonal = reaction, data = 0, rhs = volume * evaluate(p.source, g.centre(at), at);
    for (std::size_t d = 0; d < static_cast<std::size_t>(g.dimension); ++d)
      for (std::size_t end = 0; end < 2; ++end) {
        const Real area = volume / g.width(d, at);
        const auto half = [&](Index cell) {
          return g.width(d, cell) / 2 / evaluate(p.coefficient[p.isotropic ? 0 : d], g.centre(cell), cell);
        };
        const bool at_end = at[d] == (end == 0 ? 0 : g.size[d] - 1);
        if (!at_end || g.periodic(d)) {
          Index next = at;
          next[d] = (at[d] + (end == 0 ? g.size[d] - 1 : 1)) % g.size[d];
          const Real coupling = area / (half(at) + half(next));
          s.add(i, g.number(next), -scale * coupling);
          diagonal += coupling;
          continue;
        }
        const Boundary& face = p.boundary[d][end];
        std::array<double, 3> point = g.centre(at);
        point[d] = end == 0 ? g.nodes[d].front() : g.nodes[d].back();
        const Real value = evaluate(face.value, point, at);
        if (face.kind == BoundaryKind::neumann) rhs += area * value;
        if (face.kind == BoundaryKind::dirichlet) {
          diagonal += area / half(at);
          data += area / half(at) * value;
        }
        if (face.kind == BoundaryKind::robin) {
          const Real alpha = evaluate(face.alpha, point, at);
          if (alpha == 0) {
            rhs += area * value;
          } else {  // towards g/α
            diagonal += area / (1 / alpha + half(at));
            data += area / (1 / alpha + half(at)) * value / alpha;
          }
        }
      }
    s.diagonal.push_back(scale * diagonal);
    s.data.push_back(scale * data);
    s.rhs.push_back(scale * rhs);
    s.mass.push_back(volume);
  }
  return s;
}

/// Returns prolongation along one axis of cells. It is linear between the centres around a fine centre, decreases to
/// zero at Dirichlet faces, and is constant towards other faces.
inline Dense cell_prolongation(const std::vector<double>& fine, const std::vector<double>& coarse,
                               const std::array<BoundaryKind, 2>& kind, bool constant) {
  const std::size_t rows = fine.size() - 1, columns = coarse.size() - 1;
  const auto centre = [](const std::vector<double>& x, std::size_t i) { return (Real{x[i]} + Real{x[i + 1]}) / 2; };
  const Real period = Real{coarse.back()} - Real{coarse.front()};
  Dense P(rows, std::vector<Real>(columns, 0));
  for (std::size_t i = 0; i < rows; ++i) {
    const Real x = centre(fine, i);
    std::size_t parent = 0;
    while (Real{coarse[parent + 1]} <= x) ++parent;
    const Real own = centre(coarse, parent);
    const bool same = fine[i] == coarse[parent] && fine[i + 1] == coarse[parent + 1];
    if (constant || same) {
      P[i][parent] = 1;
      continue;
    }
    const bool below = x < own;
    if ((below ? parent > 0 : parent + 1 < columns) || kind[0] == BoundaryKind::periodic) {
      const std::size_t other = (parent + (below ? columns - 1 : 1)) % columns;
      Real there = centre(coarse, other);
      if (below && there > own) there -= period;
      if (!below && there < own) there += period;
      P[i][parent] += (there - x) / (there - own);
      P[i][other] += (x - own) / (there - own);
    } else if (kind[below ? 0 : 1] == BoundaryKind::dirichlet) {
      const Real face = below ? coarse.front() : coarse.back();
      P[i][parent] = (face - x) / (face - own);
    } else {
      P[i][parent] = 1;
    }
  }
  return P;
}

}  // namespace poisson::reference
