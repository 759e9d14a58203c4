#pragma once

#include <string>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// What keeps a problem from a fourth-order error: the compact scheme and τ-extrapolation rest on expansions in powers
/// of one spacing per axis, for unknowns at nodes, a constant κ, and faces that are Dirichlet or periodic.
struct Obstacle {
  std::string key;  ///< discretization.centering, grid.axes.x, equation.coefficient(.x), equation.reaction, boundary.x-
  std::string what;    ///< "has cells of different widths"
  std::string wanted;  ///< "equal ones"
  std::string remedy;  ///< "write grid.type: equidistant"
};

/// All of them, in the order of the keys of a configuration. `constant_reaction`: σ must be a constant too.
std::vector<Obstacle> fourth_order_obstacles(const Problem& problem, bool constant_reaction);

/// Throws InputError with the first obstacle; `subject`: what needs the fourth order.
void require_fourth_order(const Problem& problem, bool constant_reaction, const std::string& subject);

}  // namespace poisson
