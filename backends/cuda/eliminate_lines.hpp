#pragma once

#include <cuda_runtime.h>

#include "backends/lines/reduced_line.hpp"
#include "backends/transforms/constant_line.hpp"

/// Functions for AnyLines accept Lines and StoredLines, in both precisions.
namespace poisson::cuda {

/// Solves lines in place. With `ends` it solves them between the given values at both ends of each line. `kept`: memory
/// for kept_of_lines() numbers.
template <class AnyLines>
void eliminate_lines(cudaStream_t stream, const AnyLines& lines, bool ends, typename AnyLines::Value* kept);

/// Does the same for lines whose rows describe their even half and then their odd half. Each line is folded before it
/// is solved and unfolded afterwards (fold.hpp).
template <class T>
void eliminate_folded_lines(cudaStream_t stream, const Lines<T>& lines, T* kept);

/// Subtracts the mean from the values of a line. Each value is weighted by the row sum of M.
template <class T>
void take_mean(cudaStream_t stream, const Lines<T>& lines, const ConstantLine& line);

/// Reduces each line and writes the result to its place in `sent` (PartOfLine).
template <class AnyLines>
void reduce_lines(cudaStream_t stream, const AnyLines& lines, const SendBuffer<typename AnyLines::Value>& sent);

/// Solves the small systems for the values at the ends of lines.
template <class T>
void solve_ends(cudaStream_t stream, const EndSystems<T>& systems);

/// Copies the received values at both ends of each line into the line.
template <class T>
void take_ends(cudaStream_t stream, const PlacesOfLines<T>& lines, const SendBuffer<T>& ends);

}  // namespace poisson::cuda
