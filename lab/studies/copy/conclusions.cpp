#include <algorithm>
#include <cstdlib>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/copy/study.hpp"

namespace poisson::lab {
namespace {

// Returns the curves of one access width each, "N B", ascending.
std::vector<std::string> widths(const Panel& panel) {
  std::vector<std::string> all;
  for (const std::string& variant : variants_of(panel))
    if (variant.ends_with(" B")) all.push_back(variant);
  std::ranges::sort(all, {}, [](const std::string& text) { return std::atoi(text.c_str()); });
  return all;
}

void on_width(const Panel& panel, double largest, Lessons& lessons) {
  const std::vector<std::string> all = widths(panel);
  const Ratio gain = ratio_at(panel, all.back(), all.front(), largest);
  const double wide = point_at(panel, all.back(), largest)->value,
               narrow = point_at(panel, all.front(), largest)->value;
  if (!quotable(panel)) {
    // The rate of each width changes with the load of a host. Only a difference at every size is reliable.
    const bool slower = std::ranges::all_of(
        places(panel, all.front()), [&](double x) { return ratio_at(panel, all.back(), all.front(), x).more(); });
    if (slower) lessons.say("Wide accesses copy faster than those of " + all.front() + ".");
    return;
  }
  if (gain.more())
    lessons.say("Move 8 bytes per access or keep several narrow accesses in flight: accesses of " + all.back() +
                " copy " + rate(wide) + ", accesses of " + all.front() + " only " + rate(narrow) + ".");
  else
    lessons.say("The width of an access hardly matters here: accesses of " + all.front() + " copy " + rate(narrow) +
                ", accesses of " + all.back() + " " + rate(wide) + ".");
}

// Finds the largest array that is copied faster than the largest one by more than a tenth.
void on_caches(const Panel& panel, double largest, Lessons& lessons) {
  const double slow = best_at(panel, largest, variants_of(panel))->value, far = 1 + std::max(0.1, panel.noise);
  const Point* cached = nullptr;
  for (const Point& point : panel.points)
    if (point.value > far * slow && point.value > far * point_at(panel, point.variant, largest)->value &&
        (!cached || point.x > cached->x || (point.x == cached->x && point.value > cached->value)))
      cached = &point;
  if (!cached) return;
  if (quotable(panel))
    lessons.say(panel.name, "An array of " + readable_bytes(cached->x) + " copies at up to " + rate(cached->value) +
                                " because it stays in a cache; one of " + readable_bytes(largest) + " copies at " +
                                rate(slow) + ", the rate of memory.");
  else
    lessons.say(panel.name, "Small arrays copy faster than large ones because they stay in a cache.");
}

void on_ceiling(const Panel& panel, double largest, const Machine& machine, Lessons& lessons) {
  const double best = best_at(panel, largest, variants_of(panel))->value;
  if (machine.theory <= 0 || !quotable(panel)) return;
  lessons.say(panel.name, "The best copy of " + readable_bytes(largest) + " reaches " + percent(best / machine.theory) +
                              " of the theoretical " + rate(machine.theory) +
                              ": compare kernels with this copy, not with the data sheet.");
}

void on_per_thread(const Panel& panel, Lessons& lessons) {
  const std::string narrow = widths(panel).front();
  const double most = highest_of(panel).value, one = Curve(panel, narrow).first().value,
               several = best_of(panel, narrow)->value;
  std::string text = "With accesses of " + narrow + ", one in flight per thread copies " + rate(one) +
                     " and the best number " + rate(several) + ", " + percent(several / most) + " of the fastest copy";
  const Curve four(panel, "4 B");
  if (!four.empty()) text += "; with accesses of 4 B the best number reaches " + percent(four.highest().value / most);
  lessons.say(panel.name, text + ".");
}

}  // namespace

std::vector<std::string> conclude_copy(const Panels& panels, const Machine& machine) {
  Lessons lessons;
  const Panel& sizes = panels.front();
  const double largest = places(sizes).back();
  on_width(sizes, largest, lessons);
  on_caches(sizes, largest, lessons);
  on_ceiling(sizes, largest, machine, lessons);
  if (panels.size() > 1) on_per_thread(panels[1], lessons);
  return lessons.take();
}

}  // namespace poisson::lab
