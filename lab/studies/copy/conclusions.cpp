#include <algorithm>
#include <cstdlib>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/copy/study.hpp"

namespace poisson::lab {
namespace {

// Returns the smallest share of a rate that counts as equal: a tenth less, or the machine's noise.
double alike(const Panel& panel) {
  return 1 / (1 + std::max(0.1, panel.noise));
}

// Returns the curves of one access width each, "N B", ascending.
std::vector<std::string> widths(const Panel& panel) {
  std::vector<std::string> all;
  for (const std::string& variant : variants_of(panel))
    if (variant.ends_with(" B")) all.push_back(variant);
  std::ranges::sort(all, {}, [](const std::string& text) { return std::atoi(text.c_str()); });
  return all;
}

std::string on_width(const Panel& panel, double largest) {
  const std::vector<std::string> all = widths(panel);
  const double narrow = point_at(panel, all.front(), largest)->value, enough_share = alike(panel);
  const Point &fastest = *best_at(panel, largest, all), &widest = *point_at(panel, all.back(), largest);
  const Point& best = widest.value >= enough_share * fastest.value ? widest : fastest;
  const std::string at = "At " + readable_bytes(largest) + " ";
  if (!quotable(panel)) {
    // On a busy host the memory rate of each width changes from moment to moment. Only a difference at every size is
    // reliable.
    const bool slower = std::ranges::all_of(
        places(panel, all.front()), [&](double x) { return ratio_at(panel, all.back(), all.front(), x).more(); });
    return slower ? "Wide accesses copy faster than those of " + all.front() + "."
                  : "Accesses of " + all.front() +
                        " are not at every size clearly slower than wide ones. Write the type that suits the problem.";
  }
  if (narrow >= enough_share * best.value)
    return at + "the width of an access hardly matters on this device: elements of " + all.front() + " reach " +
           gigabytes_per_second(narrow) + ", the best width " + gigabytes_per_second(best.value) +
           ". Write the type that suits the problem.";
  const auto enough = std::ranges::find_if(all, [&](const std::string& width) {
    return point_at(panel, width, largest)->value >= enough_share * best.value;
  });
  return at + "accesses of " + best.variant + " copy " + gigabytes_per_second(best.value) + ", accesses of " +
         all.front() + " only " + gigabytes_per_second(narrow) + ": the former are " + times(best.value / narrow) +
         " as fast. Let a thread move at least " + *enough + " per access: it is within " + percent(1 - enough_share) +
         " of the best.";
}

// Describes the size at which the widest accesses reach their final rate, and where they drop below it again.
std::string on_size(const Panel& panel, double largest) {
  const Point& final = *best_at(panel, largest, widths(panel));
  const double enough = alike(panel) * final.value;
  const Curve curve(panel, final.variant);
  const auto reached =
      std::ranges::find_if(curve.points(), [enough](const Point& point) { return point.value >= enough; });
  const std::string share = percent(alike(panel));
  std::string text = reached == curve.points().begin()
                         ? "Even " + readable_bytes(reached->x) + " is enough to reach " + share +
                               " of the final rate: starting the copy costs little here"
                         : "A copy needs " + readable_bytes(reached->x) + " to reach " + share +
                               " of its final rate; at " + readable_bytes(curve.first().x) + " it has " +
                               percent(curve.first().value / final.value) +
                               ", for starting the kernel takes its time and few bytes do not occupy all processors";
  for (auto point = reached; point != curve.points().end(); ++point)
    if (point->value < enough)
      return text + ". At " + readable_bytes(point->x) + " it falls back to " + percent(point->value / final.value) +
             ", which fits arrays just too large for the cache that held the smaller ones.";
  return text + ".";
}

std::string on_caches(const Panel& panel, double largest, double theoretical) {
  const std::vector<std::string> names = variants_of(panel);
  const double slow = best_at(panel, largest, names)->value;
  const Point* fastest = nullptr;  // at the largest size that runs faster than memory
  for (const Point& point : panel.points) {
    if (point.value <= slow / alike(panel) || point.value <= point_at(panel, point.variant, largest)->value) continue;
    if (!fastest || point.x > fastest->x || (point.x == fastest->x && point.value > fastest->value)) fastest = &point;
  }
  if (!fastest)
    return "No size runs faster than the largest by more than the noise of this machine: caches do not show in this "
           "sweep.";
  if (!quotable(panel))
    return "Small arrays are copied faster than large ones: they stay in a cache. A bandwidth measured at such sizes "
           "says "
           "nothing about the memory.";
  std::string text = "Arrays of " + readable_bytes(fastest->x) + " are copied at up to " +
                     gigabytes_per_second(fastest->value) + ", those of " + readable_bytes(largest) + " at " +
                     gigabytes_per_second(slow);
  if (theoretical > 0 && fastest->value > theoretical)
    text += ", and the memory could deliver " + gigabytes_per_second(theoretical) + " even in theory";
  return text + ": the smaller ones stay in a cache. A bandwidth measured at such sizes says nothing about the memory.";
}

std::string library_of(const Machine& machine) {
  return machine.gpu ? "cudaMemcpyAsync" : "memcpy";
}

std::string on_library(const Panel& panel, double largest, const Machine& machine) {
  const std::string own = library_of(machine);
  const Point* const library = point_at(panel, own, largest);
  if (!library) return {};
  const Point& best = *best_at(panel, largest, widths(panel));
  const bool as_good = !ratio_of(panel, best, *library).less();
  if (!quotable(panel)) {
    // Most widths may be slower while a cache contains the arrays. This clause comes last, because another run may omit
    // it.
    const auto slower = [&](double x) {
      std::vector<double> shares;
      for (const std::string& width : widths(panel)) shares.push_back(ratio_at(panel, width, own, x).median);
      std::ranges::sort(shares);
      return shares[shares.size() / 2] * (1 + panel.noise) < 1;
    };
    std::vector<double> smaller = places(panel, own);
    std::erase(smaller, largest);
    return as_good ? "Plain loops copy arrays of " + readable_bytes(largest) + " not clearly slower than " + own +
                         (std::ranges::any_of(smaller, slower) ? ", which is faster where a cache holds them." : ".")
                   : "";
  }
  std::string text = "At " + readable_bytes(largest) + " " + own + " copies " + gigabytes_per_second(library->value) +
                     ", the best loop over elements " + percent(best.value / library->value) + " of it";
  return text + (as_good ? ": plain code is as good as the library here." : ".");
}

std::string on_ceiling(const Panel& panel, double largest, const Machine& machine) {
  const Point* const library = point_at(panel, library_of(machine), largest);
  if (!library || machine.theory <= 0 || !quotable(panel)) return {};
  const double fastest = std::max(best_at(panel, largest, widths(panel))->value, library->value);
  return "The fastest copy of " + readable_bytes(largest) + " has " + percent(fastest / machine.theory) +
         " of the theoretical " + gigabytes_per_second(machine.theory) +
         ": judge other kernels by the copy that was measured, not by the data sheet.";
}

std::string on_per_thread(const Panel& panel) {
  const std::vector<std::string> all = widths(panel);
  const std::string& narrow = all.front();
  const double most = std::ranges::max(panel.points, {}, &Point::value).value;
  const auto gain = [&](const std::string& width) {
    return best_of(panel, width)->value / point_at(panel, width, places(panel, width).front())->value;
  };
  const Point& best = *best_of(panel, narrow);
  if (gain(narrow) < 1.1)
    return "More accesses per thread do not make narrow accesses faster on this device (" + narrow + ": " +
           gigabytes_per_second(best.value) + " at best).";
  std::string text = "Several accesses under way in a thread make up for narrow ones: with " + narrow + " they copy " +
                     gigabytes_per_second(best.value) + ", " + times(gain(narrow)) + " as much as one";
  text += gain(all.back()) < 1.1 ? "; with " + all.back() + " one is enough."
                                 : "; even with " + all.back() + " they bring " + times(gain(all.back())) + " as much.";
  const double reached = best.value / most;
  text += reached > 0.95  ? " What counts is bytes under way, however they are cut."
          : reached < 0.9 ? " That is " + percent(reached) + " of the best width's, which fits a limit of instructions."
                          : "";
  return text;
}

}  // namespace

std::vector<std::string> conclude_copy(const Panels& panels, const Machine& machine) {
  const Panel& sizes = panels.front();
  const double largest = places(sizes).back();
  std::vector<std::string> all{on_width(sizes, largest)};
  if (panels.size() > 1) all.push_back(on_per_thread(panels[1]));
  if (quotable(sizes)) all.push_back(on_size(sizes, largest));
  all.push_back(on_caches(sizes, largest, machine.theory));
  for (std::string text : {on_library(sizes, largest, machine), on_ceiling(sizes, largest, machine)})
    if (!text.empty()) all.push_back(std::move(text));
  return all;
}

}  // namespace poisson::lab
