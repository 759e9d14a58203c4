#pragma once

#include <string>
#include <string_view>

#include "lab/harness/study.hpp"

namespace poisson::lab {

// Comparisons that claim no more than the measurements allow.

/// How many times the values of one variant exceed those of another, over the places that both have. A ratio that is
/// neither more, less nor alike lies in a gap: another run might decide either way, so nothing follows from it.
struct Ratio {
  double median = 0;         ///< 0 if they share no place
  double low = 0, high = 0;  ///< limit the middle half of the ratios, widened by the scatter of batches
  double noise = 0;          ///< the panel's

  bool known() const { return median > 0; }
  /// Return whether the median differs from 1 by twice the noise, with all of the middle half on the same side.
  bool more() const { return known() && median > (1 + noise) * (1 + noise) && low > 1; }
  bool less() const { return known() && median * (1 + noise) * (1 + noise) < 1 && high < 1; }
  bool alike() const { return known() && median <= 1 + noise && median * (1 + noise) >= 1; }
};
Ratio ratio_of(const Panel& panel, std::string_view variant, std::string_view other);
/// Compare at one place, or compare two points of one panel.
Ratio ratio_at(const Panel& panel, std::string_view variant, std::string_view other, double x);
Ratio ratio_of(const Panel& panel, const Point& point, const Point& other);

/// Returns "2.1 times the rate of", "only 48 % of the rate of", or "the rate, within the noise of this machine, of".
/// Between these it returns "hardly more than the rate of". If noise leaves no figure, it returns "far more than", "far
/// less than" or "no clearly other rate than".
std::string rate_against(const Ratio& ratio);
namespace verdict {
inline constexpr std::string_view alike = "the rate, within the noise of this machine, of",
                                  hardly_more = "hardly more than the rate of",
                                  hardly_less = "hardly less than the rate of", times = " times the rate of",
                                  only = "only ", percent = " % of the rate of", far_more = "far more than the rate of",
                                  far_less = "far less than the rate of", unclear = "no clearly other rate than";
}  // namespace verdict

/// Returns whether the figures of a panel hold for another run: not if the noise is as large as the figures.
bool quotable(const Panel& panel);
/// Returns the same for one point, whose batches may scatter more than two runs differ.
bool quotable(const Panel& panel, const Point& point);
/// Returns `part`, which contains figures, or an empty string if the next run would not confirm them.
std::string where_quotable(const Panel& panel, const std::string& part);

/// Returns the median of a variant's values over all places: the height of a flat curve. NaN without points.
double typical(const Panel& panel, std::string_view variant);

// Today's values for the historical figures: NaN if the panel, the variant or the place is missing.

double value_in(const Panels& panels, std::string_view panel, std::string_view variant, double x);
/// Returns the value at a variant's first place: the bar of a bar chart.
double bar_in(const Panels& panels, std::string_view panel, std::string_view variant);
double typical_in(const Panels& panels, std::string_view panel, std::string_view variant);
double highest_in(const Panels& panels, std::string_view panel, std::string_view variant);
/// Returns the place of the highest value.
double place_of_highest_in(const Panels& panels, std::string_view panel, std::string_view variant);

}  // namespace poisson::lab
