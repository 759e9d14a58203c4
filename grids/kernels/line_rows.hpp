#pragma once

#include "backends/lines/cut_lines.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/part_row.hpp"

namespace poisson {

/// Returns the rows of the lines along an axis on this process's part of a level.
LineRows make_line_rows(Backend&, const SchemeRows&, Precision, int axis);
/// Does the same for bands of reach 1, which are distributed over these processes.
LineRows make_line_rows(Backend&, const Bands&, std::shared_ptr<const Processes>, Precision, int axis);

struct OnHost;
struct OnCuda;

/// Fills the rows on one kind of device. A separate translation unit instantiates each precision.
template <class Device>
struct LineRowsOn {
  template <class T, class Own>
  static void fill(Backend&, const Own&, const LineEnds&, LineRows&);
};

}  // namespace poisson
