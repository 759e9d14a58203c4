#include <algorithm>
#include <cstddef>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/transfer/study.hpp"

namespace poisson::lab {
namespace {

using namespace transfer_names;

std::string on_pinning(const Panel& panel, double largest) {
  const Point *const pinned = point_at(panel, pinned_up, largest), *const pageable =
                                                                       point_at(panel, pageable_up, largest);
  const Point *const pinned_back = point_at(panel, pinned_down, largest), *const back =
                                                                              point_at(panel, pageable_down, largest);
  if (!pinned || !pageable || !pinned_back || !back) return {};
  const std::string rates = "pinned memory goes up at " + gigabytes_per_second(pinned->value) + " and down at " +
                            gigabytes_per_second(pinned_back->value);
  // The host first copies pageable memory, at a rate that scatters like all work of the host.
  const auto gains = [](const Point& with, const Point& without) {
    return with.value > (1 + Panel::host_noise) * without.value;
  };
  if (gains(*pinned, *pageable) && gains(*pinned_back, *back))
    return "Pin what crosses the bus often: " + rates +
           ", pageable memory, which the host copies first, far more slowly both ways.";
  return "Pinning brings little on this machine: " + rates + ".";
}

std::string on_directions(const Panel& panel, double largest) {
  const Point *const together = point_at(panel, both, largest), *const up = point_at(panel, pinned_up, largest),
                     *const down = point_at(panel, pinned_down, largest);
  if (!together || !up || !down) return {};
  const double alone = std::max(up->value, down->value);
  const std::string text = "Both directions at once move " + gigabytes_per_second(together->value) + " in total, " +
                           times(together->value / alone) + " what one direction does alone: ";
  return text + (together->value >= 1.3 * alone
                     ? "the bus has a lane for each, so upload and download at the same time."
                     : "they share the bus, and overlapping them gains little.");
}

std::string on_size(const Panel& panel) {
  const std::vector<double> sizes = places(panel, pinned_up);
  if (sizes.empty()) return {};
  const Point &small = *point_at(panel, pinned_up, sizes.front()), &large = *point_at(panel, pinned_up, sizes.back());
  const auto half =
      std::ranges::find_if(sizes, [&](double x) { return point_at(panel, pinned_up, x)->value >= large.value / 2; });
  return "A copy of " + readable_bytes(small.x) + " takes " + rough(1e6 * small.seconds) +
         " µs; half of the full rate needs " + readable_bytes(*half) + " at a time.";
}

std::string on_pieces(const Panel& panel) {
  const std::vector<double> counts = places(panel, pieces);
  if (counts.size() < 2) return {};
  const Point &one = *point_at(panel, pieces, counts.front()), &many = *point_at(panel, pieces, counts.back());
  const double each = 1e6 * (many.seconds - one.seconds) / (many.x - one.x);
  std::string text = "The same bytes in " + readable_value(many.x) + " copies take " +
                     times(many.seconds / one.seconds) + " as long as in " +
                     (one.x == 1 ? "one" : readable_value(one.x));
  return text + (many.seconds >= noticeable_factor * one.seconds
                     ? ", " + rough(each) + " µs for each further one: gather what is small before it is sent."
                     : ": the number of copies does not matter at this size.");
}

std::string on_pipeline(const Panel& panel) {
  const Point* const best = best_of(panel, pipeline);
  if (!best || panel.guides.size() < 2) return {};
  const double apart = panel.guides[0].points.front()[1], ideal = panel.guides[1].points.front()[1];
  std::string text = panel.title + ": overlap reaches " + percent(best->value / ideal) + " of the ideal";
  if (best->value < noticeable_factor * apart)
    return text + ". Overlap gains nothing over uploading, computing and downloading in turn.";
  text += " and " + times(best->value / apart) + " the rate without overlap";
  const double few = places(panel).front(), many = places(panel).back();
  const Point *const with_few = point_at(panel, pipeline, few), *const with_many = point_at(panel, pipeline, many);
  text += "; " + readable_value(few) + (few == 1 ? " chunk reaches " : " chunks reach ") +
          percent(with_few->value / ideal) + ", for too little overlaps";
  // The loss with many chunks depends on the state of the host.
  if (ratio_of(panel, *with_many, *best).less())
    text += ", and " + readable_value(many) + " fall behind again, for each has to be started";
  return text + (best->value > ideal ? ": the ideal was measured at another moment." : ".");
}

std::string on_coprocessor(const Panel& panel) {
  const Point *const best = best_of(panel, overlapped), *const alone = best_of(panel, in_turn);
  if (!best || !alone || panel.guides.size() < 2) return {};
  const double bus = panel.guides[0].points.front()[1], host = panel.guides[1].points.front()[1];
  return panel.title + ": with chunk i + 1 on its way, chunk i computed and chunk i − 1 worked on by the host it has " +
         rate_against(ratio_of(panel, *best, *alone)) + " one chunk after the other, and about " +
         percent(best->value / std::min(bus, host)) + " of what " + (bus < host ? "the bus" : "the host's work") +
         " alone allows" + (best->value > std::min(bus, host) ? ", which was measured at another moment." : ".");
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
  std::vector<std::string> all;
  const auto keep = [&](std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  };
  for (const Panel& panel : panels) {
    if (panel.name == "size") {
      const double largest = places(panel).back();
      keep(on_pinning(panel, largest));
      keep(on_directions(panel, largest));
      keep(on_size(panel));
    } else if (panel.name == "pieces") {
      keep(on_pieces(panel));
    } else if (panel.name == "coprocessor") {
      keep(on_coprocessor(panel));
    } else {
      keep(on_pipeline(panel));
    }
  }
  return all;
}

}  // namespace poisson::lab
