#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/operators/operator.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// Contains the input from which a scheme computes the balance of a solution.
struct BalanceInput {
  SchemeContext context;
  const SchemeRows& rows;
  const RhsSums& data;
  const Operator& A;
  const Field& u;
  Field& work;  ///< like u, is overwritten

  const Problem& problem() const { return context.problem; }
  const Block& block() const { return context.block; }
  /// Returns whether the grid is one plane. Sums are then formed by lines.
  bool flat() const { return block().space().part().all()[2] == 1; }
  /// Returns Σ u over a region.
  double sum(const Region& region) const { return context.functionals.sums(u, {&region, 1}).front(); }
  /// Returns the sum over all processes, formed by planes, in two dimensions by lines.
  double sum(const LineSums& lines) const;
  /// Return ∫u over the block, or over a face of nodes.
  double integral() const { return sum({context.values(), {true, true, true}}); }
  double integral_over(int axis, int end) const;
  /// Returns Σ of u times the given values over a box of nodes.
  double product(const Box& box, const std::vector<double>& values) const;
  /// Returns ∫ of a datum times u over the volumes of the nodes of a box, or across `face_axis` over their areas.
  double integral_with(const Datum& datum, const Box& box, int face_axis) const;
};

/// Returns the finest operator without the penalties of constrained nodes. The flux into these nodes is then the
/// residual of their rows.
std::unique_ptr<Operator> unconstrained_operator(const Discretization& d, Precision precision);

/// Contains a layer of values of a solution, read once.
class Layer {
 public:
  Layer(const Functionals& functionals, const Field& u, const Box& box)
      : box_(box), values_(functionals.values(u, box)) {}

  double operator()(int i, int j, int k) const { return values_[number_in(box_, i, j, k)]; }

 private:
  Box box_;
  std::vector<double> values_;
};

/// Returns the fluxes through the faces of nodes. Neumann and Robin faces contribute their data minus `passed_back`,
/// which is ∫αu over each Robin face. Dirichlet faces contribute the residual of the rows of their nodes. Each piece of
/// the boundary belongs to the same faces at all its nodes, and these faces share the residual in proportion to their
/// areas.
Fluxes fluxes_at_nodes(const BalanceInput& input, const Fluxes& passed_back);

}  // namespace poisson
