#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/sweep_pass.hpp"

namespace poisson {

/// Passes of several sweeps for finite volumes whose rows come from constants or from κ in memory, on a grid that is
/// not cut. Null for anything else: there a pass is one sweep of the operator's.
std::unique_ptr<SweepPass> make_sweep_pass(Backend&, const SchemeRows&, Precision);

struct OnHost;
struct OnCuda;

/// Those of one kind of device, instantiated for each precision in translation units of their own.
template <class Device>
struct SweepPassesOn {
  template <class T, class Own>
  static std::unique_ptr<SweepPass> make(Backend&, const Own&);
};

}  // namespace poisson
