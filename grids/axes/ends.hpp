#pragma once

namespace poisson {

/// What holds on a face of the box; n is the outward normal, κ the coefficient.
enum class BoundaryKind {
  dirichlet,  ///< u = value
  neumann,    ///< κ ∂u/∂n = value
  robin,      ///< κ ∂u/∂n + alpha·u = value
  periodic    ///< both faces of the axis are one: values go on beyond the end
};

/// Where the unknowns of an axis sit: on its nodes or in the middle of its cells.
enum class Centering { node, cell };

/// Where a value sits on a grid.
enum class Location { node, cell };

}  // namespace poisson
