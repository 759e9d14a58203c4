#include <cstdint>

#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include "lab/studies/reduce/device.cuh"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {
namespace {

struct Magnitude {
  __host__ __device__ double operator()(double x) const { return x < 0 ? -x : x; }
};
struct Product {
  const double *x, *y;
  __host__ __device__ double operator()(std::int64_t i) const { return x[i] * y[i]; }
};
struct Plus {
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
};
struct Larger {
  __host__ __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};

// Runs CUB's reduction of each kind. Without memory it only returns the bytes that it needs.
template <Reduction kind>
cudaError_t cub_reduce(void* space, std::size_t& bytes, const double* x, const double* y, std::int64_t count,
                       double* result, cudaStream_t stream) {
  if constexpr (kind == Reduction::sum) return cub::DeviceReduce::Sum(space, bytes, x, result, count, stream);
  if constexpr (kind == Reduction::dot)
    return cub::DeviceReduce::Reduce(
        space, bytes, thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), Product{x, y}),
        result, count, Plus{}, 0.0, stream);
  if constexpr (kind == Reduction::max_norm)
    return cub::DeviceReduce::Reduce(space, bytes, thrust::make_transform_iterator(x, Magnitude{}), result, count,
                                     Larger{}, 0.0, stream);
}

template <Reduction kind>
void by_cub(Backend& backend, const Values& x, const Values& y, ReduceSpace& space) {
  std::size_t bytes = space.libraries.bytes();
  cuda::check(cub_reduce<kind>(space.libraries.data(), bytes, doubles(x), doubles(y), x.count, space.result.address(),
                               stream_of(backend)));
  cuda::launched(stream_of(backend));
}

// Thrust allocates memory in every call, waits, and returns the result to the host.
template <Reduction kind>
void by_thrust(Backend& backend, const Values& x, const Values& y, ReduceSpace& space) {
  const auto policy = thrust::cuda::par.on(stream_of(backend));
  const double *first = doubles(x), *last = first + x.count;
  if constexpr (kind == Reduction::sum) space.on_host = thrust::reduce(policy, first, last, 0.0);
  if constexpr (kind == Reduction::dot) space.on_host = thrust::inner_product(policy, first, last, doubles(y), 0.0);
  if constexpr (kind == Reduction::max_norm)
    space.on_host = thrust::transform_reduce(policy, first, last, Magnitude{}, 0.0, Larger{});
}

template <Reduction kind>
void add(std::vector<ReduceVariant>& all) {
  all.push_back({.name = std::string(reduce_names::thrust), .kind = kind, .launch = by_thrust<kind>});
  all.push_back({.name = std::string(reduce_names::cub), .kind = kind, .launch = by_cub<kind>});
}

template <Reduction kind>
std::size_t wanted(std::int64_t count) {
  std::size_t bytes = 0;
  cuda::check(cub_reduce<kind>(nullptr, bytes, nullptr, nullptr, count, nullptr, nullptr));
  return bytes;
}

}  // namespace

std::vector<ReduceVariant> gpu_reduce_libraries() {
  std::vector<ReduceVariant> all;
  add<Reduction::sum>(all);
  add<Reduction::dot>(all);
  add<Reduction::max_norm>(all);
  return all;
}

std::size_t library_space(std::int64_t most_values) {
  return std::max({wanted<Reduction::sum>(most_values), wanted<Reduction::dot>(most_values),
                   wanted<Reduction::max_norm>(most_values), std::size_t{256}});
}

}  // namespace poisson::lab
