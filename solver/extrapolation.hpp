#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "grids/operators/operator.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// τ-extrapolation (Bernert, SIAM J. Sci. Comput. 18, 1997; Trottenberg, Oosterlee, Schüller, Multigrid, 2001, section
/// 5.4.6) of finite volumes on equal cells. Per volume, L_h u = f + h² τ + O(h⁴) for the solution u of the equation,
/// with a τ that does not depend on h. Of the solution of L_h u_h = f the grid of every second node sees
///
///     L_2h u_h − f = (2² − 1) h² τ + O(h⁴) ,
///
/// since the error of u_h is −h² L⁻¹τ. A third of that, interpolated, joins the right-hand side, and what solves the
/// new equation is off by O(h⁴). A and b are integrals over control volumes, 2^m times as large there in m dimensions.
/// On Dirichlet faces, where no row is at hand, τ is continued as it is beside them: what that misses in one layer of
/// nodes, at a distance of h from where u is given, is of higher order. (Zero there leaves O(h⁴) too, six times as
/// much.)
///
/// Of a function f the right-hand side is f + h² g, g = t²/2 Δf with t = part_point (grids/sampling/sampling.hpp): that
/// of every second node is to be f + 4 h² g, and then the same third takes τ − g. Restriction by full weighting gives f
/// + h² g + h² Δf/4, of which the mean with values at the nodes, 6 t² to 1 − 6 t², is that. The same holds of σ.
class Extrapolation {
 public:
  /// For fields of a precision. Throws InputError where the theory does not hold.
  Extrapolation(const Discretization& discretization, Precision precision);

  /// b += correction, for the solution u of A u = b, its Dirichlet data included. `correction` is overwritten; it is
  /// zero in Dirichlet nodes.
  void correct(const Field& u, Field& b, Field& correction);

 private:
  void at_every_second_node(const Field& fine, bool integrated, Field& work, Field& coarse);

  Backend& backend_;
  std::unique_ptr<Transfer> to_coarser_;
  std::unique_ptr<Operator> A_;
  Field u_, b_;
  bool integrated_;  // b of a function
  Scalar volume_, weight_, one_, at_nodes_, restricted_;
};

/// An axis whose number of cells does not let every second node make a grid: it is to be even, and at least 4.
std::optional<int> odd_axis(const Problem& problem);

/// The bytes of an extrapolation's fields and coefficients; its operator's and transfer's tables come to them.
std::size_t extrapolation_bytes(const Problem& problem, Assembly assembly, Precision precision);

}  // namespace poisson
