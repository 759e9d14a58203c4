#pragma once

#include <memory>

#include "grids/levels/levels.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Whether a level relaxes lines of which other processes have parts.
bool cuts_lines(const Block& block, const Relaxation& relaxed);

/// A, the operator of these rows, with a splitting by such lines: all processes solve for them together. `holding`, if
/// any, stands on the diagonals of A beside what the rows have.
std::unique_ptr<Operator> with_cut_lines(std::unique_ptr<Operator> A, const SchemeRows& rows, const Field* holding,
                                         int axis);

}  // namespace poisson
