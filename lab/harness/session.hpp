#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "lab/harness/machine.hpp"
#include "lab/harness/timing.hpp"

namespace poisson::lab {

/// This error means that a variant differs from its oracle. The run then ends with status 1 and shows no time of that
/// variant.
struct WrongResult : RunError {
  using RunError::RunError;
};

/// Owns a device and provides the measurements of studies on it.
class Session {
 public:
  /// `device` is as for backend.device: auto, cpu, cuda, cuda:1. With `quick`, sweeps have fewer places and
  /// repetitions, and all studies need less than a minute. Throws InputError.
  Session(const std::string& device, bool quick, std::string* note = nullptr);

  Backend& backend() { return *backend_; }
  bool on_gpu() const { return backend_->kind() == BackendKind::cuda; }
  bool quick() const { return quick_; }
  /// Returns whether studies that run on the CPU add a wrong variant, so that the run must fail.
  bool with_broken_variant() const { return broken_; }
  void add_broken_variant() { broken_ = true; }
  /// Returns the bytes that a study may allocate on the device.
  std::size_t memory() const { return memory_; }
  /// Returns a size in bytes. No cache contains a larger working set.
  std::size_t beyond_caches() const;

  /// Returns the seconds of one call of `work`, which must not change its inputs. After a warm-up the session times
  /// batches of enough calls to fill a millisecond (a third of it when quick). On a CPU it repeats batches in which the
  /// system preempted a thread, up to a limit.
  Timing time(const std::function<void()>& work);
  /// Returns the bandwidth of the backend's own copy in bytes per second, read and written, beyond all caches. It is
  /// measured on the first call only.
  double copy_bandwidth();
  /// Returns the machine properties that conclusions need, copy bandwidth included.
  const Machine& machine();
  /// Returns the relative difference below which results count as equal on this machine. It is larger on a CPU, where
  /// other processes run.
  double noise() const;

  /// Throws WrongResult, which names the study, the variant and the error, unless `right`.
  void check(bool right, std::string_view study, std::string_view variant, const std::string& what) const;

 private:
  std::unique_ptr<Backend> backend_;
  bool quick_, broken_ = false;
  std::size_t memory_ = 0;
  std::unique_ptr<Timer> timer_;
  double copy_bandwidth_ = 0;
  Machine machine_;
};

}  // namespace poisson::lab
