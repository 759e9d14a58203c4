#include <algorithm>
#include <cmath>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/error.hpp"

namespace poisson::cuda {
namespace {

__global__ void add_partials_kernel(const double* partial, int count, double* result) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 1024) sum += partial[i];
  using Reduce = cub::BlockReduce<double, 1024>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

// f of every value of a column.
template <class X, class F>
struct EachValue {
  View<X> x;
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) f(x(i, j, k));
  }
};

// f of every pair of values of a column; four pairs are loaded before the first is stored.
template <class X, class Y, class F>
struct EachPair {
  View<X> x;
  View<Y> y;
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    constexpr int n = 4;
    int k = k0;
    for (; k + n <= k1; k += n) pairs<n>(i, j, k);
    for (; k < k1; ++k) pairs<1>(i, j, k);
  }

 private:
  template <int n>
  __device__ void pairs(int i, int j, int k) const {
    std::remove_const_t<X> from[n];
    Y to[n];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      from[m] = x(i, j, k + m);
      to[m] = y(i, j, k + m);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      f(from[m], to[m]);
      y(i, j, k + m) = to[m];
    }
  }
};

template <class F>
void on_values(cudaStream_t stream, Field& x, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) { for_columns(stream, x.layout().box(), EachValue<X, F>{x.view<X>(), f}); });
}

// f(value of x, value of y) for all values, each in its field's type.
template <class F>
void on_values(cudaStream_t stream, const Field& x, Field& y, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      for_columns(stream, x.layout().box(), EachPair<const X, Y, F>{x.view<X>(), y.view<Y>(), f});
    });
  });
}

template <class X, class Y>
struct Dot {
  View<const X> x;
  View<const Y> y;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(x(i, j, k)) * static_cast<double>(y(i, j, k));
    return sum;
  }
};

struct Fill {
  double value;
  template <class X>
  __device__ void operator()(X& x) const {
    x = static_cast<X>(value);
  }
};
struct Copy {
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(x);
  }
};
struct Scale {
  const double* a;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(*a * x);
  }
};
struct Add {
  const double* a;
  double sign;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(y + sign * *a * x);
  }
};
struct ScaleAndAdd {
  const double* a;
  template <class X, class Y>
  __device__ void operator()(const X& x, Y& y) const {
    y = static_cast<Y>(x + *a * y);
  }
};

struct Ratio {
  const double *a, *b;
  double* to;
  __device__ void operator()() const { *to = *b == 0 ? 0 : *a / *b; }
};
struct Negate {
  double* a;
  __device__ void operator()() const { *a = -*a; }
};
struct Assign {
  const double* a;
  double* to;
  __device__ void operator()() const { *to = *a; }
};
struct ScaleToUnit {
  const double* norm;
  double count;
  double *scale, *inverse;
  __device__ void operator()() const {
    const double square = *norm / count;
    const int k = square > 0 && is_finite(square) ? ilogb(sqrt(square)) : 0;
    *scale = ldexp(1.0, -k);
    *inverse = ldexp(1.0, k);
  }
};

// Copies the planes next to the ends of a periodic axis into the halo beyond the other end.
template <class T>
__global__ void wrap_kernel(View<T> v, int axis, int3 first, int3 last) {
  const int a = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int b = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int p = axis == 0 ? first.y + a : first.x + a, q = axis == 2 ? first.y + b : first.z + b;
  if (p >= (axis == 0 ? last.y : last.x) || q >= (axis == 2 ? last.y : last.z)) return;
  const auto at = [&](int i) -> T& { return axis == 0 ? v(i, p, q) : axis == 1 ? v(p, i, q) : v(p, q, i); };
  const int n = v.n[axis];
  at(-1) = at(n - 1);
  at(n) = at(0);
}

template <class X, class Y>
__global__ void dense_kernel(const double* matrix, const std::int64_t* index, int size, const X* x, Y* y) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= size) return;
  double sum = 0;
  for (int column = lane; column < size; column += 32)
    sum += matrix[row * size + column] * static_cast<double>(x[index[column]]);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[index[row]] = static_cast<Y>(sum);
}

}  // namespace

void add_partials(cudaStream_t stream, const double* partial, int count, double* result) {
  add_partials_kernel<<<1, 1024, 0, stream>>>(partial, count, result);
  launched(stream);
}
void CudaBackend::out_of_memory(std::size_t bytes) const {
  cudaGetLastError();  // this is an answer, no error to stick
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  free = std::min(free, memory_limit_ - memory_.now());
  const auto readable = [](std::size_t n) { return readable_bytes(static_cast<double>(n)); };
  const std::string fitting = readable(memory_.now() + free);
  throw RunError("cannot allocate " + readable(bytes) + " on the device (" + readable(free) + " of " + readable(total) +
                 " are free, and with the " + readable(memory_.now()) + " that the run holds " + fitting +
                 " would fit): take so few cells that --dry-run states at most " + fitting +
                 ", precision: single, or backend.device: cpu");
}

