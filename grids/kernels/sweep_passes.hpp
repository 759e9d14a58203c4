#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/rows/swept_axis.hpp"

namespace poisson {

/// Whether finite volumes on a space, or a part of one, have passes of several sweeps; `held`: κ varies. The same on
/// all processes.
bool has_sweep_pass(const Space& space, bool gpu, bool held);
/// That of rows that hold what they are made of. Null for anything else: there sweeps go one by one.
std::unique_ptr<SweepPass> make_sweep_pass(Backend&, const SchemeRows&, Precision);

/// Whether passes are faster than single sweeps: on a CPU not for small fields, of which second caches hold all, so
/// that a pass only works out values twice; where κ is held rows are shared all the same, and where the grid is cut
/// exchanges are.
bool is_pass_worth_it(const Backend&, const SchemeRows&, Precision);

/// Sweeps of a pass that could take so many: what it reads of the neighbours has to lie in the halo.
inline int sweeps_on(const Space& space, int sweeps) {
  return space.whole() || sweeps < cut_halo ? sweeps : cut_halo;
}
/// An axis of a space as a pass of so many sweeps goes along it.
SweptAxis swept_axis(const Space& space, std::size_t axis, int sweeps);

struct OnHost;
struct OnCuda;

/// Those of one kind of device, instantiated for each precision in translation units of their own.
template <class Device>
struct SweepPassesOn {
  /// LevelRows where κ is constant, else NodeRows or FaceRows.
  template <class T, class Own>
  static std::unique_ptr<SweepPass> make(Backend&, const Own&);
};

}  // namespace poisson
