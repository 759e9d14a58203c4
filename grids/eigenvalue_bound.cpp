#include "grids/eigenvalue_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace poisson {

namespace {

// Planes couple to the next alone, as lines do in two dimensions: 2. Lines in three dimensions: in an eigenvector of the
// line's own matrix, a cell has at the most (3/2)² of what stiffness along the line and mass have on B, and 2 · 3/2 of
// what stiffness across it has.
double block_bound(const RowData& data) {
  const int coupled = data.block.dimension() - (data.decoupled < 0 ? 0 : 1);
  return data.relaxation.extent == Extent::plane || coupled == 2 ? 2 : 3;
}

}  // namespace

double element_bound(const RowData& data) {
  if (data.relaxation.extent != Extent::point) return block_bound(data);
  const auto dimension = static_cast<std::size_t>(data.block.dimension());
  const double m = static_cast<double>(dimension), mass = std::pow(1.5, m), face = std::pow(1.5, m - 1);
  const double steepest = 2 * face;
  std::array<double, 3> narrow{}, wide{};  // κ_d/h² of the narrowest and of the widest cell of an axis
  double inverse_squares = 0;              // the least Σ 1/h²
  std::array<double, 3> narrowest{};
  for (std::size_t d = 0; d < dimension; ++d) {
    const Axis& axis = data.block.axes[d];
    double least = axis.width(0), most = least;
    for (int i = 1; i < axis.cells(); ++i) {
      least = std::min(least, axis.width(i));
      most = std::max(most, axis.width(i));
    }
    const double kappa = data.variable() ? 1 : data.kappa[d];
    narrow[d] = kappa / (least * least);
    wide[d] = kappa / (most * most);
    narrowest[d] = least;
    inverse_squares += 1 / (most * most);
  }
  double stiffness = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    double all = narrow[d];
    for (std::size_t e = 0; e < dimension; ++e)
      if (e != d) all += wide[e];
    stiffness = std::max(stiffness, steepest * narrow[d] / all);
  }
  if (data.variable() && !data.isotropic) stiffness = steepest;
  // Diagonals of mass and of faces over that of stiffness, at most.
  const double masses = data.sigma_ratio / (3 * inverse_squares);
  double faces = 0;
  for (std::size_t d = 0; d < dimension; ++d) faces += data.alpha_ratio / narrowest[d] / inverse_squares;
  return std::max(stiffness, (stiffness + std::max(stiffness, mass) * masses + std::max(stiffness, face) * faces) /
                                 (1 + masses + faces));
}

double power_estimate(const Operator& A, Relaxation relaxation) {
  constexpr int steps = 20;
  Backend& backend = A.backend();
  Field v(backend, A.layout(), A.precision()), Av(backend, A.layout(), A.precision());
  const auto host = make_cpu_backend();
  Field start(*host, A.layout(), A.precision());
  const Box box = A.unknowns();
  dispatch(A.precision(), [&]<class T>(T) {
    const auto view = start.view<T>();
    std::uint32_t bits = 1;
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j)
        for (int i = box.first[0]; i < box.last[0]; ++i) {
          bits = bits * 1664525u + 1013904223u;
          view(i, j, k) = static_cast<T>(std::ldexp(static_cast<double>(bits), -31) - 1);
        }
  });
  transfer(start, v);
  // In the inner product of A, in which B⁻¹A is symmetric whatever B is.
  Scalar energy = backend.scalar(), next = backend.scalar();
  double quotient = 0;
  for (int s = 0; s <= steps; ++s) {
    A.apply(v, Av);
    backend.dot(v, Av, energy);
    const double factor = 1 / std::max(quotient, 1.0);
    if (relaxation.extent == Extent::line)
      A.line_start(relaxation.axis, factor, Av, v);
    else
      A.polynomial_start(factor, Av, v);
    backend.dot(v, Av, next);
    const double square = backend.value(energy);
    if (!(square > 0)) break;
    quotient = std::max(quotient, backend.value(next) / factor / square);
  }
  return 1.1 * quotient;
}

}  // namespace poisson
