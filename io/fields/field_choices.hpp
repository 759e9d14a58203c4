#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grids/results/gather.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// What the fields of a matrix from a file need beside its solver, at the points that the files show, x fastest.
struct MatrixValues {
  std::vector<double> b;        ///< the right-hand side
  std::vector<double> factors;  ///< u over the solution of the scaled equation; empty where no row is scaled
};

/// One field that `output.fields` may name: all that the schema, the checks, the count of bytes and the files know of
/// it. A new field is one row of `field_choices()`.
struct FieldChoice {
  std::string_view name;
  std::string_view doc;
  bool on_cells = false;     ///< always, not only where the unknowns sit in cells
  bool needs_exact = false;  ///< `equation.exact` has to be given
  int (*components)(const Problem&) = [](const Problem&) { return 1; };
  /// The values on a grid, made when files are written: what they are made of stays until then. One row alone, the
  /// residual, may keep its values in the solver's spare field.
  Pieces (*of_grid)(const Discretization&, Solver&) = nullptr;
  /// The values beside a matrix from a file; null where the field is not known of one.
  Pieces (*of_matrix)(const Block&, Solver&, const MatrixValues&) = nullptr;

  Location location(Centering centering) const;
};

/// The table, in the order of the reference.
std::span<const FieldChoice> field_choices();

/// A row by its name. Throws std::out_of_range for one that the schema would not have let through.
const FieldChoice& field_choice(std::string_view name);

}  // namespace poisson
