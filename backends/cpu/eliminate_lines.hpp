#pragma once

#include "backends/constant_line.hpp"
#include "backends/reduced_line.hpp"

/// Of Lines and of HeldLines, in both precisions.
namespace poisson::cpu {

/// Solves lines in place; with `ends`, between the values that stand at both ends of each.
template <class AnyLines>
void eliminate(const AnyLines& lines, bool ends);

/// The same of lines whose rows are those of their even half and of the odd one behind it: each is folded before it is
/// solved, and unfolded afterwards (fold.hpp).
template <class T>
void eliminate_folded(const Lines<T>& lines);

/// Takes their mean off the values of a line, each weighted by its row's sum of M.
template <class T>
void take_mean(const Lines<T>& lines, const ConstantLine& line);

/// What each line is reduced to, to where it is told (PartOfLine).
template <class AnyLines>
void reduce(const AnyLines& lines, const Told<typename AnyLines::Value>& told);

template <class T>
void solve_ends(const EndSystems<T>& systems);

/// The values at both ends of each line, from where they have come.
template <class T>
void take_ends(const PlacesOfLines<T>& lines, const Told<T>& ends);

}  // namespace poisson::cpu
