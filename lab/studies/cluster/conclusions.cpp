#include "lab/page/curve.hpp"
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

std::vector<std::string> conclude_cluster(const Panels& panels) {
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "steps");
  if (!panel) return sentences;
  const Curve shared(*panel, by_neighbours), memory(*panel, by_memory), launches(*panel, by_launches);
  if (shared.empty() || memory.empty() || launches.empty()) return sentences;
  const double blocks = shared.last().x;
  sentences.push_back("A step of blocks that read their ends from a neighbour's shared memory takes " +
                      figure(shared.last().value) + " ns in clusters of " + figure(blocks) + " and " +
                      figure(shared.first().value) +
                      " in blocks alone: that is what the cluster's barrier and reads from other blocks cost.");
  const Ratio against_memory = ratio_at(*panel, by_memory, by_neighbours, blocks),
              against_launches = ratio_at(*panel, by_launches, by_neighbours, blocks);
  sentences.push_back("In clusters of " + figure(blocks) + " ends that go by way of global memory take about " +
                      figure(against_memory.median) + " times as long, and a launch for each step " +
                      rough(against_launches.median) + " times.");
  sentences.push_back(against_launches.more()
                          ? "For a stencil: where a grid fits the shared memory of a cluster, its steps need neither "
                            "launches nor memory."
                          : "For a stencil clusters gain nothing here: launches are as cheap as their barriers.");
  return sentences;
}

}  // namespace poisson::lab
