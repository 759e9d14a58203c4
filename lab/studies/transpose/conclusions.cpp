#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

using namespace transpose_names;

std::string size_of(double n) {
  return "n = " + readable_value(n);
}

// Returns the value of a guide at a place: a level everywhere, a curve only at its points.
std::optional<double> guide_at(const Panel& panel, double x) {
  if (panel.guides.empty()) return std::nullopt;
  const auto& points = panel.guides.front().points;
  if (points.size() == 1) return points.front()[1];
  const auto found = std::ranges::find(points, x, [](const auto& point) { return point[0]; });
  return found == points.end() ? std::nullopt : std::optional((*found)[1]);
}

// Returns one bar of a panel whose sweep has one place.
std::optional<double> bar(const Panel& panel, std::string_view variant) {
  const Point* const point = best_of(panel, variant);
  return point ? std::optional(point->value) : std::nullopt;
}

// Compares two rates of one panel: "4.2 times the rate of", or that they do not differ.
std::string compared(const Panel& panel, double a, double b) {
  return rate_against({a / b, a / b, a / b, panel.noise});
}
bool differs(const Panel& panel, double more, double less) {
  return more > (1 + panel.noise) * (1 + panel.noise) * less;
}

std::string on_coalescing(const Panel& panel) {
  const auto read = bar(panel, naive_read), write = bar(panel, naive_write), plain = bar(panel, copy);
  if (!read || !write || !plain) return {};
  const bool writes = *write > *read;  // coalesced writes win
  const double best = std::max(*read, *write);
  if (!quotable(panel))
    return differs(panel, *plain, best)
               ? "The plain loop that transposes is far slower than the same loop as a copy. What "
                 "runs at the same time should touch neighbouring addresses."
               : "";
  std::string text = "Element by element along the source's rows, a transposition runs at " +
                     gigabytes_per_second(*read) + "; along the destination's rows at " + gigabytes_per_second(*write);
  text += !differs(panel, std::max(*read, *write), std::min(*read, *write))
              ? ": it makes no difference which side is contiguous."
              : std::string(": if one side has to be scattered, let it be the ") + (writes ? "reads." : "writes.");
  if (!differs(panel, *plain, best))
    return text + " The same loop as a copy is no faster (" + gigabytes_per_second(*plain) +
           "), within the noise of this machine.";
  text += " The same loop as a copy reaches " + gigabytes_per_second(*plain) + ", " + times(*plain / best) + " as much";
  if (const auto strided = bar(panel, strided_copy))
    text += ", and with both sides scattered " + gigabytes_per_second(*strided);
  return text + ". What runs at the same time should touch neighbouring addresses.";
}

std::string on_tiles(const Panel& panel) {
  const auto tile = bar(panel, tiled);
  const auto naive = std::max(bar(panel, naive_read), bar(panel, naive_write));
  if (!tile || !naive) return {};
  std::string text = "Turning tiles within shared memory, so that both sides are contiguous, brings " +
                     gigabytes_per_second(*tile) + ", " + compared(panel, *tile, *naive) + " the better plain loop.";
  const auto without = std::max(bar(panel, padded), bar(panel, swizzled));
  if (!without) return text;
  text += differs(panel, *without, *tile)
              ? " Without bank conflicts it is " + gigabytes_per_second(*without) + ", " + times(*without / *tile) +
                    " as much: pad the tile's rows by an element or swizzle them."
              : " Removing the bank conflicts changes little (" + gigabytes_per_second(*without) +
                    "): shared memory is not the limit of this kernel on this device.";
  if (const auto in_tile = bar(panel, in_tile_copy))
    text += " A copy by way of the same tile runs at " + gigabytes_per_second(*in_tile) +
            ": that is what the tile itself costs.";
  if (const auto turned = bar(panel, diagonal), plain = bar(panel, padded); turned && plain)
    text += " Blocks in diagonal order, the remedy against partition camping, have " +
            compared(panel, *turned, *plain) + " the padded tile" +
            (differs(panel, *turned, *plain) ? "." : ": here they cure nothing.");
  return text;
}

// Compares the tile sides of the lecture, each with its own number of threads.
std::string on_sides(const Panel& panel) {
  const Ratio small = ratio_at(panel, padded_16, padded, places(panel).front()),
              large = ratio_at(panel, padded_48, padded, places(panel).front());
  if (!small.known() || !large.known()) return {};
  return "Padded tiles of 16 × 16 elements have " + rate_against(small) + " those of 32 × 32, tiles of 48 × 48 " +
         rate_against(large) + " them" +
         (!small.more() && !large.more() ? ": 32, the lecture's best, is no worse a choice today." : ".");
}

