#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "tests/oracles/manufactured.hpp"

namespace poisson {

/// Returns a problem with a known solution and n cells along each of two or three axes. Four faces have Dirichlet,
/// Neumann and Robin parts. Along the other one of x and y, each face has Dirichlet data up to `held_to`,
/// a given flux from there to 0.75, and a Robin condition beyond.
inline Problem problem_in_parts(int dimension, double held_to, int n) {
  constexpr BoundaryKind D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;
  Manufactured known;
  known.dimension = dimension;
  known.kinds = {{{D, D}, {D, N}, {N, D}}};
  known.kappa[0] = {1, 0.3, known.product(0, {2, 3, 1}, {0.3, 0.1, 0.7})};
  known.alpha = {2, 0, {}};
  known.solution = known.product(0.5, {2, 1.5, 1}, {0.4, 0.2, 0.3});
  const auto face = [&](std::size_t d, std::size_t end) {
    const auto of_kind = [&](BoundaryKind kind) {
      Manufactured same = known;
      same.kinds[d][end] = kind;
      return Boundary{kind, [=](double x, double y, double z) { return same.face_value(d, end, {x, y, z}); }, 2.0};
    };
    const auto up_to = [d](double most) {
      return Quantity([=](double x, double y, double) { return (d == 0 ? y : x) < most ? 1.0 : 0.0; });
    };
    return mixed_bc({{of_kind(D), up_to(held_to)}, {of_kind(N), up_to(0.75)}, {of_kind(R)}});
  };
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) nodes[d] = uniform_nodes(0, 1, n);
  Problem p = known.problem(nodes);
  for (const auto& [d, end] : {std::array<std::size_t, 2>{0, 0}, {0, 1}, {1, 0}, {1, 1}})
    p.boundary[d][end] = face(d, end);
  return p;
}

}  // namespace poisson
