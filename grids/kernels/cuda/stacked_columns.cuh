#pragma once

#include <array>

#include "backends/cuda/patch_columns.cuh"
#include "grids/kernels/cuda/stencil_columns.cuh"

/// Runs the column functors of a part's operator on the patches that tile the part. They are indexed by the part, so
/// the model of Coefficients is that of the part.
namespace poisson::cuda {

/// Is the value (0, 0, 0) of a patch, in the indices of the part and of kernels.
using PlaceOfPatch = int3;

/// Turns views of the first patch of a group into views of a patch that are indexed by the part.
struct ToPatch {
  PlaceOfPatch place;
  int patch;
  std::int64_t stride[2];  ///< values from one patch to the next in fp32 and fp64

  template <class T>
  __host__ __device__ void operator()(View<T>& v) const {
    const int3& f = place;
    if (v.data) v.data += patch * stride[sizeof(T) == 4 ? 0 : 1] - (f.x + f.y * v.sy + f.z * v.sz);
  }

  /// Turns the views of a functor, and of the body that it runs.
  template <class Column>
  __host__ __device__ void operator()(Column& column) const {
    if constexpr (requires { column.body; }) (*this)(column.body);
    if constexpr (requires { column.u; }) (*this)(column.u);
    if constexpr (requires { column.b; }) (*this)(column.b);
    if constexpr (requires { column.r; }) (*this)(column.r);
    if constexpr (requires { column.x; }) (*this)(column.x);
    if constexpr (requires { column.out; }) (*this)(column.out);
  }
};

/// Is the functor of a patch, in the indices of the patch.
template <class Column>
struct Placed {
  static constexpr int resident_threads = cuda::resident_threads<Column>();
  Column column;
  int3 first;

  __device__ auto operator()(int i, int j, int k0, int k1) const {
    return column(i + first.x, j + first.y, k0 + first.z, k1 + first.z);
  }
  template <class Sink>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sink& of_plane) const {
    const int shift = first.z;
    cuda::each_plane(column, i + first.x, j + first.y, k0 + shift, k1 + shift,
                     [=](int k, double value) { of_plane(k - shift, value); });
  }
};

/// Returns the functors of the patches of a group, given that of the first patch with the indices of the patch.
template <class Column>
struct OfPatches {
  Column column;
  const PlaceOfPatch* places;
  PlaceOfPatch first;  ///< places[0], for the host
  std::int64_t stride[2];

  __host__ __device__ Placed<Column> operator()(int p) const {
#ifdef __CUDA_ARCH__
    const PlaceOfPatch place = places[p];
#else
    const PlaceOfPatch& place = first;
#endif
    Placed<Column> own{column, place};
    ToPatch{place, p, {stride[0], stride[1]}}(own.column);
    return own;
  }
};

}  // namespace poisson::cuda
