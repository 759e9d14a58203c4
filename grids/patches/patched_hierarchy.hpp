#pragma once

#include <memory>

#include "grids/operators/patched_operator.hpp"

namespace poisson {

/// Puts patches above the levels of the part that they tile, given their finest operator. The first transfer copies
/// values between patches and part, so that a cycle works on the part (Multigrid).
Hierarchy make_patched_hierarchy(Hierarchy levels, std::unique_ptr<Operator> finest,
                                 const std::shared_ptr<const PatchedBox>& of);

/// Returns whether a transfer changes the places of values alone: it is the one between patches and their part.
bool moves_alone(const Transfer& transfer);

}  // namespace poisson
