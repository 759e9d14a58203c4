#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/cluster/study.hpp"

namespace poisson::lab {

std::vector<float> rings_after(int rings, int blocks, int steps) {
  const int points = blocks * piece_points;
  std::vector<float> all;
  for (int ring = 0; ring < rings; ++ring) {
    std::vector<float> u, next(static_cast<std::size_t>(points));
    for (int i = 0; i < points; ++i)
      u.push_back(noise_float(static_cast<std::uint64_t>(std::int64_t{ring} * points + i)));
    for (int step = 0; step < steps; ++step) {
      for (int i = 0; i < points; ++i)
        next[static_cast<std::size_t>(i)] =
            ring_step(u[static_cast<std::size_t>((i + points - 1) % points)], u[static_cast<std::size_t>(i)],
                      u[static_cast<std::size_t>((i + 1) % points)]);
      u.swap(next);
    }
    all.insert(all.end(), u.begin(), u.end());
  }
  return all;
}

namespace {

void on_barriers(const Panel& panel, Lessons& lessons) {
  const Curve alone(panel, barrier_alone), fenced(panel, barrier_fenced), full(panel, barrier_full),
      storing(panel, barrier_storing);
  if (alone.empty() || fenced.empty() || full.empty() || storing.empty()) return;
  lessons.say(panel.name, "In clusters of " + figure(full.last().x) + " the barrier itself takes " +
                              figure(alone.last().value) + " ns, with a fence of the cluster " +
                              figure(fenced.last().value) + ", and cluster.sync() takes " + figure(full.last().value) +
                              ", after a store to memory " + figure(storing.last().value) +
                              ": the order of memory is what costs.");
}

}  // namespace

std::vector<std::string> conclude_cluster(const Panels& panels) {
  Lessons lessons;
  const Panel* const panel = find_panel(panels, "steps");
  if (!panel) return {};
  const Curve shared(*panel, by_neighbours), fenced(*panel, by_fence), memory(*panel, by_memory),
      launches(*panel, by_launches);
  if (shared.empty() || memory.empty() || launches.empty()) return {};
  const double blocks = shared.last().x;
  const double best = fenced.empty() ? shared.last().value : std::fmin(shared.last().value, fenced.last().value);
  const double gain = launches.at(blocks) / best;
  lessons.say(gain > 1.2 ? "If a small grid fits the shared memory of a cluster, its steps need neither launches nor "
                           "memory: in clusters of " +
                               figure(blocks) + " they are " + rough(gain) + " times as fast as launches."
                         : "Clusters gain nothing here: launches are as cheap as their barriers.");
  lessons.say(panel->name, "A step takes " + figure(shared.last().value) + " ns in clusters of " + figure(blocks) +
                               " and " + figure(shared.first().value) + " in single blocks" +

                               "; halos through global memory take " + figure(memory.last().value) + " ns.");
  if (const Panel* const waits = find_panel(panels, "barriers")) on_barriers(*waits, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
