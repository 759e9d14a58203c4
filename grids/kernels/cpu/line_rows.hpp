#pragma once

#include "backends/cpu/launch.hpp"
#include "grids/kernels/line_rows.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson {

template <>
template <class T, class Own>
void LineRowsOn<OnHost>::fill(Backend& backend, const Own& rows, const LineEnds& ends, LineRows& lines) {
  with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) {
    const typename TablesFor<T, Coefficients>::Type tables(backend, rows);
    const auto c = tables.template model<Coefficients>();
    const auto sum = lines.sum.view<T>(), onwards = lines.onwards.view<T>();
    const Box& box = lines.sum.space().part().unknowns();
    cpu::for_each_line(box, [&](int j, int k) {
      const auto line = c.line(j, k);
      for (int i = box.first[0]; i < box.last[0]; ++i) {
        const PartRow<T> row = part_row(line_row(decoupled(line.row(i), rows.decoupled), ends.axis), ends, i, j, k);
        sum(i, j, k) = row.sum;
        onwards(i, j, k) = row.onwards;
      }
    });
  });
}

}  // namespace poisson
