#pragma once

#include <memory>

#include "grids/operators/patched_operator.hpp"

namespace poisson {

/// Returns the levels of a grid whose finest level consists of patches, given the levels of the part that they tile and
/// the finest operator on patches. Transfers to and from the finest level move values between patches and part; coarser
/// levels are those of the part. Throws InputError if the finest level relaxes planes or has strong clusters.
Hierarchy make_patched_hierarchy(Hierarchy levels, std::unique_ptr<Operator> finest,
                                 const std::shared_ptr<const PatchedBox>& of);

}  // namespace poisson
