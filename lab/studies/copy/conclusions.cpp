#include <algorithm>
#include <cstdlib>

#include "backends/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/studies/copy/study.hpp"

namespace poisson::lab {
namespace {

constexpr double alike = 0.9;  // what is within so much of the best counts as as good

// The curves of one access width each, "N B", ascending.
std::vector<std::string> widths(const Panel& panel) {
  std::vector<std::string> all;
  for (const std::string& variant : variants_of(panel))
    if (variant.ends_with(" B")) all.push_back(variant);
  std::ranges::sort(all, {}, [](const std::string& text) { return std::atoi(text.c_str()); });
  return all;
}

std::string on_width(const Panel& panel, double largest) {
  const std::vector<std::string> all = widths(panel);
  const Point& best = *best_at(panel, largest, all);
  const double narrow = point_at(panel, all.front(), largest)->value;
  const std::string at = "At " + readable_bytes(largest) + " ";
  if (narrow >= alike * best.value)
    return at + "the width of an access hardly matters on this device: elements of " + all.front() + " reach " +
           percent(narrow / best.value) + " of what elements of " + best.variant + " do (" +
           gigabytes_per_second(best.value) + "). Write the type that suits the problem.";
  const auto enough = std::ranges::find_if(
      all, [&](const std::string& width) { return point_at(panel, width, largest)->value >= alike * best.value; });
  return at + "accesses of " + best.variant + " copy " + gigabytes_per_second(best.value) + ", accesses of " +
         all.front() + " only " + gigabytes_per_second(narrow) + ": the former are " + times(best.value / narrow) +
         " as fast. Let a thread move at least " + *enough +
         " per access: from there on all widths are within 10 % of the best.";
}

// From which size on the widest rate holds, and whether small arrays run out of a cache.
std::string on_size(const Panel& panel, double largest) {
  const Point& best = *best_at(panel, largest, widths(panel));
  const std::vector<double> sizes = places(panel, best.variant);
  const auto slow = std::find_if(sizes.rbegin(), sizes.rend(), [&](double size) {
    return point_at(panel, best.variant, size)->value < alike * best.value;
  });
  const double steady = *slow.base();  // the place after the last slow one; the largest is never slow
  if (steady == sizes.front())
    return "Even " + readable_bytes(steady) + " is enough to reach the full rate: starting the copy costs little here.";
  return "A copy needs " + readable_bytes(steady) + " to come within 10 % of its final rate; at " +
         readable_bytes(sizes.front()) + " it reaches " +
         percent(point_at(panel, best.variant, sizes.front())->value / best.value) +
         ". Small arrays pay for starting the kernel and leave multiprocessors or cores idle.";
}

std::string on_caches(const Panel& panel, double largest, double theoretical) {
  const std::vector<std::string> names = variants_of(panel);
  const double slow = best_at(panel, largest, names)->value;
  const Point* fastest = nullptr;
  double cached = 0;  // the largest size that runs faster than memory
  for (const Point& point : panel.points) {
    if (point.value <= 1.1 * slow || point.value <= point_at(panel, point.variant, largest)->value) continue;
    if (!fastest || point.value > fastest->value) fastest = &point;
    cached = std::max(cached, point.x);
  }
  if (!fastest) return "No size runs faster than the largest by more than 10 %: caches do not show in this sweep.";
  std::string text = "Up to " + readable_bytes(cached) + " copies run faster than at " + readable_bytes(largest) +
                     ", with up to " + gigabytes_per_second(fastest->value) + " at " + readable_bytes(fastest->x) +
                     " against " + gigabytes_per_second(slow);
  if (theoretical > 0 && fastest->value > theoretical)
    text += ", more than the memory could deliver even in theory (" + gigabytes_per_second(theoretical) + ")";
  return text + ": these arrays stay in a cache. A bandwidth measured at such sizes says nothing about the memory.";
}

std::string on_ceiling(const Panel& panel, double largest, const CopyCeilings& ceilings) {
  const Point* const library = point_at(panel, ceilings.library, largest);
  if (!library) return {};
  const Point& best = *best_at(panel, largest, widths(panel));
  std::string text = "At " + readable_bytes(largest) + " " + ceilings.library + " copies " +
                     gigabytes_per_second(library->value) + ", the best loop over elements " +
                     percent(best.value / library->value) + " of it";
  text += best.value >= 0.95 * library->value ? ": plain code is as good as the library here." : ".";
  if (ceilings.theoretical > 0)
    text += " The faster of the two is " + percent(std::max(best.value, library->value) / ceilings.theoretical) +
            " of the theoretical " + gigabytes_per_second(ceilings.theoretical) +
            ". Judge other kernels by the copy that was measured, not by the data sheet.";
  return text;
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
           gigabytes_per_second(best.value) + " at best, with " + readable_value(best.x) + " per thread).";
  std::string text = "Several accesses under way in a thread make up for narrow ones: with " + narrow + ", " +
                     readable_value(best.x) + " per thread copy " + gigabytes_per_second(best.value) + ", " +
                     times(gain(narrow)) + " as much as one";
  text += gain(all.back()) < 1.1 ? "; with " + all.back() + " one is enough."
                                 : "; even with " + all.back() + " they bring " + times(gain(all.back())) + " as much.";
  std::string left;
  for (const std::string& width : all)
    if (best_of(panel, width)->value < alike * most) left += (left.empty() ? "" : ", ") + width;
  text += left.empty() ? " What counts is bytes under way, however they are cut."
                       : " Still more than 10 % below the best, however many: " + left +
                             ". There the number of instructions is the limit, not the memory.";
  return text;
}

}  // namespace

std::vector<std::string> conclude_copy(std::span<const Panel> panels, const CopyCeilings& ceilings) {
  const Panel& sizes = panels.front();
  const double largest = places(sizes).back();
  std::vector<std::string> all{on_width(sizes, largest)};
  if (panels.size() > 1) all.push_back(on_per_thread(panels[1]));
  all.push_back(on_size(sizes, largest));
  all.push_back(on_caches(sizes, largest, ceilings.theoretical));
  if (std::string text = on_ceiling(sizes, largest, ceilings); !text.empty()) all.push_back(std::move(text));
  return all;
}

}  // namespace poisson::lab
