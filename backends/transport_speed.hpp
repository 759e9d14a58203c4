#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace poisson {

/// How fast neighbours exchange layers.
struct TransportSpeed {
  /// Exchanges by which it is measured are of layers of so many values squared.
  static constexpr int few = 8, many = 256;

  /// From seconds of an exchange of each. Where these hardly differ, or noise has the few take longer, it is as if a
  /// sixteenth of the time was that of the values.
  static TransportSpeed of(double seconds_of_few, double seconds_of_many);

  double latency;    ///< seconds of an exchange of few values
  double bandwidth;  ///< bytes a second each way of one of many

  /// Seconds of an exchange of layers of n × n values of eight bytes.
  double seconds(double n) const { return latency + n * n * 8 / bandwidth; }
};

/// Measured in some milliseconds by exchanges of fields in slabs, the slowest of all processes. All of them call it.
TransportSpeed measure_transport(Backend& backend, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
