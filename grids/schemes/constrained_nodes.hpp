#pragma once

#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// This is the penalty on the diagonal of constrained nodes (MixedBcFace), for rows whose diagonals are near 1. It is
/// so large that contributions of neighbours are lost in rounding, and so small that its square is finite in single
/// precision. It is a power of two.
inline constexpr double penalty_reaction = 0x1p64;

/// Describes the unknowns that faces with several conditions constrain, as a mask on the box of unknowns. To solve for
/// the other unknowns, a solver removes the values of these unknowns from u and b, and restores them afterwards.
/// Meanwhile constrained unknowns are zero in b and u, and the large diagonal of their rows keeps them zero.
class ConstrainedNodes {
 public:
  explicit ConstrainedNodes(const SchemeContext& context);

  /// Returns whether this process or another process that shares the block has constrained unknowns.
  bool some() const { return some_; }
  /// Adds a number to the constrained unknowns of a field.
  void add(double value, Field& x) const;
  /// Sets u in the constrained nodes. If a node also belongs to Dirichlet faces or to another such face, it gets the
  /// mean of all data.
  void fill(Field& u) const;
  /// Sets the constrained unknowns to zero.
  void clear(Field& x) const;

  /// Removes the values of constrained unknowns from an equation. Let v equal u there and zero elsewhere: then b −= A v
  /// and u −= v, and both become zero in constrained unknowns. `work` is like u and is overwritten.
  void take_out(const Operator& A, Field& u, Field& b, Field& work);
  /// Restores b, and the removed values of u.
  void put_back(Field& u, Field& b) const;

 private:
  /// Returns the layers in which A v is not zero: the nodes of a face and their neighbours.
  Box layers_at(const MixedBcFace& face) const;

  SchemeContext setting_;
  const std::vector<MixedBcFace>& faces_;
  std::vector<std::vector<bool>> held_;  // by face; marks the unknowns that any face constrains
  bool some_ = false;
  std::vector<std::vector<double>> values_;  // removed values
  std::vector<std::vector<double>> data_;    // stores b in layers_at
};

/// Returns the penalties of constrained nodes as a field for elements, which store them in their bands only. Returns
/// null if there are no constrained nodes.
std::shared_ptr<const Field> penalty_field(const SchemeContext& context);

}  // namespace poisson