std::string on_words(const Panel& panel) {
  const auto wide = bar(panel, vectorized), narrow = std::max(bar(panel, padded), bar(panel, swizzled));
  if (!wide || !narrow) return {};
  std::string text = "Moving 16 bytes per access, several of them under way in each thread, gives " +
                     gigabytes_per_second(*wide) + ", " + compared(panel, *wide, *narrow) +
                     " a conflict-free tile of single elements";
  if (const auto ceiling = guide_at(panel, places(panel).front()))
    text += ", which has " + percent(*narrow / *ceiling) + " of a copy's";
  return text + (differs(panel, *wide, *narrow) ? ": that fits too few bytes under way there." : ".");
}

std::string on_engine(const Panel& panel) {
  const auto engine = bar(panel, bulk), tuned = bar(panel, library);
  if (!engine || !tuned) return {};
  return "The bulk-copy engine reaches " + gigabytes_per_second(*engine) + ", " + compared(panel, *engine, *tuned) +
         " the library's kernel (" + gigabytes_per_second(*tuned) + ").";
}

std::string on_all_steps(const Panel& panel) {
  const auto naive = bar(panel, naive_read), tuned = bar(panel, library);
  if (!naive || !tuned || !quotable(panel)) return {};
  std::string text = "The library's transposition has " + times(*tuned / *naive) + " the rate of the plain loop (" +
                     panel.title + ": " + gigabytes_per_second(*naive) + " to " + gigabytes_per_second(*tuned) + ")";
  if (const auto ceiling = guide_at(panel, places(panel).front()))
    text += ", " + percent(*tuned / *ceiling) + " of a copy of the same size";
  return text + ".";
}

// Compares the gain of padding at two neighbouring sizes. On old devices the larger size hid it.
std::string on_order_of_steps(std::span<const Panel> panels) {
  std::vector<double> gains;
  std::string text;
  for (const Panel& panel : panels) {
    if (!panel.name.starts_with("bars-") || !panel.name.ends_with("fp32")) continue;
    const auto with = bar(panel, padded), without = bar(panel, tiled);
    if (!with || !without) continue;
    gains.push_back(*with / *without);
    text += (text.empty() ? "Padding makes the tile " : ", and ") + times(gains.back()) + " as fast in " +
            panel.title.substr(0, panel.title.find(','));
  }
  if (gains.size() < 2) return {};
  return text + (gains.front() < 1.2 * gains.back() ? ": no size hides what a step gains."
                 : gains.front() > 1.3 * gains.back()
                     ? ": at the second size something else hides what it gains, so take the coarser steps first."
                     : ".");
}

// Names the tilings that beat the library's choice, and the panels on which none does.
void say_tunings(std::vector<std::string>& all, std::span<const Panel> panels) {
  std::vector<std::string> unbeaten;
  for (const Panel& panel : panels) {
    if (!panel.name.starts_with("bars-")) continue;
    const auto tuned = bar(panel, library);
    const Point* best = nullptr;
    for (const Point& point : panel.points)
      if (point.variant.starts_with("tuning") && (!best || point.value > best->value)) best = &point;
    if (!tuned || !best) continue;
    if (!differs(panel, best->value, *tuned))
      unbeaten.push_back("\"" + panel.title + "\"");
    else
      all.push_back("On this device \"" + best->variant + "\" is " + times(best->value / *tuned) +
                    " as fast as the library's choice (" + panel.title + "): tile shapes are worth a measurement.");
  }
  if (!unbeaten.empty())
    all.push_back("No other tiling is faster than the library's choice by more than the noise of this machine: " +
                  listed(unbeaten) + ".");
}

