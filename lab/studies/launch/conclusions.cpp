#include <algorithm>
#include <cmath>

#include "lab/page/sentence.hpp"
#include "lab/studies/launch/study.hpp"

namespace poisson::lab {
namespace {

constexpr const char *streamed = "stream launches", *recorded = "graph nodes",
                     *persistent = "a persistent kernel with grid barriers";

}  // namespace

std::vector<std::uint64_t> state_after(const TinyStep& tiny, int steps) {
  std::vector<std::uint64_t> state(static_cast<std::size_t>(tiny.words)), next(state.size());
  for (std::size_t w = 0; w < state.size(); ++w) state[w] = TinyStep::start(static_cast<std::int64_t>(w));
  for (int step = 0; step < steps; ++step) {
    for (std::size_t w = 0; w < state.size(); ++w)
      next[w] = tiny.next(state.data(), static_cast<std::int64_t>(w), step);
    state.swap(next);
  }
  return state;
}

SequenceCost sequence_cost(const Curve& curve) {
  // Values y at x steps are step + start/x. Weights of 1/y² give short and long sequences equal influence.
  double w = 0, wz = 0, wzz = 0, wy = 0, wzy = 0;  // sums of weights, of z = 1/x and of y
  for (const Point& point : curve.points()) {
    const double weight = 1 / (point.value * point.value), z = 1 / point.x;
    w += weight;
    wz += weight * z;
    wzz += weight * z * z;
    wy += weight * point.value;
    wzy += weight * z * point.value;
  }
  const double determinant = w * wzz - wz * wz;
  const double start = determinant > 1e-12 * w * wzz ? (w * wzy - wz * wy) / determinant : 0;
  if (start <= 0) return {0, wy / w};
  return {start, (wzz * wy - wz * wzy) / determinant};
}

std::vector<Guide> sequence_guides(const Panel& panel) {
  std::vector<Guide> guides;
  for (const std::string& variant : variants_of(panel)) {
    const Curve curve(panel, variant);
    const SequenceCost cost = sequence_cost(curve);
    Guide guide{variant + ": " + figure(cost.start) + " µs + " + figure(cost.step) + " µs per step", {}};
    for (const Point& point : curve.points()) guide.points.push_back({point.x, cost.per_step(point.x)});
    guides.push_back(guide);
  }
  return guides;
}

std::vector<std::string> conclude_launch(const std::vector<Panel>& panels, double copy) {
  Lessons lessons;
  const Panel* const steps = find_panel(panels, "steps");
  if (!steps) return {};
  const auto last = [&](const char* variant) {
    const Curve curve(*steps, variant);
    return curve.empty() ? NAN : curve.last().value;
  };
  const double launch = last(streamed), graph = last(recorded), kernel = last(persistent), waiting = last(awaited),
               reading = last(read_back);
  if (!known(launch, graph, kernel, waiting)) return {};
  lessons.say("A launch costs as much as copying " + rough(1e3 * launch * copy / 2 / (1 << 20)) +
              " MiB: the time of a step on a smaller grid is that of its launch.");
  lessons.say(steps->name, "In long sequences a step takes " + figure(launch) + " µs by stream launches, " +
                               figure(graph) + " in a graph and " + figure(kernel) + " in a persistent kernel" +
                               (graph < 1.4 * kernel ? ": record a graph, which is simpler." : "."));
  lessons.say(steps->name, "If the host waits for each step, it takes " + rough(waiting) + " µs" +
                               (known(reading) ? ", and if it also reads back 8 bytes, " + rough(reading) +
                                                     ": a readback empties the pipeline."
                                               : "."));
  return lessons.take();
}

}  // namespace poisson::lab
