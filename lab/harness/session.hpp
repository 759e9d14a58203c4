#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backends/backend.hpp"
#include "backends/error.hpp"
#include "lab/harness/machine.hpp"
#include "lab/harness/timing.hpp"

namespace poisson::lab {

/// A variant computed something else than its oracle: the run ends with status 1, and no time of it is shown.
struct WrongResult : RunError {
  using RunError::RunError;
};

/// A device, and how studies measure on it.
class Session {
 public:
  /// `device` as backend.device takes it: auto, cpu, cuda, cuda:1. Throws InputError.
  /// `quick`: fewer places in each sweep and fewer repetitions, for all studies in under a minute.
  Session(const std::string& device, bool quick, std::string* note = nullptr);

  Backend& backend() { return *backend_; }
  bool on_gpu() const { return backend_->kind() == BackendKind::cuda; }
  bool quick() const { return quick_; }
  /// Whether studies that run on the CPU add a variant that computes something wrong: the run must then fail.
  bool with_broken_variant() const { return broken_; }
  void add_broken_variant() { broken_ = true; }
  /// Bytes that a study may take on the device at once.
  std::size_t memory() const { return memory_; }
  /// Bytes that a working set must exceed so that no cache holds it.
  std::size_t beyond_caches() const;

  /// Seconds of one call of `work`, which must leave its inputs as they are: warmed up, then batches of enough calls to
  /// fill a millisecond (a third of it when quick), timed where they run. On a CPU a batch from which the system took a
  /// core is timed again, as far as patience goes.
  Timing time(const std::function<void()>& work);
  /// Bandwidth of the backend's own copy in bytes per second, read and written, beyond all caches: measured once.
  double copy_bandwidth();
  /// The same and more for conclusions.
  const Machine& machine();
  /// Below that share differences are none on this machine: a CPU has others at work beside us.
  double noise() const;

  /// Throws WrongResult naming study, variant and what was off, unless `right`.
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
