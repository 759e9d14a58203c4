#include <algorithm>
#include <array>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {
namespace {

using namespace reduce_names;

// Returns the steps in the order of a course, for a GPU or a CPU.
std::vector<const Point*> steps_at(const Panel& panel, double x) {
  constexpr std::array order{neighbouring, packed,   interleaved, first_add, unrolled, many,
                             shuffle,      two_pass, chain,       chains,    threads};
  std::vector<const Point*> steps;
  for (const std::string_view variant : order)
    if (const Point* const point = point_at(panel, variant, x)) steps.push_back(point);
  return steps;
}

void on_steps(const Panel& panel, double largest, Lessons& lessons) {
  const std::vector<const Point*> steps = steps_at(panel, largest);
  if (steps.size() < 2) return;
  std::size_t best = 1;
  const auto step = [&](std::size_t i) { return ratio_of(panel, *steps[i], *steps[i - 1]); };
  for (std::size_t i = 2; i < steps.size(); ++i)
    if (step(i).median > step(best).median) best = i;
  if (!quotable(panel)) {
    if (step(best).more()) lessons.say("The largest step of a sum is \"" + steps[best]->variant + "\".");
    return;
  }
  lessons.say("The steps of the course make a sum of " + count_of(largest) + " values " +
              times(steps.back()->value / steps.front()->value) + " as fast, from " + rate(steps.front()->value) +
              " to " + rate(steps.back()->value) + "; the largest, \"" + steps[best]->variant + "\", gains " +
              times(step(best).median) + ".");
  const Point *const first = point_at(panel, neighbouring, largest), *const gathered = point_at(panel, packed, largest),
                     *const spread = point_at(panel, interleaved, largest);
  if (first && gathered && spread)
    lessons.say(panel.name,
                "From neighbouring to interleaved pairs a sum gains " + times(spread->value / first->value) +
                    "; neighbouring pairs by the first threads, whose strides conflict in the banks, reach " +
                    times(gathered->value / first->value) + " the first rate.");
}

// The same bits need a fixed order, which two passes provide and atomics do not.
void on_order(const Panel& panel, Lessons& lessons) {
  const Ratio large = ratio_at(panel, two_pass, atomics, places(panel).back());
  if (!large.known()) return;
  double least = INFINITY;
  for (const double x : places(panel, two_pass))
    if (const Ratio here = ratio_at(panel, two_pass, atomics, x); here.known()) least = std::fmin(least, here.median);
  lessons.say(panel.name, "A fixed order, with the same bits in every run, keeps " + percent(large.median) +
                              " of the rate of atomics at " + count_of(places(panel).back()) +
                              " values, and at worst " + rough(100 * least) +
                              " % of it, at sizes where a second launch matters.");
}

void on_size(const Panel& panel, Lessons& lessons) {
  const std::vector<double> sizes = places(panel, library);
  if (sizes.empty() || !quotable(panel)) return;
  const Point &small = *point_at(panel, library, sizes.front()), &large = *point_at(panel, library, sizes.back());
  const auto half =
      std::ranges::find_if(sizes, [&](double x) { return point_at(panel, library, x)->value >= large.value / 2; });
  lessons.say(panel.name, "The library's sum of " + count_of(small.x) + " values takes about " +
                              figure(1e6 * small.seconds) + " µs; it needs " + count_of(*half) +
                              " values for half of its final rate, " + rate(large.value) + ".");
}

// Compares with other libraries at the largest sizes, and gives the range over all sizes.
void on_libraries(const Panels& panels, Lessons& lessons) {
  double low = INFINITY, high = 0, last = INFINITY;
  for (const Panel& panel : panels) {
    if (!quotable(panel)) return;
    last = std::fmin(last, ratio_at(panel, library, cub, places(panel).back()).median);
    for (const std::string_view other : {cub, reduce_names::thrust})
      for (const double x : places(panel, other))
        if (const Ratio here = ratio_at(panel, library, other, x); here.known()) {
          low = std::min(low, here.median);
          high = std::max(high, here.median);
        }
  }
  if (known(low, high, last))
    lessons.say(panels.back().name, "The library's sum, dot product and max-norm reach " + at_least(last) +
                                        " of CUB's rate at " + count_of(places(panels.back()).back()) +
                                        " values; over all sizes they reach " + rough(low) + " to " + rough(high) +
                                        " times the rate of CUB or Thrust.");
}

}  // namespace

std::vector<std::string> conclude_reduce(const Panels& panels, const Machine&) {
  Lessons lessons;
  on_steps(panels.front(), places(panels.front()).back(), lessons);
  on_order(panels.front(), lessons);
  on_size(panels.front(), lessons);
  on_libraries(panels, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
