#pragma once

#include <vector>

namespace poisson {

/// Times stretches of a backend's work where it runs, without waiting for it: events on a device, the clock on a CPU.
/// Stretches do not nest. Tracing tools see their names.
class Timer {
 public:
  virtual ~Timer() = default;

  virtual void start(const char* name) = 0;
  virtual void stop() = 0;
  /// Seconds of every stretch since the last call, in order. Waits for the last one to end.
  virtual std::vector<double> laps() = 0;
};

}  // namespace poisson
