#pragma once

#include <memory>
#include <vector>

#include "grids/levels/levels.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// The axes of the lines that a level relaxes and of which other processes have parts.
std::vector<int> axes_of_cut_lines(const Block& block, const Relaxation& relaxed);

/// Returns A, the operator of these rows, with splittings by the lines along these axes, which all processes solve for
/// together. `penalty`, if any, stands on the diagonals of A beside what the rows have. Returns A itself where there
/// are no axes.
std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const SchemeRows& rows,
                                               const Field* penalty, const std::vector<int>& axes);
/// The same of the operator of these bands, which the processes of the block share.
std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const Bands& bands,
                                               const Block& block, const std::vector<int>& axes);

}  // namespace poisson
