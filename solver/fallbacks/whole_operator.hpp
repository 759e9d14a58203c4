#pragma once

#include <memory>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// All rows of an operator in fp64 and reach 1 that several processes share, in each of them. `box`: rows couple more
/// than the nearest neighbours.
std::shared_ptr<const Operator> whole_operator(const Operator& part, bool box);

/// A preconditioner of the whole operator for the operator of a part: what all processes have of a right-hand side
/// comes together in each, which solves by itself and takes what is its own.
std::unique_ptr<Preconditioner> for_part(const Operator& part, std::unique_ptr<Preconditioner> whole);

}  // namespace poisson
