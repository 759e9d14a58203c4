#pragma once

#include <array>
#include <span>

#include "grids/operators/operator.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Extrema with their places (of equal ones the first, x fastest), ∫u and (∫u²)^½ over the box, each value weighted
/// with its volume.
struct SolutionNorms {
  double min = 0, max = 0, integral = 0, l2 = 0;
  std::array<double, 3> min_at{}, max_at{};
};
SolutionNorms solution_norms(const Discretization& discretization, const Field& u);

/// max |u − exact| and (∫(u − exact)²)^½; for singular problems after taking off the mean of the difference.
struct ErrorNorms {
  double max = 0, l2 = 0;
};
ErrorNorms error_norms(const Discretization& discretization, const Field& u);
/// That mean; 0 where the problem is not singular.
double mean_error(const Discretization& discretization, const Field& u);

/// The conservation law of the discrete solution. flux[2d + end] = ∫ κ ∂u/∂n over a face: its data on Neumann and Robin
/// faces (Robin: g − αu), on Dirichlet faces what is left over in the rows of their nodes, shared by area where faces
/// meet; cell-centred, 2κ/h (g − u) over the half cells behind them. Σ flux + source − reaction = −residual +
/// projected, to rounding.
struct Balance {
  std::array<double, 6> flux{};
  double source = 0;    ///< ∫ f
  double reaction = 0;  ///< ∫ σu
  double residual = 0;  ///< Σ (A u − b) over the unknowns
};
/// `A`: the operator of u's precision; `b`: the right-hand side as solved; `work`: a field like u, overwritten.
Balance balance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work);
/// What flows into the box or out of it, whichever is more: what a residual is small or large against.
double throughput(const Balance& balance);
/// What the balance leaves over, relative to the throughput. Fluxes through faces may take the host longer than a
/// solve: where the source alone says that it is `enough` or less, they are not computed, and this is a bound.
double imbalance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work,
                 double enough);

/// Multilinear interpolation of a solution at nodes, at a point of the box (two or three coordinates). All processes
/// call it together. For any centering see cell_interpolation.hpp.
double interpolate_at(const Block& block, const Field& u, std::span<const double> point);

}  // namespace poisson
