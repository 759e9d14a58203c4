#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

using namespace transpose_names;

// Returns the value of the first guide, a copy of the same size, at a place.
double copy_at(const Panel& panel, double x) {
  if (panel.guides.empty()) return NAN;
  const auto& points = panel.guides.front().points;
  if (points.size() == 1) return points.front()[1];
  const auto found = std::ranges::find(points, x, [](const auto& point) { return point[0]; });
  return found == points.end() ? NAN : (*found)[1];
}

// Returns one bar of a panel whose sweep has one place.
double bar(const Panel& panel, std::string_view variant) {
  const Point* const point = best_of(panel, variant);
  return point ? point->value : NAN;
}

// Returns the smallest share of a copy that a variant reaches at any place.
double least_of_copy(const Panel& panel, std::string_view variant) {
  double least = INFINITY;
  for (const double x : places(panel, variant))
    least = std::fmin(least, point_at(panel, variant, x)->value / copy_at(panel, x));
  return least;
}

void on_coalescing(const Panel& panel, Lessons& lessons) {
  const double read = bar(panel, naive_read), write = bar(panel, naive_write), plain = bar(panel, copy);
  if (!known(read, write, plain)) return;
  if (!quotable(panel)) {
    if (plain > (1 + panel.noise) * (1 + panel.noise) * std::max(read, write))
      lessons.say(
          "The plain loop that transposes is far slower than the same loop as a copy: neighbouring threads "
          "should access neighbouring addresses.");
    return;
  }
  lessons.say("Coalesced reads with scattered writes run at " + rate(read) +
              ", scattered reads with coalesced writes at " + rate(write) + ", a copy by the same loop at " +
              rate(plain) + ": if one side must be scattered, make it the " + (write > read ? "reads." : "writes."));
}

void on_tiles(const Panel& panel, Lessons& lessons) {
  const double tile = bar(panel, tiled), plain = std::fmax(bar(panel, naive_read), bar(panel, naive_write)),
               pad = bar(panel, padded), swizzle = bar(panel, swizzled), through = bar(panel, in_tile_copy);
  if (known(tile, plain, pad, swizzle, through))
    lessons.say(panel.name, "A tile in shared memory makes both sides coalesced and runs at " + rate(tile) +
                                ", the better plain loop at " + rate(plain) + "; without bank conflicts it runs at " +
                                rate(pad) + " padded and " + rate(swizzle) +
                                " swizzled, a copy through the same tile at " + rate(through) + ".");
  const double small = bar(panel, padded_16) / pad, large = bar(panel, padded_48) / pad;
  if (!known(small, large)) return;
  std::string text =
      "Tiles of 16 × 16 reach " + percent(small) + " and of 48 × 48 " + percent(large) + " of the rate of 32 × 32";
  const double few = bar(panel, threads_4) / pad, more = bar(panel, threads_16) / pad,
               all = bar(panel, threads_32) / pad;
  if (known(few, more, all))
    text += "; with 32 × 4, 32 × 16 and 32 × 32 threads instead of 32 × 8 the tile reaches " + percent(few) + ", " +
            percent(more) + " and " + percent(all);
  lessons.say(panel.name, text + ".");
}

// Compares the gain of padding at two sizes, and the remedy against partition camping.
void on_order_of_steps(const Panel& first, const Panel& second, Lessons& lessons) {
  const auto gain = [](const Panel& panel) { return bar(panel, padded) / bar(panel, tiled); };
  const double turned = bar(second, diagonal) / bar(second, padded);
  if (known(gain(first), gain(second), turned))
    lessons.say(second.name, "Padding gains " + times(gain(second)) + " at 4096 and " + times(gain(first)) +
                                 " at 4000: bank conflicts do not depend on n; diagonal order, the old remedy against "
                                 "partition camping, reaches " +
                                 percent(turned) + " of the padded tile.");
}

void on_wide_words(const Panel& panel, Lessons& lessons) {
  const double tuned = bar(panel, library), pad = bar(panel, padded), engine = bar(panel, bulk);
  if (known(tuned, pad, engine))
    lessons.say(panel.name, "With elements of 8 bytes the padded tile reaches " + percent(pad / tuned) +
                                " of the library's kernel and the bulk-copy engine " + percent(engine / tuned) +
                                ": little is left to gain.");
}

