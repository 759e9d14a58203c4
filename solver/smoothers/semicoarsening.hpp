#pragma once

#include <memory>
#include <vector>

#include "solver/multigrid/preconditioner.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// A correction from a coarser level that keeps an axis.
struct SideCorrection {
  std::shared_ptr<const Transfer> transfer;
  std::shared_ptr<Preconditioner> below;
};

/// One correction after another, each for the residual that the one before leaves: errors that oscillate along one
/// axis, where its couplings are weak and those along both other axes strong.
class SemicoarseningSmoother final : public Smoother {
 public:
  SemicoarseningSmoother(const Operator& A, std::vector<SideCorrection> corrections)
      : A_(A), corrections_(std::move(corrections)) {}
  void smooth(const Field& b, Iterate& u, bool reversed) const override;

 private:
  const Operator& A_;
  std::vector<SideCorrection> corrections_;
};

}  // namespace poisson
