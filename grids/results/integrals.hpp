#pragma once

#include <array>
#include <span>
#include <vector>

#include "grids/operators/operator.hpp"
#include "grids/results/named_flows.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Contains the extrema with their places (of equal ones the first, x fastest), and ∫u and (∫u²)^½ over the box. Each
/// value is weighted with its volume.
struct SolutionNorms {
  double min = 0, max = 0, integral = 0, l2 = 0;
  std::array<double, 3> min_at{}, max_at{};
};
SolutionNorms solution_norms(const Discretization& discretization, const Field& u);

/// Contains max |u − exact| and (∫(u − exact)²)^½. For singular problems, the mean of the difference is subtracted
/// first.
struct ErrorNorms {
  double max = 0, l2 = 0;
};
ErrorNorms error_norms(const Discretization& discretization, const Field& u);
/// Returns that mean; 0 if the problem is not singular.
double mean_error(const Discretization& discretization, const Field& u);

/// Contains the terms of the discrete conservation law. `flux` lists ∫ κ ∂u/∂n over the faces, with their names.
/// On Neumann and Robin faces, the flux follows from the data (Robin: g − αu). On Dirichlet faces, it is the residual
/// in the rows of their nodes, shared by area where faces meet. For cell-centred unknowns, it is 2κ/h (g − u) over the
/// half cells behind the face.
/// Up to rounding, Σ flux + Σ bodies + source − reaction = −residual + projected.
struct Balance {
  NamedFlows flux{};
  double source = 0;                ///< ∫ f
  double reaction = 0;              ///< ∫ σu
  double residual = 0;              ///< Σ (A u − b) over the unknowns
  std::vector<double> bodies = {};  ///< flow out of each fixed region (region_results.hpp); empty without media
};
/// Computes the balance. `A` is the operator of u's precision, `b` the right-hand side as solved, and `work` a field
/// like u, which is overwritten.
Balance balance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work);
/// Returns the larger of inflow and outflow of the box, the reference for a residual.
double throughput(const Balance& balance);
/// Returns the residual of the balance relative to the throughput. Fluxes through faces may cost the host more time
/// than a solve. If the source alone shows that the result is at most `enough`, fluxes are not computed and the result
/// is an upper bound.
double imbalance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work,
                 double enough);

/// Interpolates a solution at nodes multilinearly at a point of the box (two or three coordinates). Collective. See
/// cell_interpolation.hpp for other centerings.
double interpolate_at(const Block& block, const Field& u, std::span<const double> point);

}  // namespace poisson
