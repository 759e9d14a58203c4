#include <algorithm>
#include <cmath>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/value_columns.cuh"
#include "backends/error.hpp"

namespace poisson::cuda {
namespace {

// Lanes side by side add up the groups of a slice, as many as there are; then the first warp the slices.
__global__ void __launch_bounds__(1024)
    add_partials_kernel(const double* partial, int slices, int groups, double* result) {
  await_others();
  __shared__ double of_slice[most_slices];
  const auto sum_over = [](double sum, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    return sum;
  };
  int lanes = 1;
  while (lanes < 32 && lanes < groups) lanes *= 2;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % lanes, together = 1024 / lanes;
  for (int first = 0; first < slices; first += together) {
    const int slice = first + thread / lanes;
    double sum = 0;
    if (slice < slices)
#pragma unroll 4
      for (int g = lane; g < groups; g += lanes) sum += partial[slice * groups + g];
    sum = sum_over(sum, lanes);
    if (slice < slices && lane == 0) of_slice[slice] = sum;
  }
  __syncthreads();
  if (thread >= 32) return;
  double sum = 0;
  for (int slice = thread; slice < slices; slice += 32) sum += of_slice[slice];
  sum = sum_over(sum, 32);
  if (thread == 0) *result = sum;
}

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

// How the functors of this backend's verbs share launches that a grid's verbs have begun.
struct Steps {
  static constexpr bool joins_any = false;
  template <class T>
  using Columns = ValueColumns<T>;
  template <class T>
  static constexpr SequenceLauncher launcher = nullptr;
};

template <class X, class Y>
__global__ void dense_kernel(DenseRows<X, Y> rows) {
  await_others();
  rows.all(blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

template <class F>
void on_values(CudaBackend& device, Field& x, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    device.for_columns<Steps>(marched(x.layout()).box(), EachValue<X, F>{marched(x.view<X>()), f});
  });
}

// f(value of x, value of y) for all values, each in its field's type.
template <class F>
void on_values(CudaBackend& device, const Field& x, Field& y, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      device.for_columns<Steps>(marched(x.layout()).box(),
                                EachPair<const X, Y, F>{marched(x.view<X>()), marched(y.view<Y>()), f});
    });
  });
}

}  // namespace

void add_partials(cudaStream_t stream, const Slices& slices, double* partial, double* result) {
  const int count = slices.groups > 0 ? static_cast<int>(slices.tiling.blocks.z) : 0;
  launch(add_partials_kernel, 1, 1024, stream, partial, count, slices.groups, result);
}

std::size_t CudaBackend::available() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return std::min(free, memory_limit_ - memory_.now());
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
                     " would fit)",
                 Remedy::fewer_values_or_host);
}

// A piece for the arena.
void* CudaBackend::take(std::size_t bytes) const {
  void* piece = nullptr;
  // Tables of shared launches may need one while the stream is captured; it is no part of what is captured.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  check(cudaThreadExchangeStreamCaptureMode(&mode));
  const cudaError_t status = cudaMalloc(&piece, bytes);
  check(cudaThreadExchangeStreamCaptureMode(&mode));
  if (status == cudaErrorMemoryAllocation) out_of_memory(bytes);
  check(status);
  return piece;
}

void CudaBackend::reserve(std::size_t bytes) {
  if (injection::allocation_fails()) out_of_memory(bytes);
  arena_.reserve(std::min(bytes, memory_limit_ - memory_.now()));
}

Buffer CudaBackend::allocate(std::size_t bytes) {
  Buffer buffer = block(bytes);
  check(cudaMemsetAsync(buffer.data(), 0, bytes, stream_));
  return buffer;
}

// Memory as it is.
Buffer CudaBackend::block(std::size_t bytes) {
  if (bytes > memory_limit_ - memory_.now() || injection::allocation_fails()) out_of_memory(bytes);
  void* const data = arena_.allocate(bytes);
  memory_.add(bytes);
  return {data, bytes, [this, bytes](void* p) {
            memory_.remove(bytes);
            arena_.release(p);
          }};
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
  on_values(*this, x, Fill{value});
}
void CudaBackend::copy(const Field& x, Field& y) {
  on_values(*this, x, y, Copy{});
}
void CudaBackend::convert(const Field& x, Field& y) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      const auto v = marched(x.view<X>());
      Box box = marched(x.layout()).box();
      for (std::size_t d = 0; d < 3; ++d) {
        box.first[d] -= v.halo[d];
        box.last[d] += v.halo[d];
      }
      for_columns<Steps>(box, EachPair<const X, Y, Copy>{v, marched(y.view<Y>()), {}});
    });
  });
}
void CudaBackend::scale(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Scale{a.address()});
}
void CudaBackend::axpy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), 1});
}
void CudaBackend::axmy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), -1});
}
void CudaBackend::xpay(const Field& x, const Scalar& a, Field& y) {
  on_values(*this, x, y, ScaleAndAdd{a.address()});
}
void CudaBackend::subtract(const Field& x, const Scalar& a, const Field& y, Field& result) {
  copy(x, result);
  axmy(a, y, result);
}

void CudaBackend::dot(const Field& x, const Field& y, Scalar& result) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      sum_columns(stream(), marched(x.layout()).box(), Dot<X, Y>{marched(x.view<X>()), marched(y.view<Y>())},
                  partials(), result.address());
    });
  });
}

void CudaBackend::exchange(const Field& field) {
  dispatch(field.precision(), [&]<class T>(T) {
    const auto v = const_cast<Field&>(field).view<T>();
    const auto offset = [&](const Box& box) { return &v(box.first[0], box.first[1], box.first[2]) - v.data; };
    for (const Exchange::Turn& turn : field.space().halo().own_turns()) {
      CopyHalo<T> copy{v, static_cast<int>(turn.size()), {}, {}};
      for (std::size_t p = 0; p < turn.size(); ++p) {
        copy.from[p] = offset(turn[p].from) - offset(turn[0].from);
        copy.to[p] = offset(turn[p].to) - offset(turn[0].from);
      }
      for_columns<Steps>(turn[0].from, copy);
    }
  });
}

void CudaBackend::dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                                Field& y) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      const DenseRows<X, Y> product{static_cast<const double*>(matrix.data()),
                                    static_cast<const std::int64_t*>(index.data()),
                                    rows,
                                    blocks,
                                    x.view<X>().data,
                                    y.view<Y>().data};
      const int all = rows * blocks;
      if (recording_ && all <= small_box && pending_.add<Steps>(stream_, {}, product)) return;
      launch(dense_kernel<X, Y>, static_cast<unsigned>(all + 7) / 8, 256, stream(), product);
    });
  });
}

void CudaBackend::ratio(const Scalar& a, const Scalar& b, Scalar& result) {
  on_scalars(stream(), Ratio{a.address(), b.address(), result.address()});
}
void CudaBackend::negate(Scalar& a) {
  on_scalars(stream(), Negate{a.address()});
}
void CudaBackend::assign(const Scalar& a, Scalar& result) {
  on_scalars(stream(), Assign{a.address(), result.address()});
}
void CudaBackend::scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) {
  on_scalars(stream(), ScaleToUnit{norm.address(), count, scale.address(), inverse.address()});
}

}  // namespace poisson::cuda
