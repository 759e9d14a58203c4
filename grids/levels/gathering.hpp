#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Transfers between a shared level and a coarser level that each process, or each group of processes, stores entirely.
/// Coarse values are restricted by parts and then gathered. For prolongation each process has all coarse values that it
/// needs, except for values that groups exchange.
class GatheringTransfer final : public Transfer {
 public:
  /// `parts` is the transfer between this process's parts of the finer level and of the coarser level. `coarse` is the
  /// part of the coarser level; its fields have this precision.
  GatheringTransfer(std::unique_ptr<Transfer> parts, Backend& backend, const Block& coarse, Precision precision);

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override;
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override;
  void do_prolong(const Field& coarse, Field& fine) const override;
  void do_prolong_add(const Field& coarse, Field& fine) const override;
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override;
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override;

 private:
  void take(const Field& coarse) const;

  std::unique_ptr<Transfer> parts_;
  Backend& backend_;
  mutable Field part_;
};

/// Returns the rows of the global level, or of a group's part of it, gathered from the parts.
SchemeRows gathered(Backend& backend, const SchemeRows& part, const Block& larger);
/// Gathers a field of values of the level in the same way, from `part`. Null remains null.
std::shared_ptr<const Field> gathered(Backend& backend, std::shared_ptr<const Field> values, const Block& part,
                                      const Block& larger);

}  // namespace poisson
