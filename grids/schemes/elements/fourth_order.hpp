#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// Describes a property of a problem that prevents a fourth-order error. The compact scheme and τ-extrapolation use
/// expansions in powers of one spacing per axis. They need unknowns at nodes, a constant κ, and Dirichlet or periodic
/// faces.
struct Obstacle {
  enum class Datum { cells, coefficient, tensor, reaction, face, centering };

  Datum datum;
  std::size_t place;        ///< is the axis of cells, the direction of a coefficient, or the number of a face
  std::string_view what;    ///< "has cells of different widths"
  std::string_view wanted;  ///< "equal ones"
};

/// Returns all obstacles. `constant_reaction` means that σ must be constant.
std::vector<Obstacle> fourth_order_obstacles(const Problem& problem, bool constant_reaction);

/// Throws InputError with the first obstacle. `subject` names the feature that needs the fourth order.
void require_fourth_order(const Problem& problem, bool constant_reaction, const std::string& subject);

}  // namespace poisson
