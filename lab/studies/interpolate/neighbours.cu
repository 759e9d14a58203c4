// Reproduces the lecture's own example. A Jacobi sweep computes the indices of its neighbours for each neighbour, once
// per point, or by the coordinates of the texture unit.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "lab/harness/array_texture.cuh"
#include "lab/harness/session.hpp"
#include "lab/studies/interpolate/neighbours.hpp"

namespace poisson::lab {
namespace {

constexpr int tile_x = 32, tile_y = 8;

// Sweeps n × n points once. Beyond the ends the last value repeats, as with clamped textures.
struct Grid2 {
  const float* u;
  const float* f;
  float* swept;
  int n;
};

// Divides the point's index for each neighbour. The empty asm statement hides that the index is unchanged, so that the
// compiler cannot share the divisions.
__device__ float anew(const Grid2& grid, int point, int right, int up) {
  asm volatile("" : "+r"(point));
  const int column = point % grid.n + right, row = point / grid.n + up;
  return grid.u[min(max(row, 0), grid.n - 1) * grid.n + min(max(column, 0), grid.n - 1)];
}

__global__ void __launch_bounds__(tile_x* tile_y) anew_kernel(Grid2 grid) {
  const int point = static_cast<int>(blockIdx.x * (tile_x * tile_y) + threadIdx.x);
  if (point >= grid.n * grid.n) return;
  grid.swept[point] = lecture_step(anew(grid, point, -1, 0), anew(grid, point, 1, 0), anew(grid, point, 0, -1),
                                   anew(grid, point, 0, 1), grid.f[point]);
}

__global__ void __launch_bounds__(tile_x* tile_y) hoisted_kernel(Grid2 grid) {
  const int i = static_cast<int>(blockIdx.x * tile_x + threadIdx.x % tile_x),
            j = static_cast<int>(blockIdx.y * tile_y + threadIdx.x / tile_x);
  if (i >= grid.n || j >= grid.n) return;
  const int here = j * grid.n + i;
  const float* const u = grid.u + here;
  const int left = i > 0 ? -1 : 0, right = i < grid.n - 1 ? 1 : 0, down = j > 0 ? -grid.n : 0,
            up = j < grid.n - 1 ? grid.n : 0;
  grid.swept[here] = lecture_step(u[left], u[right], u[down], u[up], grid.f[here]);
}

__global__ void __launch_bounds__(tile_x* tile_y) texture_kernel(Grid2 grid, cudaTextureObject_t u) {
  const int i = static_cast<int>(blockIdx.x * tile_x + threadIdx.x % tile_x),
            j = static_cast<int>(blockIdx.y * tile_y + threadIdx.x / tile_x);
  if (i >= grid.n || j >= grid.n) return;
  const float x = static_cast<float>(i) + 0.5f, y = static_cast<float>(j) + 0.5f;
  grid.swept[j * grid.n + i] =
      lecture_step(tex2D<float>(u, x - 1, y), tex2D<float>(u, x + 1, y), tex2D<float>(u, x, y - 1),
                   tex2D<float>(u, x, y + 1), grid.f[j * grid.n + i]);
}

class Sweeps {
 public:
  Sweeps(Session& session, int n)
      : session_(session),
        n_(n),
        u_(session.backend(), std::int64_t{n} * n),
        f_(session.backend(), std::int64_t{n} * n),
        swept_(session.backend(), std::int64_t{n} * n) {
    fill(session.backend(), u_, SquareNoise{0});
    fill(session.backend(), f_, SquareNoise{1});
    texture_ = std::make_unique<ArrayTexture<float>>(session.backend(), u_.data(), n, n);
  }

  void sweep(std::string_view variant) const {
    const cudaStream_t stream = stream_of(session_.backend());
    const Grid2 grid{u_.data(), f_.data(), swept_.data(), n_};
    const auto blocks = [this](int size) { return static_cast<unsigned>((n_ + size - 1) / size); };
    const dim3 blocks2(blocks(tile_x), blocks(tile_y));
    constexpr int threads = tile_x * tile_y;
    if (variant == neighbours_anew)
      anew_kernel<<<static_cast<unsigned>((n_ * n_ + threads - 1) / threads), threads, 0, stream>>>(grid);
    else if (variant == neighbours_hoisted)
      hoisted_kernel<<<blocks2, threads, 0, stream>>>(grid);
    else
      texture_kernel<<<blocks2, threads, 0, stream>>>(grid, texture_->object());
    cuda::launched(stream);
  }
  void verify(std::string_view variant) const {
    spoil(session_.backend(), swept_);
    sweep(variant);
    session_.check(mismatches(session_.backend(), swept_, swept_.size(), SweptSquare{n_}) == 0, "interpolate", variant,
                   "a sweep over " + std::to_string(n_) + " x " + std::to_string(n_) + " points is wrong");
  }
  Point measure(std::string_view variant) const {
    verify(variant);
    const Timing seconds = session_.time([&] { sweep(variant); });
    return {std::string(variant), static_cast<double>(n_), seconds,
            1e-9 * static_cast<double>(swept_.size()) / seconds};
  }

 private:
  Session& session_;
  int n_;
  Array<float> u_, f_, swept_;
  std::unique_ptr<ArrayTexture<float>> texture_;
};

}  // namespace

Panel measure_neighbours(Session& session) {
  constexpr std::array variants{neighbours_anew, neighbours_hoisted, neighbours_texture};
  for (const int n : {1, 2, 33, 130})
    for (const std::string_view variant : variants) Sweeps(session, n).verify(variant);
  Panel panel{"jacobi", "A Jacobi sweep in two dimensions, fp32", "points along a side", "billion points/s", true};
  for (const int n : session.quick() ? std::vector{256, 1024} : std::vector{256, 512, 1024, 2048, 4096, 8192}) {
    const Sweeps sweeps(session, n);
    for (const std::string_view variant : variants) panel.points.push_back(sweeps.measure(variant));
  }
  panel.guides = {{"12 bytes per point at the speed of a copy", {{256, session.machine().copy / 12}}}};
  return panel;
}

}  // namespace poisson::lab
