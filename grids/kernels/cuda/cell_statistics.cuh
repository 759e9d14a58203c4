#pragma once

#include <bit>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/turned.cuh"
#include "grids/kernels/cuda/host_values.cuh"

/// Reductions of functors f(i, j, k) over cells on the device.
namespace poisson::cuda {

/// Sums f along a column.
template <class F>
struct SumOf {
  F f;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += f(i, j, k);
    return sum;
  }
};

/// Finds the largest f ≥ 0. Bits of doubles order like the numbers, except for −0.
template <class F>
struct LargestOf {
  F f;
  unsigned long long* largest;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    double most = 0;
    for (int k = k0; k < k1; ++k) most = fmax(most, static_cast<double>(f(i, j, k)));
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(most));
    // A stale value only causes an unnecessary atomic operation.
    if (bits > *static_cast<volatile unsigned long long*>(largest)) atomicMax(largest, bits);
  }
};

/// Is the device of kappa_statistics::measure_jumps(). `word` is 8 bytes of its memory.
class CellStatisticsOnDevice {
 public:
  CellStatisticsOnDevice(CudaBackend& device, const Processes& processes, unsigned long long* word)
      : device_(device), processes_(processes), sum_(device.scalar()), word_(word) {}

  template <class F>
  double sum(const Box& box, const F& f) const {
    double own = 0;
    if (box.size() > 0) {
      device_.sum_here(box, SumOf<F>{f}, sum_);
      own = device_.value(sum_);
    }
    return processes_.sum(own);
  }
  template <class F>
  double largest(const Box& box, const F& f) const {
    if (box.size() == 0) return 0;
    unsigned long long bits = 0;
    device_.write(&bits, word_, sizeof bits);
    if (is_plane(box))
      device_.for_columns<NoSteps>(turned(box), LargestOf<TurnedTerm<F>>{{f}, word_});
    else
      device_.for_columns<NoSteps>(box, LargestOf<F>{f, word_});
    device_.read(word_, &bits, sizeof bits);
    return std::bit_cast<double>(bits);
  }

 private:
  CudaBackend& device_;
  const Processes& processes_;
  Scalar sum_;
  unsigned long long* word_;
};

}  // namespace poisson::cuda
