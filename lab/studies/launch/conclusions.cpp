#include <algorithm>
#include <cmath>

#include "backends/memory.hpp"
#include "lab/studies/launch/study.hpp"

namespace poisson::lab {
namespace {

constexpr const char* streamed = "stream launches";

// The shortest measured sequence from which on a curve stays below another one; NaN where it ends above.
double wins_from(const Curve& curve, const Curve& other) {
  double from = NAN;
  for (auto point = curve.points().rbegin(); point != curve.points().rend(); ++point) {
    if (!(point->value < other.at(point->x))) break;
    from = point->x;
  }
  return from;
}

std::string comparison(const Curve& curve, const Curve& stream) {
  const std::string& name = curve.first().variant;
  const double from = wins_from(curve, stream), ratio = stream.last().value / curve.last().value;
  const std::string cost =
      "With " + name + " each of " + figure(curve.last().x) + " steps takes " + figure(curve.last().value) + " µs: ";
  if (std::isnan(from)) return cost + figure(1 / ratio) + " times as long as with " + streamed + ".";
  return cost + figure(ratio) + " times as fast as " + streamed + ", and ahead of them from " + figure(from) +
         (from == 1 ? " step on." : " steps on.");
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
  const double shortest = curve.first().x, longest = curve.last().x;
  const double first = curve.first().value * shortest, last = curve.last().value * longest;
  if (longest == shortest) return {0, curve.last().value};
  const double step = (last - first) / (longest - shortest);
  return {first - step * shortest, step};
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
  sentences.push_back("A tiny step launched on the stream takes " + figure(launch) +
                      " µs, in which this device copies " + readable_bytes(1e-6 * launch * copy / 2) +
                      ": where a grid is smaller, its time is that of launching.");
  const Curve* best = &stream;
  std::vector<Curve> others;
  for (const std::string& variant : variants_of(*steps))
    if (variant != streamed) others.emplace_back(*steps, variant);
  for (const Curve& curve : others) {
    sentences.push_back(comparison(curve, stream));
    if (curve.last().value < best->last().value) best = &curve;
  }
  sentences.push_back("For long sequences of small dependent steps take " + best->first().variant + ".");
  return sentences;
}

}  // namespace poisson::lab
