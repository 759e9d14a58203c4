#pragma once

#include <memory>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/device/plain_run.hpp"

namespace poisson {

/// Stands in for a recording (Backend::run) whose arrays have moved or whose arguments have changed. The next run or
/// preparation records its verbs again. A device then updates what it launches in place if it can.
class ExpiredRun final : public Recording {
 public:
  explicit ExpiredRun(std::unique_ptr<Recording> former) : former_(std::move(former)) {}
  /// Hands over the former recording.
  std::unique_ptr<Recording> release() { return std::move(former_); }

 private:
  std::unique_ptr<Recording> former_;
};

/// Marks a recording as outdated. A run that records nothing yet stays as it is.
inline void expire(std::unique_ptr<Recording>& recording) {
  const bool records =
      recording && !dynamic_cast<const PlainRun*>(recording.get()) && !dynamic_cast<const ExpiredRun*>(recording.get());
  if (records) recording = std::make_unique<ExpiredRun>(std::move(recording));
}

/// Returns whether the verbs of a recording must be recorded.
inline bool is_outdated(const std::unique_ptr<Recording>& recording) {
  return !recording || dynamic_cast<const ExpiredRun*>(recording.get());
}

}  // namespace poisson
