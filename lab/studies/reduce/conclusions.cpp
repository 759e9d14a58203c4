#include <algorithm>
#include <array>

#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {
namespace {

using namespace reduce_names;

std::string microseconds(double seconds) {
  return readable_value(1e6 * seconds) + " µs";
}

// The steps in the order in which a course takes them: of a GPU, or of a CPU.
std::vector<const Point*> steps_at(const Panel& panel, double x) {
  constexpr std::array order{neighbouring, interleaved, sequential, first_add, unrolled, many,
                             shuffle,      two_pass,    chain,      chains,    threads};
  std::vector<const Point*> steps;
  for (const std::string_view variant : order)
    if (const Point* const point = point_at(panel, variant, x)) steps.push_back(point);
  return steps;
}

std::string on_steps(const Panel& panel, double largest) {
  const std::vector<const Point*> steps = steps_at(panel, largest);
  if (steps.size() < 2) return {};
  std::size_t best = 1;
  std::string idle;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double gain = steps[i]->value / steps[i - 1]->value;
    if (gain > steps[best]->value / steps[best - 1]->value) best = i;
    if (gain < noticeable_factor) idle += (idle.empty() ? "\"" : ", \"") + steps[i]->variant + '"';
  }
  const double gain = steps[best]->value / steps[best - 1]->value;
  std::string text = "From \"" + steps.front()->variant + "\" (" + gigabytes_per_second(steps.front()->value) +
                     ") to \"" + steps.back()->variant + "\" (" + gigabytes_per_second(steps.back()->value) +
                     ") a sum of " + count_of(largest) + " values gains " +
                     times(steps.back()->value / steps.front()->value);
  if (gain < noticeable_factor) return text + ": no step matters on this device.";
  text += "; most of all by \"" + steps[best]->variant + "\", which makes " + times(gain) + " of the step before it.";
  if (!idle.empty()) text += " On this device these bring nothing by themselves: " + idle + ".";
  return text;
}

std::string on_order(const Panel& panel, double largest) {
  const Point *const free = point_at(panel, atomics, largest), *const fixed = point_at(panel, two_pass, largest);
  if (!free || !fixed) return {};
  std::string text = "A fixed order of additions, with the same bits every time, ";
  text += fixed->value * noticeable_factor >= free->value
              ? "costs nothing: " + gigabytes_per_second(fixed->value) + " in two passes against " +
                    gigabytes_per_second(free->value) + " with atomics."
              : "costs " + percent(1 - fixed->value / free->value) +
                    " of the rate: " + gigabytes_per_second(fixed->value) + " in two passes against " +
                    gigabytes_per_second(free->value) + " with atomics.";
  if (const Point* const one = point_at(panel, cooperative, places(panel).front())) {
    const Point* const two = point_at(panel, two_pass, places(panel).front());
    if (two)
      text += " For " + count_of(one->x) + " values one launch with a barrier over the grid takes " +
              microseconds(one->seconds) + ", two launches " + microseconds(two->seconds) + ".";
  }
  return text;
}

std::string on_size(const Panel& panel, double copy) {
  const std::vector<double> sizes = places(panel, library);
  if (sizes.empty()) return {};
  const Point &small = *point_at(panel, library, sizes.front()), &large = *point_at(panel, library, sizes.back());
  std::string text = "The library's sum of " + count_of(small.x) + " values takes " + microseconds(small.seconds) +
                     " and that of " + count_of(large.x) + " runs at " + gigabytes_per_second(large.value);
  if (copy > 0) text += ", " + percent(large.value / copy) + " of a copy beyond all caches";
  if (copy > 0 && large.value > 1.2 * copy) text += " (these values stay in a cache)";
  const auto half =
      std::ranges::find_if(sizes, [&](double x) { return point_at(panel, library, x)->value >= large.value / 2; });
  text += ". Half of that rate needs " + count_of(*half) + " values";
  return text + (half == sizes.begin() ? "." : ": below, starting and gathering take longer than reading.");
}

// Against another library, over all sizes.
std::string against(const Panel& panel, std::string_view other) {
  const std::vector<double> sizes = places(panel, other);
  double least = 0, most = 0, at_least = 0, at_most = 0;
  for (const double x : sizes) {
    const Point *const ours = point_at(panel, library, x), *const theirs = point_at(panel, other, x);
    if (!ours) continue;
    const double factor = theirs->seconds / ours->seconds;
    if (least == 0 || factor < least) {
      least = factor;
      at_least = x;
    }
    if (factor > most) {
      most = factor;
      at_most = x;
    }
  }
  if (least == 0) return {};
  const auto name = std::string(other);
  const std::string best = times(most) + " the speed of " + name + " at " + count_of(at_most) + " values";
  if (least >= 0.98)
    return panel.title + ": the library is as fast as " + name + " or faster at every size, with " + best + ".";
  return panel.title + ": the library has at least " + percent(least) + " of the speed of " + name + " (at " +
         count_of(at_least) + " values), and " + best + ".";
}

}  // namespace

std::vector<std::string> conclude_reduce(std::span<const Panel> panels, double copy) {
  std::vector<std::string> all;
  const auto keep = [&](std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  };
  const Panel& sums = panels.front();
  const double largest = places(sums).back();
  keep(on_steps(sums, largest));
  keep(on_order(sums, largest));
  keep(on_size(sums, copy));
  for (const Panel& panel : panels) {
    keep(against(panel, cub));
    keep(against(panel, reduce_names::thrust));
  }
  return all;
}

}  // namespace poisson::lab