Buffer CudaBackend::allocate(std::size_t bytes) {
  void* data = nullptr;
  if (bytes > memory_limit_ - memory_.now() || injection::allocation_fails()) out_of_memory(bytes);
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) out_of_memory(bytes);
  check(status);
  memory_.add(bytes);
  Buffer buffer(data, bytes, [this, bytes](void* p) {
    memory_.remove(bytes);
    cudaFree(p);
  });
  check(cudaMemsetAsync(data, 0, bytes, stream_));
  return buffer;
}

void CudaBackend::write(const void* host, void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
  check(cudaStreamSynchronize(stream_));
}
void CudaBackend::read(const void* device, void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_));
  check(cudaStreamSynchronize(stream_));
}

void CudaBackend::fill(Field& x, double value) {
  on_values(stream_, x, Fill{value});
}
void CudaBackend::copy(const Field& x, Field& y) {
  on_values(stream_, x, y, Copy{});
}
void CudaBackend::scale(const Scalar& a, const Field& x, Field& y) {
  on_values(stream_, x, y, Scale{a.address()});
}
void CudaBackend::axpy(const Scalar& a, const Field& x, Field& y) {
  on_values(stream_, x, y, Add{a.address(), 1});
}
void CudaBackend::axmy(const Scalar& a, const Field& x, Field& y) {
  on_values(stream_, x, y, Add{a.address(), -1});
}
void CudaBackend::xpay(const Field& x, const Scalar& a, Field& y) {
  on_values(stream_, x, y, ScaleAndAdd{a.address()});
}
void CudaBackend::subtract(const Field& x, const Scalar& a, const Field& y, Field& result) {
  copy(x, result);
  axmy(a, y, result);
}

void CudaBackend::dot(const Field& x, const Field& y, Scalar& result) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      sum_columns(stream_, x.layout().box(), Dot<X, Y>{x.view<X>(), y.view<Y>()}, partials(), result.address());
    });
  });
}

void CudaBackend::exchange(const Field& field) {
  const Layout& layout = field.layout();
  dispatch(field.precision(), [&]<class T>(T) {
    const auto v = const_cast<Field&>(field).view<T>();
    int3 first = make_int3(0, 0, 0), last = make_int3(v.n[0], v.n[1], v.n[2]);
    for (int axis = 0; axis < 3; ++axis) {
      const bool wraps = layout.periodic[static_cast<std::size_t>(axis)] && v.n[axis] > 1;
      if (wraps) {
        const auto blocks = [](int n, unsigned threads) { return (static_cast<unsigned>(n) + threads - 1) / threads; };
        const int a = axis == 0 ? last.y - first.y : last.x - first.x;
        const int b = axis == 2 ? last.y - first.y : last.z - first.z;
        wrap_kernel<<<dim3(blocks(a, 32), blocks(b, 8)), dim3(32, 8), 0, stream_>>>(v, axis, first, last);
        launched(stream_);
      }
      // The next axes take this one's halo along, so that corners are right too.
      if (v.halo[axis] == 0) continue;
      (axis == 0 ? first.x : axis == 1 ? first.y : first.z) -= 1;
      (axis == 0 ? last.x : axis == 1 ? last.y : last.z) += 1;
    }
  });
}

void CudaBackend::dense_product(const Buffer& matrix, const Buffer& index, int size, const Field& x, Field& y) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      dense_kernel<<<static_cast<unsigned>(size + 7) / 8, 256, 0, stream_>>>(
          static_cast<const double*>(matrix.data()), static_cast<const std::int64_t*>(index.data()), size,
          x.view<X>().data, y.view<Y>().data);
      launched(stream_);
    });
  });
}

void CudaBackend::ratio(const Scalar& a, const Scalar& b, Scalar& result) {
  on_scalars(stream_, Ratio{a.address(), b.address(), result.address()});
}
void CudaBackend::negate(Scalar& a) {
  on_scalars(stream_, Negate{a.address()});
}
void CudaBackend::assign(const Scalar& a, Scalar& result) {
  on_scalars(stream_, Assign{a.address(), result.address()});
}
void CudaBackend::scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) {
  on_scalars(stream_, ScaleToUnit{norm.address(), count, scale.address(), inverse.address()});
}

}  // namespace poisson::cuda
