#pragma once

#include <memory>
#include <vector>

#include "grids/levels/levels.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Returns the axes along which a level relaxes lines that are cut between processes.
std::vector<int> axes_of_cut_lines(const Block& block, const Relaxation& relaxed);

/// Returns A, the operator of these rows, with splittings by the lines along these axes. All processes solve the lines
/// together. `penalty`, if not null, is added to the diagonal of A. Returns A itself if there are no axes.
std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const SchemeRows& rows,
                                               const Field* penalty, const std::vector<int>& axes);
/// Does the same for the operator of these bands, which is distributed over the processes of the block.
std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const Bands& bands,
                                               const Block& block, const std::vector<int>& axes);

}  // namespace poisson
