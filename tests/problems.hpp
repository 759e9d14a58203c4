#pragma once

#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/problem/problem.hpp"
#include "tests/fields.hpp"

/// These tables define the problems for the tests of grid verbs: the tests use their products.
namespace poisson {

using BoxFaces = std::array<std::array<Boundary, 2>, 3>;

struct NamedFaces {
  std::string name;
  BoxFaces faces;
};
inline void PrintTo(const NamedFaces& faces, std::ostream* out) {
  *out << faces.name;
}

inline std::vector<NamedFaces> all_faces() {
  const auto of = [](BoundaryKind kind, Quantity alpha = 0.0) {
    Boundary b;
    b.kind = kind;
    b.alpha = std::move(alpha);
    return b;
  };
  const Boundary D = of(BoundaryKind::dirichlet), N = of(BoundaryKind::neumann), P = of(BoundaryKind::periodic);
  const Boundary R = of(BoundaryKind::robin, 0.75), S = of(BoundaryKind::robin, 3.0), zero = of(BoundaryKind::robin);
  const Boundary V = of(BoundaryKind::robin, [](double x, double y, double z) {
    return 1 + std::sin(3 * x) * std::cos(5 * y) * std::cos(z);
  });
  return {{"dirichlet", {{{D, D}, {D, D}, {D, D}}}},
          {"neumann", {{{N, N}, {N, N}, {N, N}}}},
          {"robin", {{{R, S}, {S, R}, {R, R}}}},
          {"robin_varying", {{{V, R}, {V, V}, {S, V}}}},
          {"robin_zero", {{{N, zero}, {N, N}, {zero, N}}}},
          {"periodic_x", {{{P, P}, {D, D}, {N, D}}}},
          {"periodic_y", {{{N, N}, {P, P}, {N, N}}}},
          {"periodic_z", {{{D, R}, {N, D}, {P, P}}}},
          {"periodic_xy", {{{P, P}, {P, P}, {D, N}}}},
          {"periodic_yz", {{{V, D}, {P, P}, {P, P}}}},
          {"periodic_xz", {{{P, P}, {R, N}, {P, P}}}},
          {"periodic_xyz", {{{P, P}, {P, P}, {P, P}}}},
          {"mixed", {{{D, N}, {N, R}, {S, D}}}},
          {"mixed_reversed", {{{N, D}, {V, N}, {D, V}}}}};
}

/// Describes the nodes of an axis, and the units of length and κ.
struct NamedGrid {
  std::string name;
  double length, kappa;
};
inline void PrintTo(const NamedGrid& grid, std::ostream* out) {
  *out << grid.name;
}

/// Equidistant nodes are exact numbers, so their widths do not depend on how they are computed.
inline const std::vector<NamedGrid> all_grids{{"equidistant", 1, 1},     {"tanh", 1, 1},
                                              {"geometric", 1, 1},       {"explicit", 1, 1},
                                              {"micro", 0x1p-20, 1e-12}, {"giant", 0x1p20, 1e12}};

inline std::vector<double> nodes_of(const NamedGrid& grid, std::size_t axis, int cells) {
  const auto end = std::array{StretchedEnd::lower, StretchedEnd::both, StretchedEnd::upper}[axis];
  const double lower = -0.25, upper = 1 + 0.5 * static_cast<double>(axis);
  if (grid.name == "tanh") return tanh_nodes(lower, upper, cells, 2.5, end);
  if (grid.name == "geometric" || grid.name == "micro") {
    std::vector<double> nodes = geometric_nodes(lower, upper, cells, geometric_ratio(1e3, cells, end), end);
    for (double& x : nodes) x *= grid.length;
    return nodes;
  }
  std::vector<double> nodes{lower * grid.length};
  Random random(7 + static_cast<unsigned>(axis));
  const double h = std::array{1.0, 1.5, 0.75}[axis] / 32 * grid.length;
  for (int i = 0; i < cells; ++i) nodes.push_back(nodes.back() + (grid.name == "explicit" ? h * (1.5 + random()) : h));
  return nodes;
}

enum class Kappa { constant, constant_tensor, random, random_tensor, random_full };
enum class Sigma { zero, constant, varying };

struct ProblemChoice {
  int dimension = 3;
  std::array<int, 3> cells{4, 4, 4};
  Kappa kappa = Kappa::constant;
  Sigma sigma = Sigma::zero;
  Centering centering = Centering::node;
  Scheme scheme = Scheme::fv;
};

/// Returns a problem whose terms have equal magnitude in any units of the grid.
inline Problem make_problem(const NamedFaces& faces, const NamedGrid& grid, const ProblemChoice& choice) {
  const double L = grid.length, K = grid.kappa;
  Problem p;
  p.dimension = choice.dimension;
  p.centering = choice.centering;
  p.scheme = choice.scheme;
  std::array<std::int64_t, 3> shape{1, 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) {
    p.nodes[d] = nodes_of(grid, d, choice.cells[d]);
    shape[d] = choice.cells[d];
    for (std::size_t end = 0; end < 2; ++end) {
      p.boundary[d][end] = faces.faces[d][end];
      const Quantity alpha = p.boundary[d][end].alpha;
      if (const double* a = alpha.constant()) {
        p.boundary[d][end].alpha = *a * K / L;
      } else {
        p.boundary[d][end].alpha = [alpha, L, K](double x, double y, double z) {
          return static_cast<double>(reference::evaluate(alpha, {x / L, y / L, z / L}, {})) * K / L;
        };
      }
    }
  }
  p.isotropic = choice.kappa == Kappa::constant || choice.kappa == Kappa::random;
  Random random(11);
  for (std::size_t d = 0; d < (p.isotropic ? 1U : 3U); ++d) {
    if (choice.kappa == Kappa::constant || choice.kappa == Kappa::constant_tensor) {
      p.coefficient[d] = K * std::array{1.25, 0.5, 7.0}[d];
      continue;
    }
    GridArray cells{Location::cell, shape, {}};
    for (std::int64_t c = 0; c < shape[0] * shape[1] * shape[2]; ++c)
      cells.values.push_back(K * std::exp(3 * random()));
    p.coefficient[d] = cells;
  }
  if (choice.kappa == Kappa::random_full) {
    p.full_tensor = true;
    for (std::size_t m = 0; m < (p.dimension == 3 ? 3U : 1U); ++m) {
      const auto& a = p.coefficient[m == 2 ? 1 : 0].array()->values;
      const auto& b = p.coefficient[m == 0 ? 1 : 2].array()->values;
      GridArray cells{Location::cell, shape, {}};  // less than half the root each, so κ is definite
      for (std::size_t c = 0; c < a.size(); ++c) cells.values.push_back(0.45 * random() * std::sqrt(a[c] * b[c]));
      p.offdiagonal[m] = cells;
    }
  }
  if (choice.sigma == Sigma::constant) p.reaction = 5 * K / (L * L);
  if (choice.sigma == Sigma::varying)
    p.reaction = [L, K](double x, double y, double z) {
      return K / (L * L) * (2 + std::sin(4 * x / L) + std::cos(3 * y / L) * std::cos(z / L));
    };
  return p;
}

/// Returns a problem with data of all frequencies and of equal magnitude in any units of the grid.
inline Problem with_data(const NamedFaces& faces, const NamedGrid& grid, const ProblemChoice& choice) {
  const double L = grid.length, K = grid.kappa;
  Problem p = make_problem(faces, grid, choice);
  const auto wave = [L](double factor, double phase) {
    return Quantity([=](double x, double y, double z) {
      return factor * (0.3 + std::sin(7 * x / L + phase) * std::cos(5 * y / L - phase) + z / L);
    });
  };
  p.source = wave(10 * K / (L * L), 0.4);
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary& face = p.boundary[d][end];
      if (face.kind == BoundaryKind::periodic) continue;
      face.value = wave(face.kind == BoundaryKind::dirichlet ? 1 : K / L, static_cast<double>(2 * d + end));
    }
  return p;
}

}  // namespace poisson
