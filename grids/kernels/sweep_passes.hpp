#pragma once

#include <memory>

#include "grids/operators/level_rows.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/rows/swept_axis.hpp"

namespace poisson {

/// Returns whether finite volumes on a space, or on a sub-block of one, have passes of several sweeps. `stored` means
/// that κ varies. The result is the same on all processes.
bool has_sweep_pass(const Space& space, bool gpu, bool stored);
/// Creates the sweep pass for rows whose coefficients are stored or constant. Returns null for all others: their sweeps
/// run one by one.
std::unique_ptr<SweepPass> make_sweep_pass(Backend&, const SchemeRows&, Precision);

/// Returns whether passes are faster than single sweeps. On a CPU they are slower for small fields, which fit the
/// second-level caches: a pass then only computes some values twice. This does not apply with stored κ, where the
/// sweeps of a pass share rows, or on a partitioned grid, where they share an exchange.
bool is_pass_worth_it(const Backend&, const SchemeRows&, Precision);

/// Returns the number of sweeps of a pass that could have `sweeps`: the values read from neighbours must lie in the
/// halo.
inline int sweeps_on(const Space& space, int sweeps) {
  return space.is_global() || sweeps < cut_halo ? sweeps : cut_halo;
}
/// Returns the description of an axis for a pass of `sweeps` sweeps.
SweptAxis swept_axis(const Space& space, std::size_t axis, int sweeps);

struct OnHost;
struct OnCuda;

/// `SweepPassesOn` creates the passes of one kind of device. Each precision is instantiated in a separate translation
/// unit.
template <class Device>
struct SweepPassesOn {
  /// Accepts LevelRows for constant κ, otherwise NodeRows or FaceRows.
  template <class T, class Own>
  static std::unique_ptr<SweepPass> make(Backend&, const Own&);
};

}  // namespace poisson
