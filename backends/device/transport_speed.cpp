#include "backends/device/transport_speed.hpp"

#include <algorithm>

namespace poisson {
namespace {

constexpr int planes = 4;  // per slab

// Returns the seconds of an exchange of planes of n × n values.
double seconds_of_exchange(Backend& backend, const std::shared_ptr<const Processes>& processes, int n) {
  Cuts cuts;
  cuts.n = {n, n, planes * processes->count()};
  for (int p = 1; p < processes->count(); ++p) cuts.first[2].push_back(planes * p);
  const Space space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
  backend.reserve_halo_buffers(space);
  const Field x(backend, space, Precision::fp64);
  constexpr int again = 12;
  const std::unique_ptr<Timer> timer = backend.make_timer();
  for (int i = 0; i < again; ++i) {
    timer->start("exchange");
    backend.exchange(x);
    timer->stop();
  }
  std::vector<double> laps = timer->laps();
  std::ranges::sort(laps);
  return processes->largest(laps[again / 2]);
}

}  // namespace

TransportSpeed TransportSpeed::of(double seconds_of_few, double seconds_of_many) {
  const double bytes = sizeof(double) * (many * many - few * few);
  const double least = std::max(seconds_of_few, seconds_of_many) / 16;
  return {seconds_of_few, bytes / std::max(seconds_of_many - seconds_of_few, least)};
}

TransportSpeed measure_transport(Backend& backend, const std::shared_ptr<const Processes>& processes) {
  const double few = seconds_of_exchange(backend, processes, TransportSpeed::few);
  return TransportSpeed::of(few, seconds_of_exchange(backend, processes, TransportSpeed::many));
}

}  // namespace poisson
