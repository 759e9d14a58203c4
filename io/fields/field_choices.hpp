#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grids/results/gather.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Contains data that the fields of a matrix need in addition to its solver, at the points that the files show, x
/// fastest.
struct MatrixValues {
  std::vector<double> b;        ///< the right-hand side
  std::vector<double> factors;  ///< u over the scaled solution; empty if no row is scaled
};

/// Describes a field of `output.fields` for the schema, the checks, the byte count and the files. A new field needs
/// only a row in `field_choices()`.
struct FieldChoice {
  std::string_view name;
  std::string_view doc;
  bool on_cells = false;     ///< always, even if the unknowns are at nodes
  bool needs_exact = false;  ///< it requires `equation.exact`
  bool cells_only = false;   ///< it requires unknowns in cells
  bool needs_media = false;  ///< it requires materials
  int face_axis = -1;        ///< it lies on the faces of cells across this axis; −1: at nodes or in cells
  int (*components)(const Problem&) = [](const Problem&) { return 1; };
  /// Returns the values on a grid. They are computed when files are written, so their data must remain valid until
  /// then. Only the residual may use the solver's spare field.
  Pieces (*of_grid)(const Discretization&, Solver&) = nullptr;
  /// Returns the values for a matrix from a file; null if a matrix has no such field.
  Pieces (*of_matrix)(const Block&, Solver&, const MatrixValues&) = nullptr;

  Location location(Centering centering) const;
};

/// Returns the table, in the order of the reference.
std::span<const FieldChoice> field_choices();

/// Returns a row by its name. Throws std::out_of_range for a name that the schema would refuse.
const FieldChoice& field_choice(std::string_view name);

}  // namespace poisson
