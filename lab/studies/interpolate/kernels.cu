#include <array>

#include "lab/harness/verify.cuh"
#include "lab/studies/interpolate/filtered_texture.cuh"
#include "lab/studies/interpolate/study.hpp"

namespace poisson::lab {
namespace {

// Contains the fields of a refinement that kernels need.
struct Shape {
  int n[3], coarse[3], factor;
  float step;  // 1/factor

  explicit Shape(const Refinement& r)
      : n{r.n[0], r.n[1], r.n[2]},
        coarse{r.coarse()[0], r.coarse()[1], r.coarse()[2]},
        factor(r.factor),
        step(static_cast<float>(1.0 / r.factor)) {}
  __device__ std::int64_t fine_at(int i, int j, int k) const { return (std::int64_t{k} * n[1] + j) * n[0] + i; }
};

constexpr int block_x = 64, block_y = 4, march = 16;

__device__ float between(float a, float b, float weight) {
  return fmaf(weight, b - a, a);
}

template <int dimension>
__global__ void __launch_bounds__(256) filter_kernel(Shape s, cudaTextureObject_t coarse, float* fine) {
  const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * block_y + threadIdx.y), k = static_cast<int>(blockIdx.z);
  if (i >= s.n[0] || j >= s.n[1]) return;
  const float x = fmaf(static_cast<float>(i), s.step, 0.5f), y = fmaf(static_cast<float>(j), s.step, 0.5f);
  if constexpr (dimension == 2)
    fine[s.fine_at(i, j, k)] = tex2D<float>(coarse, x, y);
  else
    fine[s.fine_at(i, j, k)] = tex3D<float>(coarse, x, y, fmaf(static_cast<float>(k), s.step, 0.5f));
}

// A place on a coarse axis consists of the value to its left and the weight of the value to its right.
struct Place {
  int left;
  float weight;
  __device__ Place(int fine, const Shape& s)
      : left(fine / s.factor), weight(static_cast<float>(fine % s.factor) * s.step) {}
};

// Interpolates along all axes but the last, in coarse line or plane `last`.
__device__ float across(const Shape& s, const float* coarse, const Place& x, int last) {
  const float* at = coarse + std::int64_t{last} * s.coarse[0] + x.left;
  return between(at[0], at[1], x.weight);
}
__device__ float across(const Shape& s, const float* coarse, const Place& x, const Place& y, int last) {
  const float* at = coarse + (std::int64_t{last} * s.coarse[1] + y.left) * s.coarse[0] + x.left;
  return between(between(at[0], at[1], x.weight), between(at[s.coarse[0]], at[s.coarse[0] + 1], x.weight), y.weight);
}

// Each thread computes one point and divides for each of its indices.
template <int dimension>
__global__ void __launch_bounds__(256) recomputing_kernel(Shape s, const float* coarse, float* fine) {
  const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * block_y + threadIdx.y), k = static_cast<int>(blockIdx.z);
  if (i >= s.n[0] || j >= s.n[1]) return;
  const Place x(i, s), y(j, s);
  if constexpr (dimension == 2) {
    fine[s.fine_at(i, j, 0)] = between(across(s, coarse, x, y.left), across(s, coarse, x, y.left + 1), y.weight);
  } else {
    const Place z(k, s);
    fine[s.fine_at(i, j, k)] = between(across(s, coarse, x, y, z.left), across(s, coarse, x, y, z.left + 1), z.weight);
  }
}

// A thread marches along the last axis. It divides once, counts from there, and keeps its interpolated values until the
// next coarse line or plane.
template <class Across, class Store>
__device__ void march_along(const Shape& s, int first, int last, const Across& across_at, const Store& store) {
  int left = first / s.factor, part = first % s.factor;
  float a = across_at(left), b = across_at(left + 1);
  for (int at = first; at < last; ++at) {
    if (part == s.factor) {
      part = 0;
      ++left;
      a = b;
      b = across_at(left + 1);
    }
    store(at, between(a, b, static_cast<float>(part) * s.step));
    ++part;
  }
}

