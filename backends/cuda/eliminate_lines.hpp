#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "backends/lines.hpp"
#include "backends/view.hpp"

namespace poisson::cuda {

/// Values that elimination keeps of so many lines of n values.
std::size_t kept_of_lines(int n, std::int64_t lines);

/// Solves lines in place; with `ends`, between the values that stand at both ends of each. `kept`: room for
/// kept_of_lines().
template <class T>
void eliminate_lines(cudaStream_t stream, const Lines<T>& lines, bool ends, T* kept);

/// told(lane, slow, …) = what each line is reduced to (PartOfLine).
template <class T>
void reduce_lines(cudaStream_t stream, const Lines<T>& lines, const View<T>& told);

/// The values at both ends of a part of each line, from what all parts have told, which is overwritten.
template <class T>
void solve_ends_of_lines(cudaStream_t stream, const Lines<T>& lines, const View<T>& told, int parts, int part);

extern template void eliminate_lines(cudaStream_t, const Lines<float>&, bool, float*);
extern template void eliminate_lines(cudaStream_t, const Lines<double>&, bool, double*);
extern template void reduce_lines(cudaStream_t, const Lines<float>&, const View<float>&);
extern template void reduce_lines(cudaStream_t, const Lines<double>&, const View<double>&);
extern template void solve_ends_of_lines(cudaStream_t, const Lines<float>&, const View<float>&, int, int);
extern template void solve_ends_of_lines(cudaStream_t, const Lines<double>&, const View<double>&, int, int);

}  // namespace poisson::cuda
