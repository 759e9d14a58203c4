#include "backends/lines/cut_lines.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/factories.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

// Describes the lines of a patch with `values` values along each axis.
LinesInParts lines_along(int axis, const std::array<int, 3>& values, int parts) {
  const auto [fast, slow] = axes_across(axis);
  return {parts, values[fast], values[slow], values[static_cast<std::size_t>(axis)]};
}

PartsOfLines parts_of(const LineRows& rows) {
  const Space& space = rows.sum.space();
  const Cuts& cuts = space.part().cuts();
  return {rows.sum.backend(), rows.sum.precision(), members_along(cuts, rows.processes, rows.axis),
          lines_along(rows.axis, space.part().most_values(), cuts.count(static_cast<std::size_t>(rows.axis)))};
}

// Owns what cut lines need, for a rehearsal.
class RehearsedLines final : public CutLines {
 public:
  explicit RehearsedLines(LineRows rows) : CutLines(std::move(rows)) {}
  void step(double, double, const Field&, const Field&, Field&) const override {}
  void start(double, const Field&, Field&) const override {}

 private:
  void reduce(Field&, int) override {}
  void solve_ends(std::int64_t) override {}
  void take_ends(Field&, int) override {}
  void eliminate(Field&) override {}
};

}  // namespace

CutLines::CutLines(LineRows rows) : rows_(std::move(rows)), ends_(parts_of(rows_)) {
  ends_.reserve_halo_buffers();
}

void CutLines::solve(Field& x) {
  const auto [fast, slow] = axes_across(rows_.axis);
  const int most = space().part().most_values()[slow];
  for (int first = 0; first < most; first += ends_.slows()) {
    reduce(x, first);
    ends_.tell();
    solve_ends(std::int64_t{count(fast)} * std::clamp(count(slow) - first, 0, ends_.slows()));
    ends_.tell_ends();
    take_ends(x, first);
  }
  eliminate(x);
}

std::unique_ptr<CutLines> make_cut_lines(LineRows rows) {
  if (rehearses(rows.sum.backend())) return std::make_unique<RehearsedLines>(std::move(rows));
  switch (rows.sum.backend().kind()) {
    case BackendKind::cpu:
      return cpu::make_cut_lines(std::move(rows));
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::make_cut_lines(std::move(rows));
#endif
      break;
  }
  throw RunError("there are no lines for CUDA (this build lacks them)", Remedy::host);
}

}  // namespace poisson