template <int dimension>
__global__ void __launch_bounds__(256) hoisting_kernel(Shape s, const float* coarse, float* fine) {
  if constexpr (dimension == 2) {
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x), j = static_cast<int>(blockIdx.y) * march;
    if (i >= s.n[0]) return;
    const Place x(i, s);
    march_along(
        s, j, min(j + march, s.n[1]), [&](int row) { return across(s, coarse, x, row); },
        [&](int at, float value) { fine[s.fine_at(i, at, 0)] = value; });
  } else {
    const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x);
    const int j = static_cast<int>(blockIdx.y * block_y + threadIdx.y), k = static_cast<int>(blockIdx.z) * march;
    if (i >= s.n[0] || j >= s.n[1]) return;
    const Place x(i, s), y(j, s);
    march_along(
        s, k, min(k + march, s.n[2]), [&](int plane) { return across(s, coarse, x, y, plane); },
        [&](int at, float value) { fine[s.fine_at(i, j, at)] = value; });
  }
}

unsigned blocks(int n, int size) {
  return static_cast<unsigned>((n + size - 1) / size);
}

dim3 point_grid(const Shape& s) {
  return {blocks(s.n[0], block_x), blocks(s.n[1], block_y), static_cast<unsigned>(s.n[2])};
}

class Filtering final : public Prolongation {
 public:
  Filtering(Backend& backend, const Refinement& refinement, const float* coarse, bool anew)
      : backend_(&backend),
        dimension_(refinement.dimension),
        shape_(refinement),
        anew_(anew),
        texture_(refinement.dimension, refinement.coarse()) {
    texture_.fill(stream_of(backend), coarse);
  }
  void apply(const float* coarse, float* fine) override {
    const cudaStream_t stream = stream_of(*backend_);
    if (anew_) texture_.fill(stream, coarse);
    const auto kernel = dimension_ == 2 ? filter_kernel<2> : filter_kernel<3>;
    kernel<<<point_grid(shape_), dim3(block_x, block_y), 0, stream>>>(shape_, texture_.object(), fine);
    cuda::launched(stream);
  }

 private:
  Backend* backend_;
  int dimension_;
  Shape shape_;
  bool anew_;
  FilteredTexture texture_;
};

class Computing final : public Prolongation {
 public:
  Computing(Backend& backend, const Refinement& refinement, bool hoisted)
      : backend_(&backend), dimension_(refinement.dimension), shape_(refinement), hoisted_(hoisted) {}
  void apply(const float* coarse, float* fine) override {
    const cudaStream_t stream = stream_of(*backend_);
    dim3 grid = point_grid(shape_), block(block_x, block_y);
    auto* kernel = dimension_ == 2 ? recomputing_kernel<2> : recomputing_kernel<3>;
    if (hoisted_ && dimension_ == 2) {
      kernel = hoisting_kernel<2>;
      grid = dim3(blocks(shape_.n[0], 256), blocks(shape_.n[1], march));
      block = dim3(256);
    } else if (hoisted_) {
      kernel = hoisting_kernel<3>;
      grid.z = blocks(shape_.n[2], march);
    }
    kernel<<<grid, block, 0, stream>>>(shape_, coarse, fine);
    cuda::launched(stream);
  }

 private:
  Backend* backend_;
  int dimension_;
  Shape shape_;
  bool hoisted_;
};

template <bool anew>
std::unique_ptr<Prolongation> filtering(Backend& backend, const Refinement& refinement, const float* coarse) {
  return std::make_unique<Filtering>(backend, refinement, coarse, anew);
}
template <bool hoisted>
std::unique_ptr<Prolongation> computing(Backend& backend, const Refinement& refinement, const float*) {
  return std::make_unique<Computing>(backend, refinement, hoisted);
}

constexpr std::array variants{
    ProlongationVariant{"texture", true, filtering<false>},
    ProlongationVariant{"texture, filled anew", true, filtering<true>},
    ProlongationVariant{"arithmetic, recomputed", false, computing<false>},
    ProlongationVariant{"arithmetic, hoisted", false, computing<true>},
};

}  // namespace

std::span<const ProlongationVariant> prolongation_variants() {
  return variants;
}

}  // namespace poisson::lab
