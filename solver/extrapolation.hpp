#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "grids/operators/operator.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Applies τ-extrapolation (Bernert, SIAM J. Sci. Comput. 18, 1997; Trottenberg, Oosterlee, Schüller, Multigrid, 2001,
/// section 5.4.6) to finite volumes on equal cells. Per unit volume, L_h u = f + h² τ + O(h⁴) for the solution u of the
/// equation, and τ does not depend on h. The solution of L_h u_h = f satisfies on the grid of every second node
///
///     L_2h u_h − f = (2² − 1) h² τ + O(h⁴) ,
///
/// since the error of u_h is −h² L⁻¹τ. A third of this residual is interpolated and added to the right-hand side. The
/// solution of the new equation has an error of O(h⁴). A and b are integrals over control volumes, which are 2^m times
/// as large on that grid in m dimensions. Dirichlet nodes have no row, so τ is continued from the neighbouring nodes.
/// The resulting error is confined to one layer of nodes at distance h from given values, and so it is of higher order.
/// (With τ = 0 there the error is also O(h⁴), but six times as large.)
///
/// For a source function f, the right-hand side is f + h² g with g = t²/2 Δf and t = part_point
/// (grids/sampling/sampling.hpp). On the grid of every second node it must be f + 4 h² g; the same third then removes τ
/// − g. Restriction by full weighting gives f + h² g + h² Δf/4. The required value is 6 t² times the restricted values
/// plus 1 − 6 t² times the values at the nodes. The same applies to σ.
class Extrapolation {
 public:
  /// Prepares corrections for fields of `precision`. Throws InputError if the theory does not apply.
  Extrapolation(const Discretization& discretization, Precision precision);

  /// Adds the correction to b for the solution u of A u = b, including its Dirichlet data. Overwrites `correction`,
  /// which is zero in Dirichlet nodes.
  void correct(const Field& u, Field& b, Field& correction);

 private:
  void at_every_second_node(const Field& fine, bool integrated, Field& work, Field& coarse);

  Backend& backend_;
  std::unique_ptr<Transfer> to_coarser_;
  std::unique_ptr<Operator> A_;
  Field u_, b_;
  bool integrated_;  // b integrates a function
  Scalar volume_, weight_, one_, at_nodes_, restricted_;
};

/// Returns an axis on which every second node does not form a grid: the number of cells must be even and at least 4.
std::optional<int> odd_axis(const Problem& problem);

}  // namespace poisson
