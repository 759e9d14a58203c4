#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// From a level that several processes share to one that each of them, or each of their groups, has as a whole: coarse
/// values are restricted by parts and gathered; on the way back each process has what it needs, but for what groups
/// exchange.
class GatheringTransfer final : public Transfer {
 public:
  /// `parts`: the transfer between what this process has of the finer level and of the coarser one, `coarse`, whose
  /// fields have this precision.
  GatheringTransfer(std::unique_ptr<Transfer> parts, Backend& backend, const Block& coarse, Precision precision);

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override;
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override;
  void prolong(const Field& coarse, Field& fine) const override;
  void prolong_add(const Field& coarse, Field& fine) const override;
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override;
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override;

 private:
  void take(const Field& coarse) const;

  std::unique_ptr<Transfer> parts_;
  Backend& backend_;
  mutable Field part_;
};

/// The rows of a level as a whole, or what a group has of it, from those of the parts.
SchemeRows gathered(Backend& backend, const SchemeRows& part, const Block& larger);
/// The same of values of the level, of which `part` has a part; null stays null.
std::shared_ptr<const Field> gathered(Backend& backend, std::shared_ptr<const Field> values, const Block& part,
                                      const Block& larger);

}  // namespace poisson
