#include <algorithm>
#include <cmath>
#include <cstddef>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/transfer/study.hpp"

namespace poisson::lab {
namespace {

using namespace transfer_names;

void on_size(const Panel& panel, Lessons& lessons) {
  const double largest = places(panel).back();
  const auto rates = [&](std::string_view variant) {
    const Point* const point = point_at(panel, variant, largest);
    return point ? point->value : NAN;
  };
  const double up = rates(pinned_up), down = rates(pinned_down), together = rates(both), pageable = rates(pageable_up),
               back = rates(pageable_down);
  if (!known(up, down, together, pageable, back)) return;
  // The host first copies pageable memory, at a rate that depends on its load.
  const bool gains = up > (1 + Panel::host_noise) * pageable && down > (1 + Panel::host_noise) * back;
  lessons.say("Pin what crosses the bus: pinned memory is sent at " + rate(up) +
              (gains ? ", pageable memory far more slowly, because the host copies it first."
                     : "; on this machine pageable memory is not much slower."));
  const Curve pinned(panel, pinned_up);
  const auto half = std::ranges::find_if(pinned.points(), [&](const Point& point) { return point.value >= up / 2; });
  lessons.say(panel.name, "Both directions at once move " + rate(together) + ", " +
                              times(together / std::max(up, down)) + " as much as one; a copy of " +
                              readable_bytes(pinned.first().x) + " takes " + rough(1e6 * pinned.first().seconds) +
                              " µs; half of the full rate needs about " + readable_bytes(half->x) + " at a time.");
}

void on_pieces(const Panel& panel, Lessons& lessons) {
  const Curve curve(panel, pieces);
  if (curve.points().size() < 2) return;
  const double each = 1e6 * (curve.last().seconds - curve.first().seconds) / (curve.last().x - curve.first().x);
  lessons.say(panel.name, "Sending the same bytes in " + figure(curve.last().x) + " copies takes " +
                              rough(curve.last().seconds / curve.first().seconds) + " times as long, " + rough(each) +
                              " µs per copy: gather small data before you send them.");
}

// All pipelines share a sentence, which stands under the last of them.
void on_pipelines(std::span<const Panel> panels, Lessons& lessons) {
  double low = INFINITY, high = 0, one = 0;
  std::string last;
  for (const Panel& panel : panels) {
    const Point* const best = best_of(panel, pipeline);
    if (!best || !panel.name.starts_with("pipeline") || panel.guides.size() < 2) continue;
    const double ideal = panel.guides[1].points.front()[1];
    low = std::min(low, best->value / ideal);
    high = std::max(high, best->value / ideal);
    one = std::max(one, Curve(panel, pipeline).first().value / ideal);
    last = panel.name;
  }
  if (!last.empty() && known(low, high, one))
    lessons.say(last, "Cut the data into chunks: with the best number, transfers and kernels overlap to " +
                          percent(low) + " to " + percent(high) + " of the ideal; one chunk reaches " + at_most(one) +
                          ", and very many chunks pay for their launches.");
}

void on_coprocessor(const Panel& panel, Lessons& lessons) {
  const Point *const best = best_of(panel, overlapped), *const alone = best_of(panel, in_turn);
  if (!best || !alone || panel.guides.size() < 2) return;
  const double bus = panel.guides[0].points.front()[1], host = panel.guides[1].points.front()[1];
  lessons.say(panel.name, "If host and device work on different chunks at once, they are " +
                              times(best->value / alone->value) + " as fast as in turn; the limit is " +
                              (bus < host ? "the bus." : "the host's own part of the work."));
}

}  // namespace

std::int64_t wrong_values(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after, int rounds) {
  const Rounds computed(rounds);
  const auto values = static_cast<std::int64_t>(before.size());
  std::int64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
  for (std::int64_t i = 0; i < values; ++i) {
    const auto at = static_cast<std::size_t>(i);
    wrong += after[at] != computed(before[at]) ? 1 : 0;
  }
  return wrong;
}

std::uint32_t worked_on(std::span<const std::uint32_t> words, int device_rounds, int host_rounds) {
  const Rounds device(device_rounds), host(host_rounds);
  std::uint32_t sum = 0;
  const auto results = static_cast<std::int64_t>(words.size() / folded);
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < results; ++i) {
    std::uint32_t result = 0;
    for (const std::uint32_t word : words.subspan(static_cast<std::size_t>(i) * folded, folded)) result += device(word);
    sum += host(result);
  }
  return sum;
}

std::vector<std::string> conclude_transfer(std::span<const Panel> panels) {
  Lessons lessons;
  for (const Panel& panel : panels) {
    if (panel.name == "size") on_size(panel, lessons);
    if (panel.name == "pieces") on_pieces(panel, lessons);
    if (panel.name == "coprocessor") on_coprocessor(panel, lessons);
  }
  on_pipelines(panels, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
