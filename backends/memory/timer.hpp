#pragma once

#include <vector>

namespace poisson {

/// Times intervals of a backend's work where it runs, without waiting: by events on a device, by the clock on a CPU.
/// Intervals do not nest. Tracing tools see their names.
class Timer {
 public:
  virtual ~Timer() = default;

  virtual void start(const char* name) = 0;
  virtual void stop() = 0;
  /// Returns the seconds of every interval since the last call, in order. Waits for the last one to end.
  virtual std::vector<double> laps() = 0;
};

}  // namespace poisson
