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

  template <class T>
  __host__ __device__ void operator()(Apply<T>& body) const {
    (*this)(body.out);
  }
  template <class T, class R>
  __host__ __device__ void operator()(Residual<T, R>& body) const {
    (*this)(body.b);
    (*this)(body.out);
  }
  template <class T, class R>
  __host__ __device__ void operator()(ScaledResidual<T, R>& body) const {
    (*this)(body.b);
    (*this)(body.out);
  }
  template <class T>
  __host__ __device__ void operator()(Polynomial<T>& body) const {
    (*this)(body.b);
    (*this)(body.out);
  }
  template <class T>
  __host__ __device__ void operator()(PolynomialStart<T>& body) const {
    (*this)(body.b);
    (*this)(body.out);
  }
  template <class T>
  __host__ __device__ void operator()(Diagonal<T>& body) const {
    (*this)(body.out);
  }
  template <class T>
  __host__ __device__ void operator()(Norm<T>& body) const {
    (*this)(body.r);
  }
  template <class T>
  __host__ __device__ void operator()(Rounding<T>& body) const {
    (*this)(body.u);
  }

  template <class T, class C>
  __host__ __device__ void operator()(SquareOfMass<T, C>&) const {}

  template <class T, class C, class Body, bool flat>
  __host__ __device__ void operator()(March<T, C, Body, flat>& column) const {
    (*this)(column.u);
    (*this)(column.body);
  }
  template <class T, class C, class Body>
  __host__ __device__ void operator()(EachRow<T, C, Body>& column) const {
    (*this)(column.body);
  }
  template <class T, class C>
  __host__ __device__ void operator()(Integral<T, C>& column) const {
    (*this)(column.u);
  }
  template <class T>
  __host__ __device__ void operator()(Sum<T>& column) const {
    (*this)(column.b);
  }
  template <class T, class C, bool weighted>
  __host__ __device__ void operator()(SubtractMean<T, C, weighted>& column) const {
    (*this)(column.x);
  }
  template <class T, class C>
  __host__ __device__ void operator()(ProjectRhs<T, C>& column) const {
    (*this)(column.b);
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
