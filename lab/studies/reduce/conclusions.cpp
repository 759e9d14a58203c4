#include <algorithm>
#include <array>

#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {
namespace {

using namespace reduce_names;

std::string microseconds(double seconds) {
  return figure(1e6 * seconds) + " µs";
}

// Returns the steps in the order of a course, for a GPU or a CPU.
std::vector<const Point*> steps_at(const Panel& panel, double x) {
  constexpr std::array order{neighbouring, packed,   interleaved, first_add, unrolled, many,
                             shuffle,      two_pass, chain,       chains,    threads};
  std::vector<const Point*> steps;
  for (const std::string_view variant : order)
    if (const Point* const point = point_at(panel, variant, x)) steps.push_back(point);
  return steps;
}

std::string on_steps(const Panel& panel, double largest) {
  const std::vector<const Point*> steps = steps_at(panel, largest);
  if (steps.size() < 2) return {};
  std::size_t best = 1;
  std::vector<std::string> each;
  const auto step = [&](std::size_t i) { return ratio_of(panel, *steps[i], *steps[i - 1]); };
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (step(i).median > step(best).median) best = i;
    each.push_back(figure(step(i).median) + " by \"" + steps[i]->variant + '"');
  }
  const Ratio all = ratio_of(panel, *steps.back(), *steps.front());
  if (!quotable(panel))
    return step(best).more()
               ? "Of the steps of a sum \"" + steps[best]->variant + "\" gains most, far more than noise does."
               : "";
  std::string text = "From \"" + steps.front()->variant + "\" (" + gigabytes_per_second(steps.front()->value) +
                     ") to \"" + steps.back()->variant + "\" (" + gigabytes_per_second(steps.back()->value) +
                     ") a sum of " + count_of(largest) + " values gains ";
  if (!all.more()) return text + "nothing that exceeds the noise of this machine.";
  return text + times(all.median) + ", most of all by \"" + steps[best]->variant +
         "\". Each step has so many times the rate of the one before it: " + listed(each) + ".";
}

std::string on_order(const Panel& panel, double largest) {
  const Point *const free = point_at(panel, atomics, largest), *const fixed = point_at(panel, two_pass, largest);
  if (!free || !fixed) return {};
  std::string text = "A fixed order of additions, with the same bits every time, ";
  const Ratio cost = ratio_of(panel, *fixed, *free);
  text += !cost.less() ? (cost.alike() || cost.median > 1 ? "costs nothing: " : "costs hardly anything: ") +
                             gigabytes_per_second(fixed->value) + " in two passes against " +
                             gigabytes_per_second(free->value) + " with atomics."
                       : "costs " + percent(1 - cost.median) + " of the rate: " + gigabytes_per_second(fixed->value) +
                             " in two passes against " + gigabytes_per_second(free->value) + " with atomics.";
  if (const Point* const one = point_at(panel, cooperative, places(panel).front())) {
    const Point* const two = point_at(panel, two_pass, places(panel).front());
    if (two && ratio_of(panel, *one, *two).more())
      text += " For " + count_of(one->x) +
              " values one launch with a barrier over the grid takes less time than two launches.";
  }
  return text;
}

std::string on_size(const Panel& panel, double copy) {
  const std::vector<double> sizes = places(panel, library);
  if (sizes.empty() || !quotable(panel)) return {};
  const Point &small = *point_at(panel, library, sizes.front()), &large = *point_at(panel, library, sizes.back());
  std::string text = "The library's sum of " + count_of(small.x) + " values takes about " +
                     microseconds(small.seconds) + " and that of " + count_of(large.x) + " runs at " +
                     gigabytes_per_second(large.value);
  if (copy > 0) text += ", " + percent(large.value / copy) + " of a copy beyond all caches";
  if (copy > 0 && large.value > 1.2 * copy) text += " (these values stay in a cache)";
  const auto half =
      std::ranges::find_if(sizes, [&](double x) { return point_at(panel, library, x)->value >= large.value / 2; });
  text += ". Half of that rate needs " + count_of(*half) + " values";
  return text + (half == sizes.begin() ? "." : ": below, starting and gathering take longer than reading.");
}

// Compares with another library over all sizes: the median, and the places where ours is ahead or behind by more than
// noise.
std::string against(const Panel& panel, std::string_view other) {
  if (!ratio_of(panel, library, other).known() || !quotable(panel)) return {};
  // A reduction of few values mostly costs the host's time to launch and to wait, which varies between runs.
  constexpr double starting = 2;
  std::vector<std::string> behind;
  bool far_ahead = false;
  const std::vector<double> sizes = places(panel, other);
  for (const double x : sizes) {
    const Ratio here = ratio_at(panel, library, other, x);
    if (here.median > 0 && here.median * starting < 1) behind.push_back(count_of(x));
    far_ahead = far_ahead || here.median > starting;
  }
  return panel.title + ": at " + count_of(sizes.back()) + " values the library has " +
         rate_against(ratio_at(panel, library, other, sizes.back())) + " " + std::string(other) +
         (behind.empty() ? "; at no size it takes twice as long"
                         : "; it takes more than twice as long at " + listed(behind)) +
         (far_ahead ? ", and at some less than half as long." : ".");
}

}  // namespace

std::vector<std::string> conclude_reduce(const Panels& panels, const Machine& machine) {
  std::vector<std::string> all;
  const auto keep = [&](std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  };
  const Panel& sums = panels.front();
  const double largest = places(sums).back();
  keep(on_steps(sums, largest));
  keep(on_order(sums, largest));
  keep(on_size(sums, machine.copy));
  for (const Panel& panel : panels) {
    keep(against(panel, cub));
    keep(against(panel, reduce_names::thrust));
  }
  return all;
}

}  // namespace poisson::lab
