#include "grids/kernels/line_rows.hpp"

#include "backends/backend.hpp"

namespace poisson {

LineRows make_line_rows(Backend& backend, const SchemeRows& rows, Precision precision, int axis) {
  const Block& block = level_rows(rows).block;
  const Space space = block.space();
  LineRows lines{axis, Field(backend, space, precision), Field(backend, space, precision), block.share->processes};
  const auto d = static_cast<std::size_t>(axis);
  LineEnds ends{axis};
  if (!space.closed()[d]) {
    if (space.ends_here(d, 0)) ends.first = space.unknowns().first[d];
    if (space.ends_here(d, 1)) ends.last = space.unknowns().last[d] - 1;
  }
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

}  // namespace poisson
