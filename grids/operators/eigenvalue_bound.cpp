#include "grids/operators/eigenvalue_bound.hpp"

#include <algorithm>
#include <cmath>

#include "backends/device/rehearsal.hpp"
#include "backends/device/unknowns.hpp"
#include "grids/rows/element_mass.hpp"

namespace poisson {

namespace {

// Contains κ_d/h² of the narrowest and of the widest cell of an axis.
struct Steepness {
  double narrow = 0, wide = 0;
};
Steepness steepness_of(const ElementRows& rows, std::size_t d) {
  const Axis axis = rows.block.axes[d].global();
  double least = axis.width(0), most = least;
  for (int i = 1; i < axis.cells(); ++i) {
    least = std::min(least, axis.width(i));
    most = std::max(most, axis.width(i));
  }
  const double kappa = rows.variable() ? 1 : rows.kappa[d];
  return {kappa / (least * least), kappa / (most * most)};
}

// Contains the eigenvalues of a cell's mass relative to its diagonal, for (1, 1) and for (1, −1).
struct Ratios {
  double even, odd;
  explicit Ratios(const ElementMass& mass) : even(1 + mass.off / mass.own), odd(2 - even) {}
};

// In two dimensions lines couple to adjacent lines only, so the bound is 2. In three dimensions consider an eigenvector
// of the line's matrix. Relative to their part of B, stiffness along the line and mass contribute at most even².
// Stiffness across the line contributes at most 2 even times its share along one axis, or 2 odd along both axes.
double line_bound(const ElementRows& rows, std::size_t along) {
  const Ratios mass(rows.mass);
  const int coupled = rows.block.dimension() - (rows.decoupled < 0 ? 0 : 1);
  if (coupled == 2) return 2;
  if (rows.variable() && !rows.isotropic()) return 2 * mass.even;
  const Steepness a = steepness_of(rows, (along + 1) % 3), b = steepness_of(rows, (along + 2) % 3);
  return std::max({mass.even * mass.even, 2 * mass.even * a.narrow / (a.narrow + b.wide),
                   2 * mass.even * b.narrow / (b.narrow + a.wide), 2 * mass.odd});
}

double point_bound(const ElementRows& rows) {
  const auto dimension = static_cast<std::size_t>(rows.block.dimension());
  const Ratios ratio(rows.mass);
  const auto m = static_cast<double>(dimension);
  const double mass = std::pow(ratio.even, m), face = std::pow(ratio.even, m - 1);
  std::array<double, 3> narrow{}, wide{};  // contain κ_d/h² of the narrowest and of the widest cell of an axis
  double inverse_squares = 0;              // is the least Σ 1/h²
  std::array<double, 3> narrowest{};
  for (std::size_t d = 0; d < dimension; ++d) {
    const Steepness steepness = steepness_of(rows, d);
    narrow[d] = steepness.narrow;
    wide[d] = steepness.wide;
    const double kappa = rows.variable() ? 1 : rows.kappa[d];
    narrowest[d] = std::sqrt(kappa / steepness.narrow);
    inverse_squares += steepness.wide / kappa;
  }
  double stiffness = rows.variable() && !rows.isotropic() ? 2 * face : 0;
  for (unsigned odd = 1; odd < 1U << dimension; ++odd) {  // marks the axes along which the eigenvector is odd
    double steep = 0, all = 0, factor = 2 / ratio.odd;
    for (std::size_t d = 0; d < dimension; ++d) {
      const bool among = odd >> d & 1;
      steep += among ? narrow[d] : 0;
      all += among ? narrow[d] : wide[d];
      factor *= among ? ratio.odd : ratio.even;
    }
    stiffness = std::max(stiffness, factor * steep / all);
  }
  // These are the largest ratios of the diagonals of mass and of faces to the diagonal of stiffness.
  const double masses = rows.sigma_ratio * rows.mass.own / inverse_squares;
  double faces = 0;
  for (std::size_t d = 0; d < dimension; ++d) faces += rows.alpha_ratio / narrowest[d] / inverse_squares;
  // The bound is the mean of the three, weighted by the diagonals. A row may have any share of each, and the mean is
  // largest at a vertex.
  double bound = stiffness;
  for (const double with : {0.0, masses})
    for (const double at : {0.0, faces})
      bound = std::max(bound, (stiffness + mass * with + face * at) / (1 + with + at));
  return bound;
}

// This exceeds by far the energy per unknown of numbers near 1 if the diagonals of rows are near 1.
constexpr double constrained_energy = 0x1p48;

}  // namespace

EigenvalueBounds eigenvalue_bounds(const ElementRows& rows) {
  const bool certain = !rows.full_tensor(), serves = certain && (!rows.variable() || rows.isotropic());
  const auto along = [&](std::size_t axis) { return EigenvalueBound{line_bound(rows, axis), certain, serves}; };
  return {{point_bound(rows), certain, serves}, {along(0), along(1), along(2)}};
}

double power_estimate(const Operator& A, const SymmetricSplitting& splitting) {
  // With few unknowns the start vector may contain hardly any of the eigenvector.
  const int steps = A.space().unknown_count() < 1000 ? 60 : 20;
  Backend& backend = A.backend();
  Field v(backend, A.space(), A.precision()), Av(backend, A.space(), A.precision());
  if (rehearses(backend)) return 2;
  set_fixed_numbers(v);
  // Products use the inner product of A, in which B⁻¹A is symmetric for every B.
  Scalar energy = backend.scalar(), of_next = backend.scalar();
  double quotient = 0;
  // Constrained unknowns would dominate these products by their large diagonal. They have the eigenvalue 1 of B⁻¹A, so
  // two steps of Jacobi remove them.
  A.apply(v, Av);
  backend.dot(v, Av, energy);
  if (backend.value(energy) > constrained_energy * static_cast<double>(A.space().unknown_count())) {
    const Scalar one = backend.scalar(1);
    Field stored(backend, A.space(), A.precision());
    for (int s = 0; s < 2; ++s) {
      splitting.start(1, Av, stored);
      backend.axmy(one, stored, v);
      A.apply(v, Av);
    }
  }
  for (int s = 0; s <= steps; ++s) {
    A.apply(v, Av);
    backend.dot(v, Av, energy);
    const double factor = 1 / std::max(quotient, 1.0);
    splitting.start(factor, Av, v);
    backend.dot(v, Av, of_next);
    const double square = backend.value(energy);
    if (!(square > 0)) break;
    quotient = std::max(quotient, backend.value(of_next) / factor / square);
  }
  return 1.1 * quotient;
}

}  // namespace poisson
