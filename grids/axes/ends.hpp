#pragma once

namespace poisson {

/// Names the condition on a face of the box. n is the outward normal and κ the coefficient.
enum class BoundaryKind {
  dirichlet,  ///< u = value
  neumann,    ///< κ ∂u/∂n = value
  robin,      ///< κ ∂u/∂n + alpha·u = value
  periodic    ///< both faces of the axis are one: values continue at the other end
};

/// Selects the unknowns of an axis: at its nodes or at the centres of its cells.
enum class Centering { node, cell };

/// Selects where a value lies on a grid.
enum class Location { node, cell };

}  // namespace poisson
