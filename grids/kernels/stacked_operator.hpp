#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/patched_operator.hpp"

namespace poisson {

/// Returns an operator on patches, given the operator of these rows on the part of the grid that they tile. Its verbs
/// are one launch for each group of patches. Operators without such verbs move values to the part instead: those of
/// elements and of bands on a GPU, those that the backend's kernels did not make, and those of turned patches.
std::unique_ptr<Operator> make_stacked_operator(const SchemeRows& rows, Assembly assembly,
                                                std::shared_ptr<const Operator> box,
                                                std::shared_ptr<const PatchedBox> of);

}  // namespace poisson
