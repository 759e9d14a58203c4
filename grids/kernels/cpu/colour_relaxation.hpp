#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "grids/kernels/cpu/sweep.hpp"
#include "grids/operators/box_colours.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/box_stencil.hpp"
#include "grids/rows/colours.hpp"
#include "grids/rows/stencil.hpp"

/// Gauss–Seidel relaxes colour after colour. A colour has every second value of a line. Loops over such values compile
/// to scalar code or gathers. Vector code therefore computes all values of the line into scratch memory, and only the
/// values of the colour are copied.
namespace poisson::cpu {

/// Returns scratch memory of this thread for `lines` lines of `values` values.
template <class T>
T* line_scratch(int lines, int values) {
  thread_local std::vector<T> memory;
  const auto needed = static_cast<std::size_t>(lines) * static_cast<std::size_t>(values);
  if (memory.size() < needed) memory.resize(needed);
  return memory.data();
}

/// Does one sweep over the colours of a 5- or 7-point stencil. Results for values of other colours are discarded, since
/// another thread may be relaxing the neighbours of these values.
template <class T, class Coefficients>
void relax_star_colours(const Coefficients& c, const Space& space, int nx, Backend& backend, T omega, bool reversed,
                        const View<const T>& b, const Field& field, const View<T>& u) {
  const auto colours = colours_on<Colours>(space);
  for (int turn = 0; turn < colours.count(); ++turn) {
    const int colour = reversed ? colours.count() - 1 - turn : turn;
    backend.exchange_overlapped(field, space.unknowns(), [&](const Box& part) {
      const int first = part.first[0], last = part.last[0];
      for_each_line(part, [&](int j, int k) {
        T* const at = u.line(j, k);
        T* const made = line_scratch<T>(1, nx);
        for_line(c.line(j, k), first, last, nx,
                 [in = static_cast<const T*>(at), rhs = b.line(j, k), made, sy = u.sy, sz = u.sz, omega](
                     const auto& row, int i) {
                   made[i] = stencil::gauss_seidel(row, Star<T>::at(in + i, sy, sz), rhs[i], omega);
                 });
        const auto own = colours.on_line(colour, j, k, first, last);
        for (int i = own.first; i < own.last; i += 2) at[i] = made[i];
      });
    });
  }
}

/// Does one sweep over the colours of a 9- or 27-point stencil. Lines of one colour are not neighbours, and the colours
/// of a line are consecutive. If x is not cut, a line therefore relaxes all its colours in turn and reads its rows
/// once.
template <class T, class Coefficients>
void relax_box_colours(const Coefficients& c, const Space& space, int nx, Backend& backend, T omega, bool reversed,
                       const View<const T>& b, const Field& field, const View<T>& u) {
  const auto colours = colours_on<BoxColours>(space);
  const bool whole_lines = space.cuts().count(0) == 1, closed = space.layout().periodic[0];
  const int along = whole_lines ? colours.colours[0] : 1;  // colours per pass of a line
  for (int turn = 0; turn < colours.count(); turn += along) {
    backend.exchange_overlapped(field, space.unknowns(), [&](const Box& part) {
      const int first = part.first[0], last = part.last[0];
      for_each_line(part, [&](int j, int k) {
        const auto own = [&](int t) {
          return colours.on_line(reversed ? colours.count() - 1 - t : t, j, k, first, last);
        };
        bool some = false;
        for (int t = turn; t < turn + along; ++t) some = some || own(t).count() > 0;
        if (!some) return;
        T* const at = u.line(j, k);
        const T* const in = at;
        // `rest` is the residual without the couplings along the line, `before` and `after` are these couplings, and
        // `factor` is ω/D.
        T* const rest = line_scratch<T>(4, nx);
        T *const before = rest + nx, *const after = before + nx, *const factor = after + nx;
        for_line(c.line(j, k), first, last, nx, [=, rhs = b.line(j, k), sy = u.sy, sz = u.sz](const auto& row, int i) {
          using Row = std::decay_t<decltype(row)>;
          constexpr int centre = box_centre<Row::dimension>;
          rest[i] = rhs[i] - row.times_beside(Row::Neighbours::at(in + i, sy, sz));
          before[i] = row.at[centre - 1];
          after[i] = row.at[centre + 1];
          factor[i] = omega * stencil::reciprocal(row.diagonal());
        });
        for (int t = turn; t < turn + along; ++t) {
          const auto values = own(t);
          for (int i = values.first; i < values.last; i += 2)
            at[i] += factor[i] * (rest[i] - sum_of_products(before[i], at[i] - at[i - 1], after[i], at[i] - at[i + 1]));
          if (closed && whole_lines) {
            at[-1] = at[nx - 1];
            at[nx] = at[0];
          }
        }
      });
    });
  }
}

}  // namespace poisson::cpu
