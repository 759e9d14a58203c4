#pragma once

#include <span>
#include <type_traits>

#include <cuda_runtime.h>

#include "backends/memory/view.hpp"
#include "grids/rows/band_coefficients.hpp"

namespace poisson::cuda {

/// States whether a model consists of bands of 9 or 27 points.
template <class T, class Coefficients>
inline constexpr bool of_box_bands =
    std::is_same_v<Coefficients, BoxBands<T, 2>> || std::is_same_v<Coefficients, BoxBands<T, 3>>;

/// `LineSet` is a set of lines along x: `count` lines along y and z, every second one beginning with `first`.
struct LineSet {
  int first[2], count[2];
};

/// `BoxLines` describes Gauss–Seidel with bands of 9 or 27 points for complete lines along x. The values of even and of
/// odd index are two colours, the even ones first unless `reversed`.
template <class T, int dimension>
struct BoxLines {
  BoxBands<T, dimension> c;
  View<T> u;
  View<const T> b;
  T omega;
  bool reversed;
  int first, last;  ///< unknowns along x
};

/// Relaxes the sets of lines one after another. The lines of a set are not adjacent.
template <class T, int dimension>
void relax_lines_of_boxes(cudaStream_t stream, const BoxLines<T, dimension>& rows, std::span<const LineSet> sets);

extern template void relax_lines_of_boxes(cudaStream_t, const BoxLines<float, 2>&, std::span<const LineSet>);
extern template void relax_lines_of_boxes(cudaStream_t, const BoxLines<float, 3>&, std::span<const LineSet>);
extern template void relax_lines_of_boxes(cudaStream_t, const BoxLines<double, 2>&, std::span<const LineSet>);
extern template void relax_lines_of_boxes(cudaStream_t, const BoxLines<double, 3>&, std::span<const LineSet>);

}  // namespace poisson::cuda
