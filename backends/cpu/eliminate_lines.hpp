#pragma once

#include "backends/lines/reduced_line.hpp"
#include "backends/transforms/constant_line.hpp"

/// All functions exist for Lines and for StoredLines, and for both precisions.
namespace poisson::cpu {

/// Solves lines in place. With `ends`, the values at both ends of each line are known.
template <class AnyLines>
void eliminate(const AnyLines& lines, bool ends);

/// Solves lines whose rows describe their even half, followed by the odd one. Each line is folded before it is solved,
/// and unfolded afterwards (fold.hpp).
template <class T>
void eliminate_folded(const Lines<T>& lines);

/// Subtracts the mean from the values of a line, weighted by the row sums of M.
template <class T>
void take_mean(const Lines<T>& lines, const ConstantLine& line);

/// Reduces each line and writes the numbers (PartOfLine) to the exchange buffer.
template <class AnyLines>
void reduce(const AnyLines& lines, const SendBuffer<typename AnyLines::Value>& sent);

template <class T>
void solve_ends(const EndSystems<T>& systems);

/// Copies the values at both ends of each line from the exchange buffer.
template <class T>
void take_ends(const PlacesOfLines<T>& lines, const SendBuffer<T>& ends);

}  // namespace poisson::cpu
