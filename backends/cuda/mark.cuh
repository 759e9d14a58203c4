#pragma once

#include <utility>

#include <cuda_runtime.h>

#include "backends/cuda/check.cuh"

namespace poisson::cuda {

/// A mark in a stream for other streams to wait for; it takes no time stamps.
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
  /// Whatever comes on the stream waits for the last record; for nothing where there was none.
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_)); }
  /// The host waits for it.
  void wait() const { check(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace poisson::cuda
