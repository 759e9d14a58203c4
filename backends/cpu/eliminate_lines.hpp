#pragma once

#include "backends/lines.hpp"
#include "backends/view.hpp"

namespace poisson::cpu {

/// Solves lines in place; with `ends`, between the values that stand at both ends of each.
template <class T>
void eliminate(const Lines<T>& lines, bool ends);

/// told(lane, slow, …) = what each line is reduced to (PartOfLine).
template <class T>
void reduce(const Lines<T>& lines, const View<T>& told);

/// The values at both ends of a part of each line, from what all parts have told, which is overwritten.
template <class T>
void solve_ends(const Lines<T>& lines, const View<T>& told, int parts, int part);

extern template void eliminate(const Lines<float>&, bool);
extern template void eliminate(const Lines<double>&, bool);
extern template void reduce(const Lines<float>&, const View<float>&);
extern template void reduce(const Lines<double>&, const View<double>&);
extern template void solve_ends(const Lines<float>&, const View<float>&, int, int);
extern template void solve_ends(const Lines<double>&, const View<double>&, int, int);

}  // namespace poisson::cpu
