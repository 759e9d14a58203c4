#pragma once

#include <memory>

#include "grids/axes/block.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// Contains the couplings of the cells of a level to fixed and floating bodies, while rediscretized levels are made.
/// Sums over coarse cells would keep the fine distances to the walls (docs/design/materials.md).
class WallLevels {
 public:
  /// Takes the couplings of the finest level from its rows, if there are bodies with a value. Collective.
  WallLevels(const SchemeContext& context, const SchemeRows& rows);

  /// Returns the rows of the level, whose walls have the distances that count on the coarser level.
  SchemeRows moved(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse);
  /// Goes on to the coarser level, whose rows were made from the result of moved().
  void coarsen(Backend& backend, const SchemeRows& coarse, const Transfer& transfer);
  /// Gathers the couplings, as `rows` of the level were. Collective.
  void gather(Backend& backend, const SchemeRows& rows, const Block& part);

 private:
  std::shared_ptr<const Field> walls_;    ///< is FaceRows::reaction if this contains nothing else; null without walls
  std::shared_ptr<const Field> farther_;  ///< `walls_` at the distances of the coarser level
  bool alone_ = false;                    ///< FaceRows::reaction contains nothing else that coarse levels need
};

}  // namespace poisson
