#pragma once

#include "backends/memory/view.hpp"
#include "grids/rows/galerkin_formulas.hpp"
#include "grids/rows/part_row.hpp"

namespace poisson {

/// Reads the rows of the lines along an axis off bands of reach 1 in double precision, on every backend.
struct LinesOfBands {
  LineEnds ends;
  View<const double> band[13], row_sum;  ///< band[code − 14] has no data if absent
  View<double> sum, onwards;             ///< the stored row (PartRow)

  constexpr double coupling(int code, int i, int j, int k) const {
    const View<const double>& stored = band[code > 13 ? code - 14 : 12 - code];
    if (!stored.data) return 0;
    if (code > 13) return stored(i, j, k);
    return stored(i + offset_of(code, 0), j + offset_of(code, 1), k + offset_of(code, 2));
  }

  constexpr void operator()(int i, int j, int k) const {
    const int stride = ends.axis == 0 ? 1 : ends.axis == 1 ? 3 : 9;
    LineRow<double> line{coupling(13 - stride, i, j, k), coupling(13 + stride, i, j, k), row_sum(i, j, k)};
    for (int code = 0; code < 27; ++code)
      if (code != 13 && code != 13 - stride && code != 13 + stride) line.rest += coupling(code, i, j, k);
    const PartRow<double> row = part_row(line, ends, i, j, k);
    sum(i, j, k) = row.sum;
    onwards(i, j, k) = row.onwards;
  }
};

}  // namespace poisson
