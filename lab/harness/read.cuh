#pragma once

#include "lab/harness/reading_order.hpp"
#include "lab/harness/verify.cuh"

namespace poisson::lab {

/// Describes a one-dimensional grid of blocks of threads.
struct Grid {
  int blocks = 0, threads = 0;
  std::int64_t size() const { return std::int64_t{blocks} * threads; }
};

/// Iterates over element_at for thread, thread + threads, … without a division per element.
template <Direction direction>
class Walk {
 public:
  __device__ Walk(const Matrix& matrix, std::int64_t thread, std::int64_t threads) {
    if constexpr (direction == Direction::rows) {
      position_ = thread;
      down_ = threads;
    } else {
      rows_ = matrix.rows;
      row_ = thread % rows_;
      down_ = threads % rows_;
      position_ = element_at(matrix, direction, thread);
      step_ = down_ * matrix.columns + threads / rows_;
      wrap_ = rows_ * matrix.columns - 1;  // leads from below the last row to the top of the next column
    }
  }
  __device__ std::int64_t position() const { return position_; }
  __device__ void advance() {
    if constexpr (direction == Direction::rows) {
      position_ += down_;
    } else {
      position_ += step_;
      row_ += down_;
      if (row_ >= rows_) {
        row_ -= rows_;
        position_ -= wrap_;
      }
    }
  }

 private:
  std::int64_t position_, down_;
  std::int64_t rows_ = 0, row_ = 0, step_ = 0, wrap_ = 0;  // walks down columns
};

__device__ inline void add_to(float& sum, float value) {
  sum += value;
}
__device__ inline void add_to(float4& sum, float4 value) {
  sum = {sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w};
}
__device__ inline float total(float sum) {
  return sum;
}
__device__ inline float total(float4 sum) {
  return (sum.x + sum.y) + (sum.z + sum.w);
}

/// Reads memory through the ordinary load path.
template <class T>
struct PlainRead {
  const T* data;
  __device__ T operator()(std::int64_t i) const { return data[i]; }
};

/// Writes sums[thread] = thread_sum for every thread that reads an element. Each thread has `in_flight` loads in
/// flight: it issues all of them before it uses one, and the next batch waits for the sums. The launch bounds ask for
/// only one block per multiprocessor; otherwise the compiler would save registers by using the first value before the
/// last load.
template <class T, Direction direction, int in_flight, class Read>
__global__ void __launch_bounds__(1024, 1) read_kernel(Read read, Matrix matrix, float* sums) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x, size = matrix.size();
  if (thread >= size) return;
  T sum{};
  Walk<direction> walk(matrix, thread, threads);
  std::int64_t order = thread;
#pragma unroll 1
  for (; order + (in_flight - 1) * threads < size; order += in_flight * threads) {
    T value[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      value[i] = read(walk.position());
      walk.advance();
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) add_to(sum, value[i]);
  }
#pragma unroll 1
  for (; order < size; order += threads) {
    add_to(sum, read(walk.position()));
    walk.advance();
  }
  sums[thread] = total(sum);
}

/// Wraps thread_sum as a function object for comparisons.
struct ThreadSum {
  Matrix matrix;
  Direction direction;
  int lanes;
  std::int64_t threads;
  constexpr float operator()(std::int64_t thread) const {
    return thread_sum(matrix, direction, lanes, thread, threads);
  }
};

}  // namespace poisson::lab
