#include <algorithm>
#include <cmath>

#include "lab/page/verdict.hpp"
#include "lab/studies/launch/study.hpp"

namespace poisson::lab {
namespace {

constexpr const char* streamed = "stream launches";

std::string comparison(const Panel& panel, const Curve& curve) {
  const std::string& name = curve.first().variant;
  const Ratio ratio = ratio_at(panel, streamed, name, curve.last().x);
  const std::string cost =
      "With " + name + " each of " + figure(curve.last().x) + " steps takes " + rough(curve.last().value) + " µs: ";
  if (ratio.less())
    return cost + rough(1 / ratio.median) + " times as long as with " + streamed +
           (name == awaited ? ", and a result that is read back after each step costs at least that." : ".");
  if (ratio.alike()) return cost + "as long as with " + streamed + ", within the noise of this machine.";
  return cost + rough(ratio.median) + " times as fast as " + streamed + ".";
}

// Names the fastest ways at the end of the sweep. Ways within this factor count as equally fast.
std::string best_ways(const Panel& panel) {
  constexpr double near = 1.4;
  double least = INFINITY;
  for (const std::string& variant : variants_of(panel)) least = std::fmin(least, Curve(panel, variant).last().value);
  std::vector<std::string> names;
  for (const std::string& variant : variants_of(panel))
    if (Curve(panel, variant).last().value <= near * least) names.push_back(variant);
  if (names.size() == 1) return "For long sequences of small dependent steps take " + names.front() + ".";
  return "For long sequences of small dependent steps " + listed(names) +
         " differ little: take the one that is simpler to write.";
}

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
  std::vector<std::string> sentences;
  const Panel* const steps = find_panel(panels, "steps");
  if (!steps) return sentences;
  const Curve stream(*steps, streamed);
  const double launch = stream.last().value;
  sentences.push_back("A tiny step launched on the stream takes " + rough(launch) +
                      " µs, in which this device copies " + rough(1e3 * launch * copy / 2 / (1 << 20)) + " MiB" +
                      " at its full rate: where a grid is smaller, its time is that of launching.");
  for (const std::string& variant : variants_of(*steps))
    if (variant != streamed) sentences.push_back(comparison(*steps, Curve(*steps, variant)));
  sentences.push_back(best_ways(*steps));
  return sentences;
}

}  // namespace poisson::lab
