#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "backends/constant_line.hpp"
#include "backends/reduced_line.hpp"

/// Of Lines and of HeldLines, in both precisions.
namespace poisson::cuda {

/// Values that elimination keeps of so many lines of n values, which are folded or not.
std::size_t kept_of_lines(int n, std::int64_t lines, bool folded = false);

/// Solves lines in place; with `ends`, between the values that stand at both ends of each. `kept`: room for
/// kept_of_lines().
template <class AnyLines>
void eliminate_lines(cudaStream_t stream, const AnyLines& lines, bool ends, typename AnyLines::Value* kept);

/// The same of lines whose rows are those of their even half and of the odd one behind it: each is folded before it is
/// solved, and unfolded afterwards (fold.hpp).
template <class T>
void eliminate_folded_lines(cudaStream_t stream, const Lines<T>& lines, T* kept);

/// Takes their mean off the values of a line, each weighted by its row's sum of M.
template <class T>
void take_mean(cudaStream_t stream, const Lines<T>& lines, const ConstantLine& line);

/// told(lane, slow, …) = what each line is reduced to (PartOfLine).
template <class AnyLines>
void reduce_lines(cudaStream_t stream, const AnyLines& lines, const Told<typename AnyLines::Value>& told);

/// The values at both ends of a part of each line, from what all parts have told, which is overwritten.
template <class AnyLines>
void solve_ends_of_lines(cudaStream_t stream, const AnyLines& lines, const Told<typename AnyLines::Value>& told,
                         int parts, int part);

}  // namespace poisson::cuda
