#pragma once

#include <memory>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"

namespace poisson {

/// Gathers all rows of a distributed operator in fp64 with reach 1 on every process. `box`: rows couple more than the
/// nearest neighbours.
std::shared_ptr<const Operator> whole_operator(const Operator& part, bool box);

/// Wraps a preconditioner of the replicated operator for a distributed one: every process gathers the right-hand side,
/// solves redundantly, and keeps its own block.
std::unique_ptr<Preconditioner> for_part(const Operator& part, std::unique_ptr<Preconditioner> whole);

}  // namespace poisson
