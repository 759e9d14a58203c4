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
  return readable_value(1e6 * seconds) + " µs";
}

// The steps in the order in which a course takes them: of a GPU, or of a CPU.
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
  std::string idle, losing;
  const auto step = [&](std::size_t i) { return ratio_of(panel, *steps[i], *steps[i - 1]); };
  const auto add = [](std::string& list, const std::string& name) {
    list += (list.empty() ? "\"" : ", \"") + name + '"';
  };
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (step(i).median > step(best).median) best = i;
    if (step(i).alike()) add(idle, steps[i]->variant);
    if (step(i).less()) {
      add(losing, steps[i]->variant);
      losing += " (" + percent(1 - step(i).median) + ")";
    }
  }
  const Ratio all = ratio_of(panel, *steps.back(), *steps.front());
  std::string text = "From \"" + steps.front()->variant + "\" (" + gigabytes_per_second(steps.front()->value) +
                     ") to \"" + steps.back()->variant + "\" (" + gigabytes_per_second(steps.back()->value) +
                     ") a sum of " + count_of(largest) + " values gains ";
  if (!all.more()) return text + "nothing that exceeds the noise of this machine.";
  text += times(all.median) + "; most of all by \"" + steps[best]->variant + "\", which has " +
          rate_against(step(best)) + " the step before it.";
  if (!idle.empty()) text += " Within the noise of this machine these change nothing by themselves: " + idle + ".";
  if (!losing.empty()) text += " These lose: " + losing + ".";
  return text;
}

std::string on_order(const Panel& panel, double largest) {
  const Point *const free = point_at(panel, atomics, largest), *const fixed = point_at(panel, two_pass, largest);
  if (!free || !fixed) return {};
  std::string text = "A fixed order of additions, with the same bits every time, ";
  const Ratio cost = ratio_of(panel, two_pass, atomics);
  text += !cost.less() ? "costs nothing: " + gigabytes_per_second(fixed->value) + " in two passes against " +
                             gigabytes_per_second(free->value) + " with atomics."
                       : "costs " + percent(1 - cost.median) +
                             " of the rate in the median of all sizes: " + gigabytes_per_second(fixed->value) +
                             " in two passes against " + gigabytes_per_second(free->value) + " with atomics.";
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

// Against another library, over all sizes: the median, and the places where it is ahead or behind by more than noise.
std::string against(const Panel& panel, std::string_view other) {
  const Ratio ratio = ratio_of(panel, library, other);
  if (!ratio.known()) return {};
  std::vector<std::string> behind;
  double most = 0, at = 0;
  for (const double x : places(panel, other)) {
    const Ratio here = ratio_at(panel, library, other, x);
    if (here.less()) behind.push_back(count_of(x));
    if (here.median > most) {
      most = here.median;
      at = x;
    }
  }
  const auto name = std::string(other);
  return panel.title + ": the library has " + rate_against(ratio) + " " + name + " in the median of all sizes, and " +
         times(most) + " the speed of " + name + " at " + count_of(at) + " values" +
         (behind.empty() ? "; at no size it is slower by more than the noise of this machine."
                         : "; it is slower at " + listed(behind) + ".");
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
