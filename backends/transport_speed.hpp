#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace poisson {

/// How fast neighbours exchange layers.
struct TransportSpeed {
  double latency;    ///< seconds of an exchange of few values
  double bandwidth;  ///< bytes a second each way of one of many
};

/// Measured in some milliseconds by exchanges of fields in slabs, the slowest of all processes. All of them call it.
TransportSpeed measure_transport(Backend& backend, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
