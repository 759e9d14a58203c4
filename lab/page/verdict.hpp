#pragma once

#include <string>
#include <string_view>

#include "lab/harness/study.hpp"

namespace poisson::lab {

// Comparisons that are no firmer than what was measured allows.

/// How many times as large the values of one variant are as those of another over the places that both have. What is
/// neither more, less nor alike lies between: another run might call it either, so nothing follows from it.
struct Ratio {
  double median = 0;         ///< 0 where they have no place in common
  double low = 0, high = 0;  ///< the middle half of the places, widened by what their batches scatter
  double noise = 0;          ///< the panel's

  bool known() const { return median > 0; }
  /// Whether it lies above 1 (below 1) by twice the noise, and the middle half on that side altogether.
  bool more() const { return known() && median > (1 + noise) * (1 + noise) && low > 1; }
  bool less() const { return known() && median * (1 + noise) * (1 + noise) < 1 && high < 1; }
  bool alike() const { return known() && median <= 1 + noise && median * (1 + noise) >= 1; }
};
Ratio ratio_of(const Panel& panel, std::string_view variant, std::string_view other);
/// The same at one place, or of two points of one panel.
Ratio ratio_at(const Panel& panel, std::string_view variant, std::string_view other, double x);
Ratio ratio_of(const Panel& panel, const Point& point, const Point& other);

/// "2.1 times the rate of", "only 48 % of the rate of", "the rate, within the noise of this machine, of", or, between
/// these, "hardly more than the rate of". Where noise leaves no figure, "far more than", "far less than" and "no
/// clearly other rate than".
std::string rate_against(const Ratio& ratio);
namespace verdict {
inline constexpr std::string_view alike = "the rate, within the noise of this machine, of",
                                  hardly_more = "hardly more than the rate of",
                                  hardly_less = "hardly less than the rate of", times = " times the rate of",
                                  only = "only ", percent = " % of the rate of", far_more = "far more than the rate of",
                                  far_less = "far less than the rate of", unclear = "no clearly other rate than";
}  // namespace verdict

/// Whether figures of a panel mean something to a reader of another run: not where noise is as large as they are.
bool quotable(const Panel& panel);
/// The same of one point, whose batches may scatter more than two runs differ by.
bool quotable(const Panel& panel, const Point& point);
/// A part of a sentence that tells figures: nothing where they would not be those of the next run.
std::string where_quotable(const Panel& panel, const std::string& part);

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
