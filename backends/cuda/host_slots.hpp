#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <cuda_runtime.h>

namespace poisson::cuda {

/// Contains two pieces of host memory for values that are sent to a device. While the device copies one piece, the host
/// fills the other. The memory is pinned if that is worth its cost and the host allows it; otherwise a copy ends before
/// cudaMemcpyAsync returns.
class HostSlots {
 public:
  /// Copies are enqueued on the stream; a piece has `count` values.
  HostSlots(std::size_t count, cudaStream_t stream);
  ~HostSlots();
  HostSlots(const HostSlots&) = delete;
  HostSlots& operator=(const HostSlots&) = delete;

  /// Returns the piece to fill. Waits until its last copies are complete.
  double* next();
  /// Must be called after the copies of the piece have been enqueued.
  void sent();

 private:
  struct Slot {
    double* values = nullptr;
    std::vector<double> pageable;
    cudaEvent_t copied = nullptr;
  };

  cudaStream_t stream_;
  std::array<Slot, 2> slots_;
  std::size_t now_ = 0;
  void* pinned_ = nullptr;
};

}  // namespace poisson::cuda
