#pragma once

#include "tests/oracles/reference.hpp"

/// This oracle computes bilinear and trilinear elements in plain loops: element matrices result from numerical
/// quadrature of the hat functions' gradients.
namespace poisson::reference {

/// Returns Gauss's two points on [0, 1], each with weight 1/2. They are exact for cubic polynomials, the highest degree
/// of products of two linear functions and their derivatives.
inline std::array<Real, 2> gauss_points() {
  const Real offset = std::sqrt(Real{3}) / 6;
  return {Real{0.5} - offset, Real{0.5} + offset};
}

/// Evaluates one end's hat function at t in [0, 1] of a cell.
inline Real hat(unsigned end, Real t) {
  return end == 0 ? 1 - t : t;
}
inline Real slope(unsigned end, Real h) {
  return (end == 0 ? -1 : 1) / h;
}

/// Returns whether cells at Neumann and Robin faces sample data at 5/12 of their width from the face: with a Robin
/// face, a full tensor, or a Neumann face with data.
inline bool leans_on_faces(const Problem& p) {
  bool leans = p.full_tensor;
  for (int d = 0; d < p.dimension; ++d)
    for (const Boundary& face : p.boundary[static_cast<std::size_t>(d)])
      leans = leans || face.kind == BoundaryKind::robin ||
              (face.kind == BoundaryKind::neumann && !(face.value.constant() && *face.value.constant() == 0));
  return leans;
}

/// Assembles ∫ ∇φ_p·κ∇φ_q + σ φ_p φ_q over every cell and ∫ α φ_p φ_q over Robin faces. κ, σ and α are sampled at or
/// next to the centres. All terms are multiplied by `scale`.
inline System assemble_elements(const Problem& p, double scale = 1) {
  System s{Grid(p), {}, {}, {}, {}};
  const Grid& g = s.grid;
  const auto dimension = static_cast<std::size_t>(g.dimension);
  s.neighbours.resize(g.count());
  s.diagonal.assign(g.count(), 0);
  s.mass.assign(g.count(), 0);
  for (std::size_t i = 0; i < g.count(); ++i) s.unknown.push_back(!g.dirichlet(g.index(i)));
  const unsigned corners = 1U << dimension;
  const std::array<Real, 2> gauss = gauss_points();
  const bool leans = leans_on_faces(p);

  for (int ck = 0; ck < g.cells[2]; ++ck)
    for (int cj = 0; cj < g.cells[1]; ++cj)
      for (int ci = 0; ci < g.cells[0]; ++ci) {
        const Index cell{ci, cj, ck};
        std::array<Real, 3> h{1, 1, 1};
        std::array<double, 3> centre{};
        Real volume = 1;
        for (std::size_t d = 0; d < dimension; ++d) {
          const auto at = static_cast<std::size_t>(cell[d]);
          h[d] = g.width(d, cell[d]);
          const auto open = [&](unsigned end) {
            return g.kind[d][end] == BoundaryKind::neumann || g.kind[d][end] == BoundaryKind::robin;
          };
          double t = 0.5;
          if (leans && cell[d] == 0 && open(0)) t -= 1.0 / 12;
          if (leans && cell[d] == g.cells[d] - 1 && open(1)) t += 1.0 / 12;
          centre[d] = g.nodes[d][at] + t * (g.nodes[d][at + 1] - g.nodes[d][at]);
          volume *= h[d];
        }
        const auto number = [&](unsigned corner) {
          Index at = cell;
          for (std::size_t d = 0; d < dimension; ++d) at[d] = (cell[d] + static_cast<int>(corner >> d & 1)) % g.size[d];
          return g.number(at);
        };
        // κ is a matrix; rows of unused axes are 0.
        std::array<std::array<Real, 3>, 3> kappa{};
        for (std::size_t d = 0; d < dimension; ++d)
          kappa[d][d] = evaluate(p.coefficient[p.isotropic ? 0 : d], centre, cell);
        if (p.full_tensor) {
          kappa[0][1] = kappa[1][0] = evaluate(p.offdiagonal[0], centre, cell);
          if (dimension == 3) {
            kappa[0][2] = kappa[2][0] = evaluate(p.offdiagonal[1], centre, cell);
            kappa[1][2] = kappa[2][1] = evaluate(p.offdiagonal[2], centre, cell);
          }
        }
        const Real sigma = evaluate(p.reaction, centre, cell);
        for (unsigned point = 0; point < corners; ++point) {
          std::array<Real, 3> t{};
          for (std::size_t d = 0; d < dimension; ++d) t[d] = gauss[point >> d & 1];
          const Real weight = volume / corners;
          const auto value = [&](unsigned corner) {
            Real product = 1;
            for (std::size_t d = 0; d < dimension; ++d) product *= hat(corner >> d & 1, t[d]);
            return product;
          };
          const auto gradient = [&](unsigned corner, std::size_t along) {
            Real product = slope(corner >> along & 1, h[along]);
            for (std::size_t d = 0; d < dimension; ++d)
              if (d != along) product *= hat(corner >> d & 1, t[d]);
            return product;
          };
          for (unsigned a = 0; a < corners; ++a) {
            s.mass[number(a)] += weight * value(a);
            for (unsigned b = 0; b < corners; ++b) {
              for (std::size_t d = 0; d < dimension; ++d)
                for (std::size_t e = 0; e < dimension; ++e)
                  if (kappa[d][e] != 0)
                    s.add(number(a), number(b), scale * weight * kappa[d][e] * gradient(a, d) * gradient(b, e));
              if (sigma != 0) s.add(number(a), number(b), scale * weight * sigma * value(a) * value(b));
            }
          }
        }
        for (std::size_t d = 0; d < dimension; ++d)
          for (unsigned end = 0; end < 2; ++end) {
            if (g.kind[d][end] != BoundaryKind::robin || cell[d] != (end == 0 ? 0 : g.cells[d] - 1)) continue;
            std::array<double, 3> on_face = centre;
            on_face[d] = end == 0 ? g.nodes[d].front() : g.nodes[d].back();
            const Real alpha = evaluate(p.boundary[d][end].alpha, on_face, cell), area = volume / h[d];
            for (unsigned point = 0; point < corners; ++point) {
              if ((point >> d & 1) != end) continue;
              const auto value = [&](unsigned corner) {
                Real product = (corner >> d & 1) == end ? 1 : 0;
                for (std::size_t e = 0; e < dimension; ++e)
                  if (e != d) product *= hat(corner >> e & 1, gauss[point >> e & 1]);
                return product;
              };
              for (unsigned a = 0; a < corners; ++a)
                for (unsigned b = 0; b < corners; ++b)
                  if (value(a) * value(b) != 0)
                    s.add(number(a), number(b), scale * alpha * area / (corners / 2) * value(a) * value(b));
            }
          }
      }
  return s;
}

}  // namespace poisson::reference
