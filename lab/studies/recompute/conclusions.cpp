#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/recompute/study.hpp"

namespace poisson::lab {
namespace {

using Line = std::vector<std::array<double, 2>>;

Line measured(const Panel& panel, std::string_view mode) {
  Line line;
  const Curve curve(panel, mode);
  for (const Point& point : curve.points()) line.push_back({point.x, point.value});
  return line;
}

Line predicted(const Panel& panel, std::string_view mode) {
  for (const Guide& guide : panel.guides)
    if (guide.name == "predicted, " + std::string(mode)) return guide.points;
  return {};
}

std::string_view name_of(EntrySource source) {
  return std::ranges::find(entry_modes, source, &EntryMode::source)->name;
}

// Returns the x up to which one line exceeds another over the same places: 0 if it begins below, infinity if it ends
// above. Both lines are straight between places on logarithmic axes.
double ahead_until(const Line& a, const Line& b) {
  const auto lead = [&](std::size_t i) { return std::log(a[i][1] / b[i][1]); };
  std::size_t behind = 0;
  while (behind < a.size() && lead(behind) > 0) ++behind;
  if (behind == 0) return 0;
  if (behind == a.size()) return std::numeric_limits<double>::infinity();
  const double before = lead(behind - 1), after = -lead(behind);
  return a[behind - 1][0] * std::pow(a[behind][0] / a[behind - 1][0], before / (before + after));
}

// Returns a median over all places: stored entries cost no arithmetic, so their curves are flat.
double gain(const Panel& panel, EntrySource source) {
  return ratio_of(panel, name_of(source), name_of(EntrySource::full)).median;
}

void on_stored_entries(std::span<const Panel> panels, Lessons& lessons) {
  double reached = INFINITY, half = INFINITY, low_partial = INFINITY, partial = 0;
  for (const Panel& panel : panels) {
    const Line expected = predicted(panel, name_of(EntrySource::full));
    if (expected.empty()) return;
    reached = std::fmin(reached, typical(panel, name_of(EntrySource::full)) / expected.front()[1]);
    half = std::fmin(half, gain(panel, EntrySource::half));
    low_partial = std::fmin(low_partial, gain(panel, EntrySource::partial));
    partial = std::fmax(partial, gain(panel, EntrySource::partial));
  }
  if (known(reached, half, low_partial))
    lessons.say("Store less and compute the entries: one coefficient per point is " + figure(low_partial) + " to " +
                times(partial) + " as fast as nine stored entries, and the symmetric half at least " +
                times(std::floor(10 * half) / 10) + "; stored entries reach " + at_least(reached) +
                " of the rate that their traffic allows.");
}

// Returns the multiply-adds per entry up to which computing entries at every use beats storing all of them.
double until(const Panel& panel, EntrySource source, EntrySource stored) {
  const Line own = measured(panel, name_of(source));
  Line other = measured(panel, name_of(stored));
  if (own.empty() || other.size() != own.size()) return std::numeric_limits<double>::quiet_NaN();
  for (auto& [x, value] : other) value = typical(panel, name_of(stored));
  return ahead_until(own, other);
}

// Gives the smallest and the largest answer of all panels.
void on_recomputing(std::span<const Panel> panels, Lessons& lessons) {
  double low = INFINITY, high = 0;
  for (const Panel& panel : panels) {
    const double here = until(panel, EntrySource::fly, EntrySource::full);
    if (!std::isfinite(here) || !quotable(panel)) return;
    low = std::fmin(low, here);
    high = std::fmax(high, here);
  }
  lessons.say(
      panels.front().name,
      "Recomputing wins if an entry costs few multiply-adds: over all precisions and sweeps, computing at every "
      "use beats storing all entries up to " +
          rough(low) + " to " + rough(high) + " multiply-adds per entry.");
}

// Returns the median share of the prediction that recomputed entries reach.
void on_prediction(std::span<const Panel> panels, Lessons& lessons) {
  std::vector<double> shares;
  for (const Panel& panel : panels)
    for (const EntrySource source : {EntrySource::fly, EntrySource::once})
      for (const auto& [x, value] : predicted(panel, name_of(source)))
        if (const Point* const point = point_at(panel, name_of(source), x)) shares.push_back(point->value / value);
  if (shares.empty() || !quotable(panels.front())) return;
  std::ranges::sort(shares);
  lessons.say(panels.back().name, "In all four panels recomputed entries reach " + percent(shares[shares.size() / 2]) +
                                      " of the predicted rate in the median and " + percent(shares.front()) +
                                      " at worst: a model of bytes and multiply-adds leaves something out there.");
}

}  // namespace

std::vector<std::string> conclude_recompute(std::span<const Panel> panels) {
  Lessons lessons;
  if (panels.empty() || measured(panels.front(), name_of(EntrySource::full)).empty()) return {};
  if (!quotable(panels.front())) {
    const Panel& panel = panels.front();
    if (ratio_at(panel, name_of(EntrySource::fly), name_of(EntrySource::full), places(panel).back()).less())
      lessons.say("Store entries of " + figure(places(panel).back()) +
                  " multiply-adds: computing them at every use is "
                  "far slower.");
    return lessons.take();
  }
  on_recomputing(panels, lessons);
  on_stored_entries(panels, lessons);
  on_prediction(panels, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
