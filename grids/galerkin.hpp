#pragma once

#include "grids/bands.hpp"
#include "grids/block.hpp"

namespace poisson {

/// A_c = Pᵀ A P on the next coarser block, and the transfer between the two in the given precision: P interpolates by
/// the couplings of A (see Collapse), which must be symmetric and of reach 1.
struct GalerkinLevel {
  Bands bands;
  std::unique_ptr<Transfer> transfer;
};
GalerkinLevel coarsen_bands(Backend&, const Bands& fine, const Block& block, const CoarseBlock& coarse,
                            Precision precision);

/// The levels below `finest`, whose bands in fp64 these are: coarser blocks as the couplings choose them by κ along
/// the axes for smoothing points, each operator the Galerkin product of the one above, with rows of 9 or 27 points.
/// Axes are coarsened by index, so that an operator's block says how many values there are and not where. The finest
/// bands are let go as soon as they have served. `rough`: κ jumps in so many places that there may be islands, and they
/// are looked for, level by level until there are none.
Hierarchy make_galerkin_hierarchy(std::shared_ptr<const Operator> finest, Bands bands, Block block,
                                  const std::array<double, 3>& kappa, Precision precision, bool rough = false);

}  // namespace poisson
