#pragma once

#include "grids/levels/levels.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Contains A_c = Pᵀ A P on the next coarser block, and the transfer between the two levels in the given precision. P
/// interpolates by the couplings of A (grids/rows/galerkin_formulas.hpp). A must be symmetric and of reach 1.
struct GalerkinLevel {
  Bands bands;
  std::unique_ptr<Transfer> transfer;
};
GalerkinLevel coarsen_bands(Backend&, const Bands& fine, const Block& block, const CoarseBlock& coarse,
                            Precision precision);

/// Returns the bands of the global level, or of a group's part of it, gathered from the parts.
Bands gathered(Backend&, const Bands& parts, const Space& larger);

/// Returns the planned levels below and including `finest`. `bands` are the bands of `finest` in fp64; they are
/// released as soon as possible. Each coarser operator is the Galerkin product of the operator above, with rows of 9 or
/// 27 points. `block` is this process's part of the finest level, as `sharing` defines it. From level
/// `clusters_from` on, levels are searched for strong clusters until one has none; −1: no level is searched.
/// `large_clusters`: those in space may be as large as in the plane.
Hierarchy make_galerkin_hierarchy(std::shared_ptr<const Operator> finest, Bands bands, Block block,
                                  const std::vector<LevelPlan>& levels, int clusters_from = -1,
                                  const Sharing& sharing = {}, bool large_clusters = false);

}  // namespace poisson
