#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include "app/session.hpp"
#include "backends/device/arrays.hpp"

namespace poisson::python {

/// Stops a solve when the interpreter has a pending signal, such as Ctrl-C, or ends.
class Interrupt {
 public:
  /// Returns whether the solve continues.
  bool operator()() {
    if (ended_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return !error_;
    last_ = now;
    const nanobind::gil_scoped_acquire lock;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return !error_;
  }
  /// Raises the exception of the signal's handler, if there was one.
  void raise() {
    if (error_) throw nanobind::python_error(std::move(*error_));
  }
  /// Stops all solves from now on, in all threads.
  static void end_all() { ended_ = true; }
  static bool all_ended() { return ended_; }

 private:
  static constexpr std::chrono::milliseconds interval{20};
  inline static std::atomic<bool> ended_{false};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::optional<nanobind::python_error> error_;
};

/// Releases the interpreter's lock and makes the session's device the current one.
class Unlocked {
 public:
  explicit Unlocked(const Session& session) : device_(use_device_of(session.backend())) {}

 private:
  nanobind::gil_scoped_release unlocked_;
  std::shared_ptr<void> device_;
};

}  // namespace poisson::python
