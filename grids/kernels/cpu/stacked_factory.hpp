#pragma once

#include <memory>

#include "grids/operators/patched_operator.hpp"

namespace poisson::cpu {

/// Returns the operator on the patches that tile a part of a grid, or null if that of the part computes no segments.
std::unique_ptr<Operator> make_stacked_operator(const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of);

}  // namespace poisson::cpu
