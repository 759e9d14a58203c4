#pragma once

#include <utility>

#include <cuda_runtime.h>

#include "backends/cuda/check.cuh"

namespace poisson::cuda {

/// Marks a point in a stream that other streams can wait for. It records no time stamps.
class Mark {
 public:
  Mark() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Mark() {
    if (event_) cudaEventDestroy(event_);
  }
  Mark(Mark&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream)); }
  /// Makes later work on the stream wait for the last record. Does nothing if there was none.
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_)); }
  /// Blocks the host until the last record is reached.
  void wait() const { check(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace poisson::cuda
