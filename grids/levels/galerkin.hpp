#pragma once

#include "grids/levels/levels.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// A_c = Pᵀ A P on the next coarser block, and the transfer between the two in the given precision: P interpolates by
/// the couplings of A (see Collapse), which must be symmetric and of reach 1.
struct GalerkinLevel {
  Bands bands;
  std::unique_ptr<Transfer> transfer;
};
GalerkinLevel coarsen_bands(Backend&, const Bands& fine, const Block& block, const CoarseBlock& coarse,
                            Precision precision);

/// The bands of a level as a whole, or what a group has of them, from those of the parts.
Bands gathered(Backend&, const Bands& parts, const Space& larger);

/// The planned levels with `finest`, whose bands in fp64 these are, and below it each operator the Galerkin product of
/// the one above, with rows of 9 or 27 points. The finest bands are let go as soon as they have served. `block`: what
/// this process has of the finest level, as `sharing` says. `rough`: κ jumps in so many places that there may be
/// islands, and they are looked for, level by level until there are none.
Hierarchy make_galerkin_hierarchy(std::shared_ptr<const Operator> finest, Bands bands, Block block,
                                  const std::vector<LevelPlan>& levels, bool rough = false,
                                  const Sharing& sharing = {});

}  // namespace poisson