// Describes how widths affect the kernel without a remedy. Rows that begin within a memory sector have an additional
// cost, independent of partitions. On a host any width may be disturbed.
std::string on_plain_tiles(const Panel& panel) {
  constexpr int sector_bytes = 32;
  const int element = panel.name.ends_with("fp64") ? 8 : 4;
  const Point *const best = best_of(panel, padded), *worst = nullptr, *shifted = nullptr;
  for (const Point& point : panel.points) {
    if (point.variant != padded) continue;
    const Point*& slowest = std::fmod(point.x * element, sector_bytes) == 0 ? worst : shifted;
    if (!slowest || point.value < slowest->value) slowest = &point;
  }
  if (!best || !worst || !quotable(panel)) return {};
  const double fraction = worst->value / best->value;
  std::string text = "plain tiles have at least " + percent(fraction) +
                     " of their best rate where rows begin on sectors of " + std::to_string(sector_bytes) + " bytes";
  if (shifted) text += ", and " + percent(shifted->value / best->value) + " where they begin within one";
  if (fraction > 0.85) return text + ": partition camping does not show on this device.";
  if (fraction > 0.75) return text + ".";
  text += "; worst at " + size_of(worst->x) + ", where they meet in few partitions of the memory";
  if (const Point* const other = point_at(panel, diagonal, worst->x))
    text += differs(panel, other->value, worst->value)
                ? ", which blocks in diagonal order avoid (" + percent(other->value / best->value) + ")"
                : ", and a diagonal order of the blocks does not help";
  return text + ".";
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Compares rows that are a multiple of 128 bytes apart with others, for the loop that reads down the columns.
std::string on_plain_loop(const Panel& panel) {
  std::vector<double> aligned, others;
  for (const Point& point : panel.points)
    if (point.variant == naive_write) (std::fmod(point.x, 32) == 0 ? aligned : others).push_back(point.value);
  if (aligned.empty() || others.empty()) return {};
  const double a = median_of(std::move(aligned)), b = median_of(std::move(others));
  if (!quotable(panel) || !differs(panel, b, a)) return {};
  return " The loop that reads down columns runs at " + gigabytes_per_second(a) +
         " where n is a multiple of 32 and at " + gigabytes_per_second(b) +
         " at the other widths (medians), which fits lines that meet in few sets of the first-level cache.";
}

std::string on_pitch(const Panel& panel) {
  const Ratio remedy = ratio_of(panel, padded_pitch, padded);
  if (!remedy.known()) return {};
  return std::string(" Rows that lie 64 bytes further apart give the plain tile ") + rate_against(remedy) +
         " packed ones in the median of the widths.";
}

std::string on_widths(const Panel& panel) {
  std::string text = on_plain_tiles(panel);
  text += on_pitch(panel) + on_plain_loop(panel);
  if (const Point* const worst = worst_of(panel, library); worst && quotable(panel)) {
    text += text.empty() ? "the" : " The";
    text += " library's kernel has at least " + percent(worst->value / best_of(panel, library)->value) +
            " of its best at all of them";
    if (const auto ceiling = guide_at(panel, worst->x))
      text += ", where it is slowest " + percent(worst->value / *ceiling) + " of a copy";
    text += ".";
  }
  return text.empty() ? text : panel.title + ": " + text;
}

// Returns the smallest ratio of a variant's values to those of `of`.
template <class Of>
std::optional<double> least(const Panel& panel, std::string_view variant, const Of& of) {
  std::optional<double> fraction;
  for (const double x : places(panel, variant)) {
    const auto reference = of(x);
    if (reference)
      fraction = std::min(fraction.value_or(std::numeric_limits<double>::max()),
                          point_at(panel, variant, x)->value / *reference);
  }
  return fraction;
}

std::string on_size(const Panel& panel) {
  const auto of_copy = least(panel, library, [&](double x) { return guide_at(panel, x); });
  if (!of_copy || !quotable(panel)) return {};
  const std::vector<double> all = places(panel, library);
  std::string text = panel.title + ": the library's kernel has at least " + percent(*of_copy) + " of a copy " +
                     (all.size() == 1 ? "at " : "from ") + size_of(all.front());
  if (all.size() > 1) text += " to " + readable_value(all.back());
  if (const auto of_geam = least(panel, library, [&](double x) {
        const Point* const point = point_at(panel, geam, x);
        return point ? std::optional(point->value) : std::nullopt;
      }))
    text += ", and at least " + percent(*of_geam) + " of cuBLAS";
  return text + ".";
}

// Applies `about` to every panel of one kind and collects the sentences.
template <class Say>
void say(std::vector<std::string>& all, std::span<const Panel> panels, std::string_view kind, const Say& about) {
  for (const Panel& panel : panels)
    if (panel.name.starts_with(kind))
      if (std::string text = about(panel); !text.empty()) all.push_back(std::move(text));
}

std::string on_shape(const Panel& panel) {
  const auto tuned = bar(panel, library), ceiling = guide_at(panel, places(panel).front());
  if (!tuned || !ceiling || !quotable(panel)) return {};
  std::string text = panel.title + ": " + percent(*tuned / *ceiling) + " of a copy by the library's kernel";
  if (const auto other = bar(panel, geam)) {
    text += ", " + percent(*other / *ceiling) + " by cuBLAS";
    if (panel.name.starts_with("shape-batch")) text += ", which takes a call for each plane";
  }
  return text + ".";
}

}  // namespace

std::vector<std::string> conclude_transpose(std::span<const Panel> panels) {
  std::vector<std::string> all;
  const auto bars = std::ranges::find_if(panels, [](const Panel& panel) { return panel.name.starts_with("bars-"); });
  if (bars != panels.end())
    for (const auto about : {on_coalescing, on_tiles, on_sides, on_words, on_engine})
      if (std::string text = about(*bars); !text.empty()) all.push_back(std::move(text));
  say(all, panels, "bars-", on_all_steps);
  if (std::string text = on_order_of_steps(panels); !text.empty()) all.push_back(std::move(text));
  say_tunings(all, panels);
  say(all, panels, "sweep-", on_widths);
  say(all, panels, "size-", on_size);
  say(all, panels, "shape-", on_shape);
  return all;
}

}  // namespace poisson::lab
