#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/device/transport_speed.hpp"
#include "backends/memory/error.hpp"

namespace poisson {

/// Reports that the processes cannot communicate by the requested transport. Thrown on all processes.
struct TransportError : InputError {
  TransportError(const std::string& what, std::string why) : InputError(what), reason(std::move(why)) {}

  std::string reason;  ///< the text in parentheses in `what`
};

/// Describes a transport between processes, its obstacle or its speed.
struct TransportWay {
  Transport transport;
  std::string obstacle;  ///< why it is unavailable; empty if available
  // The following are set for an available transport.
  std::string words{};  ///< how the backend describes it; empty on the host's cores
  TransportSpeed speed{};

  bool can_be_had() const { return obstacle.empty(); }
  /// Returns the seconds of an exchange of a large layer; infinite if the transport is unavailable.
  double seconds() const {
    return can_be_had() ? speed.seconds(TransportSpeed::many) : std::numeric_limits<double>::infinity();
  }
};

/// Returns the name of a transport in configurations.
const char* name_of(Transport);

/// Makes a separate backend for measurements that uses the given transport.
using MakeBackend = std::function<std::unique_ptr<Backend>(Transport)>;

// The following functions are collective.

/// Measures one transport. Throws TransportError if it is unavailable.
TransportWay measure_way(Transport, const MakeBackend&, const std::shared_ptr<const Processes>&);
/// Measures all transports between GPUs, as a run with Transport::automatic does. The transport that exchanges large
/// layers fastest comes first; the order is the same on all processes. At least one transport is available.
std::vector<TransportWay> compare_ways(const MakeBackend&, const std::shared_ptr<const Processes>&);

}  // namespace poisson
