#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/operators/faces.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/stronger_coupling.hpp"

/// These column functors process sampled data on the device.
namespace poisson::cuda {

template <class X>
struct Magnitudes {
  View<const X> x;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += fabs(static_cast<double>(x(i, j, k)));
    return sum;
  }
};

// Calls f(ratio ≥ 1) for each lower neighbour of a column's cells. Cells at the grid's lower ends have no lower
// neighbour.
template <class F>
__device__ void each_jump(const View<const double>& cells, const int3& origin, int i, int j, int k0, int k1,
                          const F& f) {
  for (int k = k0; k < k1; ++k) {
    const double here = cells(i, j, k);
    const auto compare = [&](double there) { f(fmax(here / there, there / here)); };
    if (origin.x + i > 0) compare(cells(i - 1, j, k));
    if (origin.y + j > 0) compare(cells(i, j - 1, k));
    if (origin.z + k > 0) compare(cells(i, j, k - 1));
  }
}
// The largest ratio is stored as the bits of a positive double, which order like the numbers.
struct LargestJump {
  View<const double> cells;
  int3 origin;
  unsigned long long* largest;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    double jump = 1;
    each_jump(cells, origin, i, j, k0, k1, [&](double ratio) { jump = fmax(jump, ratio); });
    // A stale value only causes an unnecessary atomic operation.
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(jump));
    if (bits > *static_cast<volatile unsigned long long*>(largest)) atomicMax(largest, bits);
  }
};
struct LargeJumps {
  View<const double> cells;
  int3 origin;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double count = 0;
    each_jump(cells, origin, i, j, k0, k1, [&](double ratio) { count += ratio >= Jumps::large; });
    return count;
  }
};
// `NeighbourSum` adds f(κ of a cell, κ of its lower neighbour along an axis) over a column.
struct IsSteep {
  __device__ double operator()(double here, double there) const {
    return here >= Jumps::steep * there || there >= Jumps::steep * here ? 1 : 0;
  }
};
struct LogRatio {
  __device__ double operator()(double here, double there) const { return fabs(log(here / there)); }
};
template <class F>
struct NeighbourSum {
  View<const double> cells;
  int3 origin;
  int axis;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) {
      const int place = axis == 0 ? origin.x + i : axis == 1 ? origin.y + j : origin.z + k;
      if (place > 0) sum += F{}(cells(i, j, k), cells(i - (axis == 0), j - (axis == 1), k - (axis == 2)));
    }
    return sum;
  }
};

// `StrongerCells` counts the cells of a column in which one coupling exceeds another one.
struct StrongerCells {
  StrongerCoupling stronger;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double count = 0;
    for (int k = k0; k < k1; ++k) count += stronger(i, j, k) ? 1 : 0;
    return count;
  }
};

// `SubtractInside` subtracts the adjacent layer of cells from a halo layer.
struct SubtractInside {
  View<double> cells;
  int axis, inwards;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      cells(i, j, k) -= axis == 0   ? cells(i + inwards, j, k)
                        : axis == 1 ? cells(i, j + inwards, k)
                                    : cells(i, j, k + inwards);
  }
};

// `Put` stores values that the host computed, x fastest over a box.
struct Put {
  const double* values;
  int first[3], n[3];
  FillTarget target;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const std::int64_t at = (static_cast<std::int64_t>(k - first[2]) * n[1] + (j - first[1])) * n[0] + (i - first[0]);
      target(values[at], i, j, k);
    }
  }
};

// `FacesOfCells` implements faces_from_cells of grids/operators/faces.hpp.
struct FacesOfCells {
  View<const double> cells, ends;
  View<double> faces;
  const double* width;  // cell widths
  int axis, n;
  bool periodic, open[2], robin[2];

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      int below[3] = {i, j, k}, above[3] = {i, j, k};
      const int face = above[axis];
      const bool lower = face == 0 && open[0], upper = face == n && open[1];
      below[axis] = periodic && face == 0 ? n - 1 : lower ? 0 : face - 1;
      if (upper) above[axis] = n - 1;
      const double low = cells(below[0], below[1], below[2]), high = cells(above[0], above[1], above[2]);
      const double h = width[below[axis]], next = width[above[axis]];
      FaceMean mean = harmonic_face(low, h, high, next);
      if (lower || upper) {
        mean = {low, 1};
        if (robin[lower ? 0 : 1]) {
          below[axis] = lower ? 1 : 3;
          mean = robin_face(low, ends(below[0], below[1], below[2]), h);
        }
      }
      faces(i, j, k) = mean.below > 0 ? double(mean) : 0;
    }
  }
};

}  // namespace poisson::cuda
