#pragma once

#include <array>
#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// What a scheme closes the balance of a solution with.
struct Closing {
  Setting setting;
  const SchemeRows& rows;
  const RhsSums& data;
  const Operator& A;
  const Field& u;
  Field& work;  ///< like u, to be overwritten

  const Problem& problem() const { return setting.problem; }
  const Block& block() const { return setting.block; }
  /// Whether the grid is one plane, which is gone through by lines.
  bool flat() const { return block().space().all()[2] == 1; }
  /// Σ u over a region.
  double sum(const Region& region) const { return setting.functionals.sums(u, {&region, 1}).front(); }
  /// Σ over all processes, by planes, in two dimensions by lines.
  double sum(const LineSums& lines) const;
  /// ∫u over the block, or over a face of nodes.
  double integral() const { return sum({setting.values(), {true, true, true}}); }
  double integral_over(int axis, int end) const;
  /// Σ of values on a box of nodes times u.
  double product(const Box& box, const std::vector<double>& values) const;
  /// ∫ of a datum times u over the volumes of the nodes of a box, across `face_axis` over their areas.
  double integral_with(const Datum& datum, const Box& box, int face_axis) const;
};

/// The finest operator, on an equation of held nodes without what holds them: what flows into them is left over in
/// their rows.
std::unique_ptr<Operator> unheld_operator(const Discretization& d, Precision precision);

/// A layer of values of a solution, read once.
class Layer {
 public:
  Layer(const Functionals& functionals, const Field& u, const Box& box)
      : box_(box), values_(functionals.values(u, box)) {}

  double operator()(int i, int j, int k) const {
    const std::int64_t nx = box_.last[0] - box_.first[0], ny = box_.last[1] - box_.first[1];
    return values_[static_cast<std::size_t>(((k - box_.first[2]) * ny + j - box_.first[1]) * nx + i - box_.first[0])];
  }

 private:
  Box box_;
  std::vector<double> values_;
};

/// Through the faces of nodes: what Neumann and Robin faces bring less `passed_back`, ∫αu over each Robin face, and
/// what is left over in the rows of Dirichlet nodes. On each piece of the boundary the same faces meet, and what is
/// left is shared as their areas are.
Fluxes fluxes_at_nodes(const Closing& closing, const Fluxes& passed_back);

}  // namespace poisson
