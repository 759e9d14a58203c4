#include "grids/kernels/sweep_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "backends/cpu/launch.hpp"
#include "backends/cuda/marched.hpp"
#include "backends/device/backend.hpp"
#include "backends/device/shared_launches.hpp"
#include "grids/kernels/rehearsal/rehearsal.hpp"

namespace poisson {
namespace {

// On a CPU, passes pay off for fields of at least this size.
constexpr std::int64_t least_bytes = std::int64_t{512} << 10;

// Returns whether a GPU has passes for all sub-blocks of a grid. It has none if verbs share launches, or if an axis
// within a plane has only one value.
bool suits_gpu(const Space& space) {
  for (int p = 0; p < space.part().cuts().patches(); ++p) {
    const Box values = space.part().cuts().patch(p), &all = space.part().all_unknowns();
    Box unknowns;
    for (std::size_t d = 0; d < 3; ++d) {
      unknowns.first[d] = std::max(values.first[d], all.first[d]);
      unknowns.last[d] = std::min(values.last[d], all.last[d]);
    }
    const Layout own = space.part().cuts().layout(p), layout = cuda::marched(own);
    if (unknowns.size() <= most_shared_values || layout.n[2] == 1 || (!cuda::is_plane(own) && own.n[1] == 1))
      return false;
  }
  return true;
}

}  // namespace

// On a partitioned grid a pass has only two sweeps. They are too few to pay for storing the rows of a three-dimensional
// sub-block, and on a GPU the rows of a plane.
bool has_sweep_pass(const Space& space, bool gpu, bool stored) {
  const bool whole = space.is_global();
  if (gpu) return suits_gpu(space) && (!stored || (whole && cuda::is_plane(space.part().layout())));
  return !stored || whole || cpu::is_flat(space);
}

bool is_pass_worth_it(const Backend& backend, const SchemeRows& rows, Precision precision) {
  const Space& space = level_rows(rows).block.space();
  const bool stored = std::visit([](const auto& own) { return own.variable(); }, rows);
  return backend.on_gpu() || stored || !space.is_global() ||
         space.unknown_count() * static_cast<std::int64_t>(bytes_of(precision)) >= least_bytes;
}

SweptAxis swept_axis(const Space& space, std::size_t axis, int sweeps) {
  const Layout& layout = space.part().layout();
  const Box &own = space.part().unknowns(), &all = space.part().all_unknowns();
  const bool cut = space.part().cuts().count(axis) > 1, goes_on = cut && space.part().closed()[axis];
  const int first = own.first[axis], last = own.last[axis], origin = space.part().origin()[axis];
  const int least = cut ? first - (sweeps - 1) : first, most = cut ? last + (sweeps - 1) : last;
  return {.first = first,
          .last = last,
          .values = layout.n[axis],
          .closed = layout.periodic[axis] && layout.n[axis] > 1,
          .least = goes_on ? least : std::max(least, all.first[axis] - origin),
          .most = goes_on ? most : std::min(most, all.last[axis] - origin),
          .halo = layout.halo[axis]};
}

std::unique_ptr<SweepPass> make_sweep_pass(Backend& backend, const SchemeRows& rows, Precision precision) {
  const LevelRows& level = level_rows(rows);
  if (level.kappa_source || level.decoupled >= 0) return nullptr;
  return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<SweepPass> {
    if constexpr (!std::is_same_v<Own, ElementRows>) {
      if (!has_sweep_pass(level.block.space(), backend.on_gpu(), !std::is_same_v<Own, LevelRows>)) return nullptr;
      if (rehearses(backend)) return rehearsal::make_sweep_pass(backend, rows, precision);
      if (!backend.on_gpu()) return SweepPassesOn<OnHost>::make<T>(backend, own);
#ifdef POISSON_HAVE_CUDA
      return SweepPassesOn<OnCuda>::make<T>(backend, own);
#endif
    }
    return nullptr;
  });
}

}  // namespace poisson
