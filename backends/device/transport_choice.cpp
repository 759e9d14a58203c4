#include "backends/device/transport_choice.hpp"

#include <algorithm>

namespace poisson {
const char* name_of(Transport transport) {
  switch (transport) {
    case Transport::automatic:
      return "auto";
    case Transport::peer:
      return "peer";
    case Transport::staged:
      return "staged";
    case Transport::mpi:
      return "mpi";
  }
  return "";
}

TransportWay measure_way(Transport transport, const MakeBackend& make,
                         const std::shared_ptr<const Processes>& processes) {
  const std::unique_ptr<Backend> backend = make(transport);
  const TransportSpeed speed = measure_transport(*backend, processes);
  return {transport, "", backend->transport(), speed};
}

std::vector<TransportWay> compare_ways(const MakeBackend& make, const std::shared_ptr<const Processes>& processes) {
  std::vector<TransportWay> ways;
  for (const Transport transport : {Transport::peer, Transport::staged, Transport::mpi}) {
    try {
      ways.push_back(measure_way(transport, make, processes));
    } catch (const TransportError& error) {
      ways.push_back({transport, error.reason});
    }
  }
  std::ranges::stable_sort(ways, {}, &TransportWay::seconds);
  return ways;
}

}  // namespace poisson
