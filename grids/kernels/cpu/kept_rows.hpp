#pragma once

#include <cstddef>
#include <cstdint>

#include "grids/kernels/cpu/sweep.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cpu {

/// `KeptRows` stores the rows of a tile's planes, computed once for all sweeps of a pass, if κ is stored. A coupling
/// belongs to the rows of two values and is stored once, with the lower value. Planes are marched along z, in two
/// dimensions along y.
template <class T>
class KeptRows {
 public:
  /// The arrays of a line are the couplings to its next value, to the next line and to the next plane, the reaction,
  /// and ω/D.
  static constexpr int arrays = 5;

  /// Returns the number of values of `planes` planes of a tile, and of the couplings of one more plane, below the
  /// first.
  static std::size_t values(int planes, int lines, std::int64_t pitch) {
    return static_cast<std::size_t>(arrays * planes + 1) * static_cast<std::size_t>(lines) *
           static_cast<std::size_t>(pitch);
  }

  /// `first` and `first_plane` are the lowest line and plane that are ever accessed.
  KeptRows(T* memory, int planes, int lines, std::int64_t pitch, int first, int first_plane)
      : memory_(memory), planes_(planes), lines_(lines), first_(first), first_plane_(first_plane), pitch_(pitch) {}

  struct Line {
    T *in_line, *across, *reaction, *factor;  ///< this line's arrays
    T* before;                                ///< `across` of the previous line
    T *along, *below;                         ///< this and the lower plane's
  };
  struct Plane {
    T *own, *along, *below;
    std::int64_t pitch;

    Line line(int c) const {
      T* const at = own + c * own_arrays * pitch;
      return {at,
              at + pitch,
              at + 2 * pitch,
              at + 3 * pitch,
              at + pitch - own_arrays * pitch,
              along + c * pitch,
              below + c * pitch};
    }
  };
  Plane plane(int p) const {
    const int at = p - first_plane_;
    T* const of_planes = memory_ + std::int64_t{own_arrays} * planes_ * lines_ * pitch_;
    const auto ring = [&](int plane) { return of_planes + (plane % (planes_ + 1) * lines_ - first_) * pitch_; };
    return {memory_ + std::int64_t{own_arrays} * (at % planes_ * lines_ - first_) * pitch_, ring(at),
            ring(at + planes_), pitch_};
  }

 private:
  static constexpr int own_arrays = arrays - 1;  // all except `along`

  T* memory_;
  int planes_, lines_, first_, first_plane_;
  std::int64_t pitch_;
};

/// Returns row i of a line. `flat` selects two dimensions, where a line has no neighbour lines in its plane. `reacts`
/// states whether there are reactions.
template <bool flat, bool reacts, class T>
[[gnu::always_inline]] inline Row<T> kept_row(const typename KeptRows<T>::Line& at, int i) {
  const T reaction = reacts ? at.reaction[i] : T(0);
  if constexpr (flat)
    return {at.in_line[i - 1], at.in_line[i], at.below[i], at.along[i], T(0), T(0), reaction};
  else
    return {at.in_line[i - 1], at.in_line[i], at.before[i], at.across[i], at.below[i], at.along[i], reaction};
}

/// `KeptLine` is a line of stored rows.
template <bool flat, bool reacts, class T>
struct KeptLine {
  static constexpr bool uniform = true;
  typename KeptRows<T>::Line kept;

  [[gnu::always_inline]] Row<T> row(int i) const { return kept_row<flat, reacts, T>(kept, i); }
};

/// Computes the rows first … last − 1 of a line, after those of the previous line and plane. The terms of a sum are
/// stored before they are added. Otherwise the compiler would fuse a product into the sum. The sum would then round
/// differently from a single sweep, which uses the product twice.
template <bool flat, bool reacts, class T, class RowsOfLine>
[[gnu::noinline]] void keep_rows(const RowsOfLine& of_line, int first, int last, T omega,
                                 const typename KeptRows<T>::Line to) {
  const RowsOfLine line = coupled(of_line);
  to.in_line[first - 1] = line.row(first).west;
#pragma omp simd
  for (int i = first; i < last; ++i) {
    const Row<T> a = line.row(i);
    to.in_line[i] = a.east;
    if constexpr (!flat) to.across[i] = a.north;
    to.along[i] = flat ? a.north : a.top;
    if constexpr (reacts) to.reaction[i] = a.reaction;
  }
#pragma omp simd
  for (int i = first; i < last; ++i)
    to.factor[i] = omega * stencil::reciprocal(kept_row<flat, reacts, T>(to, i).diagonal());
}
/// Computes the couplings on one side of the same rows.
template <class T, class RowsOfLine>
[[gnu::noinline]] void keep_couplings(const RowsOfLine& of_line, int first, int last, T Row<T>::*side, T* to) {
  const RowsOfLine line = coupled(of_line);
#pragma omp simd
  for (int i = first; i < last; ++i) to[i] = line.row(i).*side;
}

}  // namespace poisson::cpu
