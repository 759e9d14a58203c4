#include "grids/kernels/sweep_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "backends/backend.hpp"

namespace poisson {
namespace {

// Of a field, from which on a CPU's caches no longer hold it, b and the next iterate.
constexpr std::int64_t least_bytes = std::int64_t{8} << 20;

}  // namespace

bool is_pass_worth_it(const Backend& backend, const SchemeRows& rows, Precision precision) {
  const Space& space = level_rows(rows).block.space();
  const bool held = std::visit([](const auto& own) { return own.variable(); }, rows);
  return backend.on_gpu() || held || !space.whole() ||
         space.unknown_count() * static_cast<std::int64_t>(bytes_of(precision)) >= least_bytes;
}

SweptAxis swept_axis(const Space& space, std::size_t axis, int sweeps) {
  const Layout& layout = space.layout();
  const Box &own = space.unknowns(), &all = space.all_unknowns();
  const bool cut = space.cuts().count(axis) > 1, goes_on = cut && space.closed()[axis];
  const int first = own.first[axis], last = own.last[axis], origin = space.origin()[axis];
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
      if (!backend.on_gpu()) return SweepPassesOn<OnHost>::make<T>(backend, own);
#ifdef POISSON_HAVE_CUDA
      return SweepPassesOn<OnCuda>::make<T>(backend, own);
#endif
    }
    return nullptr;
  });
}

}  // namespace poisson
