#pragma once

#include <cstdint>

#include "backends/memory/view.hpp"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/operators/faces.hpp"

/// These column functors process sampled data on the device.
namespace poisson::cuda {

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
