#pragma once

#include <memory>
#include <vector>

#include "grids/operators/operator.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// What stands on the diagonal of held nodes (PartedFace), of rows whose diagonals are near 1: so much that what their
/// neighbours add is lost in rounding, and that its square still is a number in single precision. A power of two.
inline constexpr double holding_reaction = 0x1p64;

/// The unknowns among the nodes that faces of several kinds hold: the mask beside the box of unknowns. A solver that is
/// to solve for the others takes their values out of u and b before, and puts them back after: in between held
/// unknowns are zero, in b as in u, and the great diagonal of their rows keeps them so.
class HeldNodes {
 public:
  explicit HeldNodes(const Setting& setting);

  /// Whether this process or another one that shares the block has some.
  bool some() const { return some_; }
  /// Adds a number to the held unknowns of a field.
  void add(double value, Field& x) const;
  /// u in the held nodes: where they meet Dirichlet faces or each other, the mean of all data.
  void fill(Field& u) const;
  /// Zero in the held unknowns.
  void clear(Field& x) const;

  /// Takes the values of held unknowns out of an equation: with v what u has there and zero elsewhere, b −= A v and
  /// u −= v, and in held unknowns both are zero. `work`: like u, to be overwritten.
  void take_out(const Operator& A, Field& u, Field& b, Field& work);
  /// Puts back what was taken out: b as it was, u with the values it had.
  void put_back(Field& u, Field& b) const;

 private:
  /// Where the data of a face are not zero: its nodes and those beside them.
  Box layers_at(const PartedFace& face) const;

  Setting setting_;
  const std::vector<PartedFace>& faces_;
  std::vector<std::vector<bool>> held_;  // by faces, whichever face holds the node; unknowns alone
  bool some_ = false;
  std::vector<std::vector<double>> values_;  // that were taken out
  std::vector<std::vector<double>> data_;    // b in those layers
};

/// What holds nodes, as a field: of elements, which have it in their bands alone. Null where nothing is to be held.
std::shared_ptr<const Field> holding_field(const Setting& setting);

}  // namespace poisson
