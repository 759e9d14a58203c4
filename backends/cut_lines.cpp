#include "backends/cut_lines.hpp"

#include <utility>

#include "backends/cpu/cut_lines.hpp"
#include "backends/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/cut_lines.hpp"
#endif

namespace poisson {
namespace {

PartsOfLines parts_of(const LineRows& rows) {
  const Space& space = rows.sum.space();
  const Cuts& cuts = space.cuts();
  const auto [fast, slow] = axes_across(rows.axis);
  return {rows.sum.backend(),
          rows.sum.precision(),
          rows.processes,
          {cuts.count(0), cuts.count(1), cuts.count(2)},
          rows.axis,
          space.most_values()[fast],
          space.most_values()[slow]};
}

}  // namespace

CutLines::CutLines(LineRows rows) : rows_(std::move(rows)), ends_(parts_of(rows_)) {
  ends_.join();
}

void CutLines::solve(Field& x) {
  const int most = space().most_values()[axes_across(rows_.axis)[1]];
  for (int first = 0; first < most; first += ends_.slows()) {
    reduce(x, first);
    ends_.gather();
    solve_ends(x, first);
  }
  eliminate(x);
}

std::unique_ptr<CutLines> make_cut_lines(LineRows rows) {
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

std::size_t cut_lines_bytes(const Layout& layout, Precision precision, const std::array<int, 3>& parts, int axis,
                            bool gpu) {
  const auto [fast, slow] = axes_across(axis);
  std::size_t bytes = 2 * static_cast<std::size_t>(layout.allocated(precision)) * bytes_of(precision) +
                      PartsOfLines::bytes(precision, parts, axis, layout.n[fast], layout.n[slow]);
#ifdef POISSON_HAVE_CUDA
  if (gpu) bytes += cuda::kept_of_cut_lines(layout, axis) * bytes_of(precision);
#else
  static_cast<void>(gpu);
#endif
  return bytes;
}

}  // namespace poisson
