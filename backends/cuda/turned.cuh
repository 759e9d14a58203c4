#pragma once

#include <utility>

#include "backends/cuda/launch.cuh"

/// Functors on planes: a plane has one value along z, where threads march. With y and z exchanged they march along y,
/// which costs less for each value.
namespace poisson::cuda {

/// Calls a column functor with y and z exchanged.
template <class Column>
struct Turned {
  Column column;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) column(i, k, j, j + 1);
  }
};
/// Returns f(i, j, k) with y and z exchanged.
template <class F>
struct TurnedTerm {
  F f;
  __device__ auto operator()(int i, int j, int k) const { return f(i, k, j); }
};

inline bool is_plane(const Box& box) {
  return box.last[2] - box.first[2] == 1 && box.last[1] - box.first[1] > 1;
}
inline Box turned(Box box) {
  std::swap(box.first[1], box.first[2]);
  std::swap(box.last[1], box.last[2]);
  return box;
}

/// Calls column(i, j, k0, k1) for the values of the box, one value or more at a time.
template <class Column>
void for_values(cudaStream_t stream, const Box& box, const Column& column) {
  if (is_plane(box)) return for_columns(stream, turned(box), Turned<Column>{column});
  for_columns(stream, box, column);
}

}  // namespace poisson::cuda
