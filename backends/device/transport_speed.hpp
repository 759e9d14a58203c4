#pragma once

#include <memory>

#include "backends/device/backend.hpp"

namespace poisson {

/// Describes how fast neighbours exchange layers.
struct TransportSpeed {
  /// The speed is measured with layers of few² and many² values.
  static constexpr int few = 8, many = 256;

  /// Computes the speed from the seconds of both exchanges. If they hardly differ, or noise makes the small exchange
  /// slower, a sixteenth of the time is attributed to bandwidth.
  static TransportSpeed of(double seconds_of_few, double seconds_of_many);

  double latency;    ///< seconds that few values need
  double bandwidth;  ///< bytes per second that each direction reaches with many values

  /// Returns the seconds to exchange layers of n × n values of 8 bytes.
  double seconds(double n) const { return latency + n * n * 8 / bandwidth; }
};

/// Measures the speed by exchanges of fields in slabs, which cost a few milliseconds. Returns the result of the slowest
/// process. Collective.
TransportSpeed measure_transport(Backend& backend, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
