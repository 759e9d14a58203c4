#pragma once

#include <string>
#include <string_view>

#include "lab/harness/study.hpp"

namespace poisson::lab {

// Comparisons that are no firmer than what was measured allows.

/// How many times as large the values of one variant are as those of another over the places that both have.
struct Ratio {
  double median = 0;         ///< 0 where they have no place in common
  double low = 0, high = 0;  ///< the middle half of the places, widened by what their batches scatter
  double noise = 0;          ///< the panel's

  bool known() const { return median > 0; }
  /// Whether it lies above 1 (below 1) by more than the noise, and the middle half on that side altogether.
  bool more() const { return known() && median > 1 + noise && low > 1; }
  bool less() const { return known() && median * (1 + noise) < 1 && high < 1; }
  bool alike() const { return known() && !more() && !less(); }
};
Ratio ratio_of(const Panel& panel, std::string_view variant, std::string_view other);
/// The same at one place, or of two points of one panel.
Ratio ratio_at(const Panel& panel, std::string_view variant, std::string_view other, double x);
Ratio ratio_of(const Panel& panel, const Point& point, const Point& other);

/// "2.1 times the rate of", "only 48 % of the rate of", or "the rate, within the noise of this machine, of".
std::string rate_against(const Ratio& ratio);

/// The median of a variant's values over all places: of a curve that should be flat, its height. NaN without points.
double typical(const Panel& panel, std::string_view variant);

// What a page has beside historical figures: NaN where panel, variant or place is missing.

double value_in(const Panels& panels, std::string_view panel, std::string_view variant, double x);
/// Of a variant's first place; of bars the bar.
double bar_in(const Panels& panels, std::string_view panel, std::string_view variant);
double typical_in(const Panels& panels, std::string_view panel, std::string_view variant);
double highest_in(const Panels& panels, std::string_view panel, std::string_view variant);
/// The place of the highest value.
double place_of_highest_in(const Panels& panels, std::string_view panel, std::string_view variant);

}  // namespace poisson::lab
