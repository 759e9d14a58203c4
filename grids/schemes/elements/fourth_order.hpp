#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// What keeps a problem from a fourth-order error: the compact scheme and τ-extrapolation rest on expansions in powers
/// of one spacing per axis, for unknowns at nodes, a constant κ, and faces that are Dirichlet or periodic.
struct Obstacle {
  enum class Datum { cells, coefficient, tensor, reaction, face, centering };

  Datum datum;
  std::size_t place;        ///< the axis of cells, the direction of a coefficient, the number of a face
  std::string_view what;    ///< "has cells of different widths"
  std::string_view wanted;  ///< "equal ones"
};

/// All of them. `constant_reaction`: σ must be a constant too.
std::vector<Obstacle> fourth_order_obstacles(const Problem& problem, bool constant_reaction);

/// Throws InputError with the first obstacle; `subject`: what needs the fourth order.
void require_fourth_order(const Problem& problem, bool constant_reaction, const std::string& subject);

}  // namespace poisson
