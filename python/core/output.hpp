#pragma once

#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>

#include "app/session.hpp"
#include "backends/device/arrays.hpp"
#include "python/core/arrays.hpp"

namespace poisson::python {

/// Is the address of a stream of the program, or nothing.
using Stream = std::optional<std::uintptr_t>;

/// Writes the solution, times a factor, into an array of the program, unless it is None. Later work of the session
/// waits for the stream at begin(), and later work on the stream waits for the session at end().
class Output {
 public:
  Output(Session& session, nanobind::handle to, const Stream& stream) : session_(session), stream_(stream) {
    if (!to.is_none()) to_ = to_values(session, to, "u", true);
  }
  void begin() const {
    if (stream_) wait_for_stream(session_.backend(), reinterpret_cast<void*>(*stream_));
  }
  void end(double factor = 1) const {
    if (to_) session_.solution(*to_, factor);
    if (stream_) make_stream_wait(reinterpret_cast<void*>(*stream_), session_.backend());
  }

 private:
  Session& session_;
  Stream stream_;
  std::optional<Values> to_;
};

}  // namespace poisson::python
