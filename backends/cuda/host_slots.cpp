#include "backends/cuda/host_slots.hpp"

#include "backends/cuda/check.cuh"

namespace poisson::cuda {
namespace {

// Pinning costs more than it saves for few values, and locks memory of the host for many.
constexpr std::size_t least_pinned = std::size_t{1} << 17, most_pinned = std::size_t{1} << 23;

}  // namespace

HostSlots::HostSlots(std::size_t count, cudaStream_t stream) : stream_(stream) {
  const bool pins = count >= least_pinned && count <= most_pinned &&
                    cudaMallocHost(&pinned_, slots_.size() * count * sizeof(double)) == cudaSuccess;
  if (!pins) cudaGetLastError();  // clears the error, which is handled here
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    if (!pins) slot.pageable.resize(count);
    slot.values = pins ? static_cast<double*>(pinned_) + s * count : slot.pageable.data();
    check(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming));
  }
}

HostSlots::~HostSlots() {
  cudaStreamSynchronize(stream_);
  for (const Slot& slot : slots_) cudaEventDestroy(slot.copied);
  if (pinned_) cudaFreeHost(pinned_);
}

double* HostSlots::next() {
  now_ = 1 - now_;
  check(cudaEventSynchronize(slots_[now_].copied));
  return slots_[now_].values;
}

void HostSlots::sent() {
  check(cudaEventRecord(slots_[now_].copied, stream_));
}

}  // namespace poisson::cuda
