#pragma once

#include "backends/lines/cut_lines.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/part_row.hpp"

namespace poisson {

/// The rows of the lines along an axis, of what a process has of a level.
LineRows make_line_rows(Backend&, const SchemeRows&, Precision, int axis);
/// The same of bands of reach 1, which these processes share.
LineRows make_line_rows(Backend&, const Bands&, std::shared_ptr<const Processes>, Precision, int axis);

struct OnHost;
struct OnCuda;

/// How one kind of device fills them, instantiated for each precision in translation units of their own.
template <class Device>
struct LineRowsOn {
  template <class T, class Own>
  static void fill(Backend&, const Own&, const LineEnds&, LineRows&);
};

}  // namespace poisson
