#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/error.hpp"
#include "backends/transport_speed.hpp"

namespace poisson {

/// Processes cannot reach each other as they were told to. Thrown on all of them.
struct TransportError : InputError {
  TransportError(const std::string& what, std::string why) : InputError(what), reason(std::move(why)) {}

  std::string reason;  ///< of `what`, what goes into parentheses
};

/// A way between processes.
struct TransportWay {
  Transport transport;
  std::string obstacle;  ///< why it cannot be had; empty where it can
  // Where it can be had:
  std::string words{};  ///< as its backend says it; empty on the host's cores
  TransportSpeed speed{};

  bool can_be_had() const { return obstacle.empty(); }
  /// Of an exchange of a large layer; infinite where it cannot be had.
  double seconds() const {
    return can_be_had() ? speed.seconds(TransportSpeed::many) : std::numeric_limits<double>::infinity();
  }
};

/// The name of a way in configurations.
const char* name_of(Transport);

/// A backend of its own for measurements, which reaches the others so.
using MakeBackend = std::function<std::unique_ptr<Backend>(Transport)>;

// All processes call these.

/// One way, measured. Throws TransportError where it cannot be had.
TransportWay measure_way(Transport, const MakeBackend&, const std::shared_ptr<const Processes>&);
/// What Transport::automatic is in a run: all ways between GPUs, first the one whose exchanges of large layers take the
/// least time: the same order on all processes. There always is one that can be had.
std::vector<TransportWay> compare_ways(const MakeBackend&, const std::shared_ptr<const Processes>&);

}  // namespace poisson
