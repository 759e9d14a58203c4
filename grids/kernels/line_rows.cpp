#include "grids/kernels/line_rows.hpp"

#include <utility>

#include "backends/device/rehearsal.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/rows/lines_of_bands.hpp"

namespace poisson {
namespace {

LineEnds ends_on(const Space& space, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  LineEnds ends{axis};
  if (!space.part().closed()[d]) {
    if (space.part().ends_here(d, 0)) ends.first = space.part().unknowns().first[d];
    if (space.part().ends_here(d, 1)) ends.last = space.part().unknowns().last[d] - 1;
  }
  return ends;
}

}  // namespace

LineRows make_line_rows(Backend& backend, const SchemeRows& rows, Precision precision, int axis) {
  const Block& block = level_rows(rows).block;
  const Space space = block.space();
  LineRows lines{axis, Field(backend, space, precision), Field(backend, space, precision), block.share->processes};
  const LineEnds ends = ends_on(space, axis);
  if (rehearses(backend)) return lines;
  with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) {
    if (backend.on_gpu()) {
#ifdef POISSON_HAVE_CUDA
      LineRowsOn<OnCuda>::fill<T>(backend, own, ends, lines);
#endif
    } else {
      LineRowsOn<OnHost>::fill<T>(backend, own, ends, lines);
    }
  });
  return lines;
}

LineRows make_line_rows(Backend& backend, const Bands& bands, std::shared_ptr<const Processes> processes,
                        Precision precision, int axis) {
  LineRows lines{axis, Field(backend, bands.space, Precision::fp64), Field(backend, bands.space, Precision::fp64),
                 std::move(processes)};
  LinesOfBands formula{ends_on(bands.space, axis),
                       {},
                       bands.sum->view<double>(),
                       lines.sum.view<double>(),
                       lines.onwards.view<double>()};
  for (std::size_t b = 0; b < bands.offsets.size(); ++b) {
    const Offset& o = bands.offsets[b];
    formula.band[code_of(o[0], o[1], o[2]) - 14] = bands.entries[b]->view<double>();
  }
  grid_kernels(backend).fill_line_rows(backend, formula, bands.space.part().unknowns());
  if (precision == Precision::fp64) return lines;
  LineRows narrow{axis, Field(backend, bands.space, precision), Field(backend, bands.space, precision),
                  std::move(lines.processes)};
  backend.convert(lines.sum, narrow.sum);
  backend.convert(lines.onwards, narrow.onwards);
  return narrow;
}

}  // namespace poisson