void on_library(std::span<const Panel> panels, Lessons& lessons) {
  double low = INFINITY, high = 0, share = INFINITY, other = 0;
  for (const Panel& panel : panels) {
    if (!panel.name.starts_with("bars-") || !quotable(panel)) continue;
    const double tuned = bar(panel, library), naive = bar(panel, naive_read);
    low = std::fmin(low, tuned / naive);
    high = std::fmax(high, tuned / naive);
    share = std::fmin(share, least_of_copy(panel, library));
    for (const Point& point : panel.points)
      if (point.variant.starts_with("tuning")) other = std::fmax(other, point.value / tuned);
  }
  if (known(low, high, share))
    lessons.say("Wide words and many of them in flight bring the library's kernel to " + at_least(share) +
                " of a copy, " + figure(low) + " to " + figure(high) + " times the plain loop with scattered writes" +
                (known(other) ? "; the best other tiling reaches " + percent(other) + " of it." : "."));
}

// Rows that begin within a memory sector have an additional cost, independent of partitions.
void on_widths(std::span<const Panel> panels, Lessons& lessons) {
  constexpr int sector_bytes = 32;
  double aligned = INFINITY, shifted = INFINITY, share = INFINITY;
  std::string last;
  for (const Panel& panel : panels) {
    const Point* const best = best_of(panel, padded);
    if (!panel.name.starts_with("sweep-") || !best || !quotable(panel)) continue;
    const int element = panel.name.ends_with("fp64") ? 8 : 4;
    for (const Point& point : panel.points)
      if (point.variant == padded) {
        double& least = std::fmod(point.x * element, sector_bytes) == 0 ? aligned : shifted;
        least = std::fmin(least, point.value / best->value);
      }
    share = std::fmin(share, least_of_copy(panel, library));
    last = panel.name;
  }
  if (known(aligned, shifted, share))
    lessons.say(last,
                "Plain tiles keep " + at_least(aligned) + " of their best rate where rows begin on sectors, and " +
                    at_least(shifted) + " elsewhere" +
                    (aligned > 0.85 ? ": partition camping does not show" : ": some widths meet in few partitions") +
                    "; the library's kernel keeps " + at_least(share) + " of a copy.");
}

// Large matrices of both precisions share a sentence, as do all other shapes.
void on_others(std::span<const Panel> panels, std::string_view kind, const std::string& what, Lessons& lessons) {
  double share = INFINITY, low = INFINITY, high = 0;
  std::string last;
  for (const Panel& panel : panels) {
    if (!panel.name.starts_with(kind) || !quotable(panel)) continue;
    share = std::fmin(share, least_of_copy(panel, library));
    for (const double x : places(panel, geam)) {
      const double here = point_at(panel, library, x)->value / point_at(panel, geam, x)->value;
      low = std::fmin(low, here);
      high = std::fmax(high, here);
    }
    last = panel.name;
  }
  if (!last.empty() && known(share))
    lessons.say(last, what + " the library's kernel reaches " + at_least(share) + " of a copy" +
                          (!known(low, high) ? "."
                           : high < 1.2      ? ", and " + at_least(low) + " of cuBLAS."
                                             : ", and " + figure(low) + " to " + times(high) + " the rate of cuBLAS."));
}

const Panel* named(std::span<const Panel> panels, std::string_view name) {
  const auto found = std::ranges::find(panels, name, &Panel::name);
  return found == panels.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> conclude_transpose(std::span<const Panel> panels) {
  Lessons lessons;
  const auto bars = std::ranges::find_if(panels, [](const Panel& panel) { return panel.name.starts_with("bars-"); });
  if (bars != panels.end()) {
    on_coalescing(*bars, lessons);
    on_library(panels, lessons);
    on_tiles(*bars, lessons);
  }
  const Panel *const small = named(panels, "bars-4000-fp32"), *const large = named(panels, "bars-4096-fp32"),
                     *const doubles = named(panels, "bars-4000-fp64");
  if (small && large) on_order_of_steps(*small, *large, lessons);
  if (doubles) on_wide_words(*doubles, lessons);
  on_widths(panels, lessons);
  on_others(panels, "size-", "From n = 8192 on,", lessons);
  on_others(panels, "shape-", "On tall, narrow, wide and batched matrices", lessons);
  return lessons.take();
}

}  // namespace poisson::lab
