#pragma once

#include "tests/oracles/reference.hpp"

/// This oracle builds the fourth-order compact scheme in plain loops from its one-dimensional factors.
namespace poisson::reference {

/// Stores the entries of row i of an axis's stiffness and mass for i − 1, i and i + 1.
struct CompactRow {
  std::array<Real, 3> stiffness{0, 0, 0}, mass{0, 1, 0};
};
inline CompactRow compact_row(const Grid& g, std::size_t d, int i) {
  if (static_cast<int>(d) >= g.dimension) return {};
  const Real h = (Real{g.nodes[d].back()} - Real{g.nodes[d].front()}) / g.cells[d];
  CompactRow row{{-1 / h, 2 / h, -1 / h}, {h / 12, 10 * h / 12, h / 12}};
  if (g.periodic(d) || (i > 0 && i + 1 < g.size[d])) return row;
  const std::size_t outside = i == 0 ? 0 : 2;
  row.stiffness[outside] = row.mass[outside] = 0;
  row.stiffness[1] /= 2;
  row.mass[1] /= 2;
  return row;
}

/// Assembles Σ κ_d K_d ⊗ M ⊗ M + σ M ⊗ M ⊗ M for constant κ and σ, multiplied by `scale`.
inline System assemble_compact(const Problem& p, double scale = 1) {
  System s{Grid(p), {}, {}, {}, {}};
  const Grid& g = s.grid;
  s.neighbours.resize(g.count());
  s.diagonal.assign(g.count(), 0);
  for (std::size_t i = 0; i < g.count(); ++i) {
    const Index at = g.index(i);
    s.unknown.push_back(!g.dirichlet(at));
    std::array<CompactRow, 3> rows;
    Real volume = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      rows[d] = compact_row(g, d, at[d]);
      volume *= rows[d].mass[0] + rows[d].mass[1] + rows[d].mass[2];
    }
    s.mass.push_back(volume);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t a = 0; a < 3; ++a) {
          const std::array<std::size_t, 3> offset{a, b, c};
          std::array<Real, 3> K{}, M{};
          Index to = at;
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            K[d] = rows[d].stiffness[offset[d]];
            M[d] = rows[d].mass[offset[d]];
            to[d] += static_cast<int>(offset[d]) - 1;
            if (g.periodic(d)) to[d] = (to[d] + g.size[d]) % g.size[d];
            inside = inside && to[d] >= 0 && to[d] < g.size[d];
          }
          if (!inside) continue;
          for (std::size_t d = 0; d < 3; ++d) {
            const Real kappa = *p.coefficient[p.isotropic ? 0 : d].constant();
            s.add(i, g.number(to), scale * kappa * K[d] * M[(d + 1) % 3] * M[(d + 2) % 3]);
          }
          s.add(i, g.number(to), scale * *p.reaction.constant() * M[0] * M[1] * M[2]);
        }
  }
  return s;
}

}  // namespace poisson::reference
