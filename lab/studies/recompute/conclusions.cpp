#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/recompute/study.hpp"

namespace poisson::lab {
namespace {

constexpr double close_enough = 0.8;  // this share of the prediction confirms it

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

std::string in_quotes(std::string_view name) {
  return '"' + std::string(name) + '"';
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

// The statement covers only measured places, because nothing is known beyond them.
std::string until(double x) {
  return x == 0 ? "nowhere" : std::isinf(x) ? "throughout" : "up to " + rough(x);
}

// Noise moves a crossing of lines at a small angle far. This returns a bound: the place where a line is certainly
// behind.
std::string surely_until(const Line& a, const Line& b, double noise) {
  std::size_t behind = 0;
  while (behind < a.size() && a[behind][1] * (1 + noise) >= b[behind][1]) ++behind;
  return behind == a.size() ? "throughout" : "up to at latest " + figure(a[behind][0]);
}

std::string ratio_to(const Panel& panel, EntrySource source, EntrySource other) {
  const Line pa = predicted(panel, name_of(source)), pb = predicted(panel, name_of(other));
  std::string text = figure(ratio_of(panel, name_of(source), name_of(other)).median) + " times";
  if (!pa.empty() && !pb.empty()) text += " (predicted " + figure(pa.front()[1] / pb.front()[1]) + ")";
  return text;
}

// Stored entries cost no arithmetic, so these curves are flat and their medians over all places are compared.
std::string on_held_entries(const Panel& panel) {
  if (!quotable(panel)) return {};
  const Line expected = predicted(panel, name_of(EntrySource::full));
  const double full = typical(panel, name_of(EntrySource::full));
  std::string text = panel.title + ": with all entries held " + figure(full) + " million points/s are done";
  if (!expected.empty()) text += ", " + percent(full / expected.front()[1]) + " of what the traffic allows";
  if (best_of(panel, name_of(EntrySource::half)))
    text += "; holding the symmetric half makes it " + ratio_to(panel, EntrySource::half, EntrySource::full);
  if (best_of(panel, name_of(EntrySource::partial)))
    text += ", holding a coefficient per point " + ratio_to(panel, EntrySource::partial, EntrySource::full);
  text += ".";
  const Ratio tiled = ratio_of(panel, name_of(EntrySource::full_tiled), name_of(EntrySource::full));
  if (!tiled.known()) return text;
  return text + " With a tile of u in shared memory it has " + rate_against(tiled) + " the plain one" +
         (tiled.more() ? "." : ": the caches serve the neighbours.");
}

// Compares recomputed entries with each way of storing them.
std::string on_recomputing(const Panel& panel, EntrySource source) {
  const Line own = measured(panel, name_of(source)), expected = predicted(panel, name_of(source));
  if (own.empty() || !quotable(panel)) return {};
  std::string text;
  for (const EntrySource stored : {EntrySource::full, EntrySource::half, EntrySource::partial}) {
    Line other = measured(panel, name_of(stored));
    const Line other_expected = predicted(panel, name_of(stored));
    if (other.size() != own.size()) continue;
    for (auto& [x, rate] : other) rate = typical(panel, name_of(stored));  // is flat
    text += (text.empty() ? "" : ", ") + in_quotes(name_of(stored)) + " " +
            (stored == EntrySource::partial ? surely_until(own, other, panel.noise) : until(ahead_until(own, other)));
    if (expected.size() == own.size() && other_expected.size() == own.size())
      text += " (predicted " + until(ahead_until(expected, other_expected)) + ")";
  }
  return text.empty()
             ? text
             : panel.title + ": entries " + std::string(name_of(source)) + " beat, in multiply-adds per entry (" +
                   figure(own.front()[0]) + " to " + figure(own.back()[0]) + " here), " + text + ".";
}

// States the cost of expensive entries when noise leaves no crossing.
std::string on_dear_entries(const Panel& panel) {
  const double dear = places(panel).back();
  if (!ratio_at(panel, name_of(EntrySource::fly), name_of(EntrySource::full), dear).less()) return {};
  return panel.title + ": entries of " + figure(dear) +
         " multiply-adds that are worked out at every use make it far slower than entries that are held: hold what is "
         "dear.";
}

// Cheap entries may be equally fast in several modes; expensive ones are not.
std::string on_winner(const Panel& panel) {
  if (!quotable(panel)) return on_dear_entries(panel);
  const double dear = places(panel).back();
  const std::string& winner = best_at(panel, dear, variants_of(panel))->variant;
  const bool stored = winner != name_of(EntrySource::fly) && winner != name_of(EntrySource::once);
  return panel.title + ": with entries of " + figure(dear) + " multiply-adds the fastest is " + in_quotes(winner) +
         (stored ? ": hold what is dear." : ".");
}

std::string on_prediction(const Panel& panel) {
  std::vector<double> shares;
  double least = std::numeric_limits<double>::infinity();
  bool computed = false;  // whether the least share is one of recomputed entries
  for (const std::string& mode : variants_of(panel)) {
    const Line expected = predicted(panel, mode);
    for (const auto& [x, value] : expected) {
      const Point* const point = point_at(panel, mode, x);
      if (!point) continue;
      shares.push_back(point->value / value);
      if (shares.back() >= least) continue;
      least = shares.back();
      computed = mode == name_of(EntrySource::fly) || mode == name_of(EntrySource::once);
    }
  }
  if (shares.empty() || !quotable(panel)) return {};
  std::ranges::sort(shares);
  const double middle = shares[shares.size() / 2];
  std::string text = panel.title + ": " + percent(middle) + " of the rate predicted from bytes and multiply-adds are " +
                     "reached in the median";
  if (middle > 1 / close_enough)
    return text +
           ": where more is reached than memory allows, a cache holds the operands, or others shared the "
           "processors while the limits were measured.";
  if (least >= close_enough) return text + ", and at least " + percent(least) + ": the prediction holds.";
  text += ", and " + percent(least) + " at worst";
  return computed ? text +
                        ", where entries are computed: the prediction leaves something out there; reads from caches, "
                        "and phases around a barrier that use memory and arithmetic in turn, would fit."
                  : text + ": the prediction leaves something out.";
}

}  // namespace

std::vector<std::string> conclude_recompute(std::span<const Panel> panels) {
  std::vector<std::string> all;
  const auto keep = [&](std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  };
  for (const Panel& panel : panels) {
    if (measured(panel, name_of(EntrySource::full)).empty()) continue;
    keep(on_held_entries(panel));
    for (const EntrySource source : {EntrySource::fly, EntrySource::once}) keep(on_recomputing(panel, source));
    keep(on_winner(panel));
    keep(on_prediction(panel));
  }
  return all;
}

}  // namespace poisson::lab
