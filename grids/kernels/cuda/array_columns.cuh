#pragma once

#include <cstdint>

#include "grids/axes/block.hpp"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/kernels/cuda/sampler_tables.hpp"
#include "grids/problem/quantity.hpp"

/// These column functors read arrays that the program owns in device memory (GridArray::OnDevice).
namespace poisson::cuda {

// `ArrayValues` reads an array of the program at a node or cell of the block. Cells are read at nodes as the mean of
// the adjacent cells, weighted by volume. Indices beyond open ends are those of the ends.
struct ArrayValues {
  const float* narrow;  // or null
  const double* wide;
  bool cells_at_nodes, flat[3];
  int shape[3], period[3];
  const double* width[3];  // of cells −1 to n

  __device__ double operator()(int i, int j, int k) const {
    if (!cells_at_nodes) return at(i, j, k);
    double sum = 0, weight = 0;
    for (int c = flat[2] ? 0 : -1; c <= 0; ++c)
      for (int b = flat[1] ? 0 : -1; b <= 0; ++b)
        for (int a = flat[0] ? 0 : -1; a <= 0; ++a) {
          const double w = of_cell(0, i + a) * of_cell(1, j + b) * of_cell(2, k + c);
          if (w == 0) continue;
          sum += w * at(i + a, j + b, k + c);
          weight += w;
        }
    return sum / weight;
  }

 private:
  __device__ double of_cell(int d, int i) const { return flat[d] ? 1 : width[d][i]; }
  __device__ int place(int d, int i) const {
    if (flat[d]) return 0;
    if (period[d]) return (i + period[d]) % period[d];
    return min(max(i, 0), shape[d] - 1);
  }
  __device__ double at(int i, int j, int k) const {
    const std::int64_t n = (static_cast<std::int64_t>(place(2, k)) * shape[1] + place(1, j)) * shape[0] + place(0, i);
    return narrow ? static_cast<double>(narrow[n]) : wide[n];
  }
};

/// Returns whether kernels of this device read a quantity at nodes or in cells. Nodes beside cells are not read in
/// cells, and arrays of several processes are not read at all.
inline bool reads_array(const Quantity& quantity, Location wanted, const Block& block, int device) {
  const GridArray* const array = quantity.array();
  return array && array->on_device && array->on_device->device == device && !array->part &&
         (array->location == wanted || wanted == Location::node) && !block.share;
}
/// Returns an array of a device with its values on the host, and other quantities as they are.
inline Quantity on_host(const Quantity& quantity) {
  const GridArray* const array = quantity.array();
  return array && array->on_device ? Quantity(array->on_host()) : quantity;
}

inline ArrayValues array_values(const GridArray& array, Location wanted, const Block& block,
                                const SamplerTables& tables) {
  ArrayValues values{};
  values.narrow = array.on_device->narrow ? static_cast<const float*>(array.on_device->data) : nullptr;
  values.wide = static_cast<const double*>(array.on_device->data);
  values.cells_at_nodes = array.location != wanted;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    values.shape[d] = static_cast<int>(array.shape[d]);
    values.period[d] = axis.closed() ? axis.all_cells() : 0;
    values.flat[d] = axis.degenerate();
    values.width[d] = tables.axes[d].width;
  }
  return values;
}

/// Stores the values of an array, and records bad ones.
struct FillFromArray {
  ArrayValues values;
  Points points;
  FillTarget target;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) target(points.checked(values(i, j, k), i, j, k), i, j, k);
  }
};

}  // namespace poisson::cuda
