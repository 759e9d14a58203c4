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

/// told(lane, slow, …) = what each line is reduced to (PartOfLine).
template <class AnyLines>
void reduce(const AnyLines& lines, const Told<typename AnyLines::Value>& told);

/// The values at both ends of a part of each line, from what all parts have told, which is overwritten.
template <class AnyLines>
void solve_ends(const AnyLines& lines, const Told<typename AnyLines::Value>& told, int parts, int part);

}  // namespace poisson::cpu
