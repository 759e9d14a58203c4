#include <cstddef>
#include <utility>
#include <vector>

#include <nvtx3/nvToolsExt.h>

#include "backends/cuda/check.cuh"
#include "backends/cuda/cuda_backend.cuh"

namespace poisson::cuda {
namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Records an event before and after each interval, which is also an NVTX range.
class EventTimer final : public Timer {
 public:
  explicit EventTimer(CudaBackend& backend) : backend_(backend) {}

  void start(const char* name) override {
    nvtxRangePushA(name);
    record();
  }
  void stop() override {
    record();
    nvtxRangePop();
  }
  std::vector<double> laps() override {
    if (used_ > 0) check(cudaEventSynchronize(events_[used_ - 1]));
    std::vector<double> seconds;
    for (std::size_t i = 0; i + 1 < used_; i += 2) {
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]));
      seconds.push_back(1e-3 * static_cast<double>(milliseconds));
    }
    used_ = 0;
    return seconds;
  }

 private:
  void record() {
    if (used_ == events_.size()) events_.emplace_back();
    check(cudaEventRecord(events_[used_++], backend_.stream()));
  }

  CudaBackend& backend_;
  std::vector<Event> events_;  // start and stop alternate; later intervals reuse them
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<Timer> CudaBackend::make_timer() {
  return std::make_unique<EventTimer>(*this);
}

}  // namespace poisson::cuda
