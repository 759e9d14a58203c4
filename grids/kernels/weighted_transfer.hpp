#pragma once

#include "grids/kernels/grid_kernels.hpp"

namespace poisson {

/// `WeightedTransferBase` is the common base, on all devices, of transfers that store the columns of the prolongation
/// as weights. Restriction is the transpose.
class WeightedTransferBase : public Transfer {
 public:
  WeightedTransferBase(const Block& fine, const CoarseBlock& coarse, const Weights& weights)
      : fine_unknowns_(fine.unknowns()), coarse_unknowns_(coarse.block.unknowns()), weights_(weights) {
    for (const auto& w : weights_)
      if (w) precision_ = w->precision();
  }

  void do_prolong(const Field& coarse, Field& fine) const override { spread(coarse, fine, false, nullptr); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { spread(coarse, fine, true, nullptr); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    spread(coarse, fine, false, scale);
  }

 protected:
  virtual void spread(const Field& coarse, Field& fine, bool add, const Scalar* scale) const = 0;

  Box fine_unknowns_, coarse_unknowns_;
  Weights weights_;
  Precision precision_ = Precision::fp64;  ///< weights' precision
};

}  // namespace poisson
