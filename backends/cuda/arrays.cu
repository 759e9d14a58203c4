#include <map>

#include "backends/cuda/arrays.hpp"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/turned.cuh"

namespace poisson::cuda {
namespace {

template <class T, class U>
struct Import {
  const T* from;
  int nx, ny;  // of the array
  double factor;
  View<U> to;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      to(i, j, k) =
          static_cast<U>(factor * static_cast<double>(from[(static_cast<std::int64_t>(k) * ny + j) * nx + i]));
  }
};

template <class T, class U>
struct Export {
  View<const U> from;
  double factor;
  T* to;
  int nx, ny;  // of the array
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const int x = i < from.n[0] ? i : 0, y = j < from.n[1] ? j : 0;
    for (int k = k0; k < k1; ++k)
      to[(static_cast<std::int64_t>(k) * ny + j) * nx + i] =
          static_cast<T>(factor * static_cast<double>(from(x, y, k < from.n[2] ? k : 0)));
  }
};

CudaBackend& of(const Backend& backend) {
  return const_cast<CudaBackend&>(dynamic_cast<const CudaBackend&>(backend));
}

// Makes later work on one stream wait for the present work of another one. A thread records the same mark of a device
// again and again; streams that wait for it wait for the record of their call.
void order(Backend& backend, cudaStream_t before, cudaStream_t after) {
  thread_local std::map<int, Mark> marks;
  const auto scope = use_device_of(backend);
  const Mark& mark = marks[of(backend).number()];
  mark.record(before);
  mark.hold(after);
}

}  // namespace

void import_values(const Array& from, double factor, Field& to) {
  dispatch(from.precision, [&]<class T>(T) {
    dispatch(to.precision(), [&]<class U>(U) {
      const Import<T, U> column{static_cast<const T*>(from.data), from.shape[0], from.shape[1], factor, to.view<U>()};
      for_values(of(to.backend()).stream(), to.space().part().unknowns(), column);
    });
  });
}

void export_values(const Field& from, double factor, const Array& to) {
  dispatch(to.precision, [&]<class T>(T) {
    dispatch(from.precision(), [&]<class U>(U) {
      const Export<T, U> column{from.view<U>(), factor, static_cast<T*>(to.data), to.shape[0], to.shape[1]};
      for_values(of(from.backend()).stream(), Box{{0, 0, 0}, to.shape}, column);
    });
  });
}

void wait_for_stream(Backend& backend, void* stream) {
  order(backend, static_cast<cudaStream_t>(stream), of(backend).stream());
}

void make_stream_wait(void* stream, Backend& backend) {
  order(backend, of(backend).stream(), static_cast<cudaStream_t>(stream));
}

int device_number(const Backend& backend) {
  return of(backend).number();
}

std::shared_ptr<void> keep_released_memory(Backend& backend) {
  return static_cast<CudaBackend&>(backend).keep_pieces();
}

std::shared_ptr<void> use_device(int number) {
  int before = 0;
  check(cudaGetDevice(&before));
  if (before == number) return nullptr;
  check(cudaSetDevice(number));
  return {nullptr, [before](void*) { cudaSetDevice(before); }};
}

}  // namespace poisson::cuda
