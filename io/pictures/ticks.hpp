#pragma once

#include <string>
#include <vector>

namespace poisson {

/// Contains round numbers for an axis or a colour bar. Common parts of the labels are written once: value = label ·
/// power + offset.
struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
  std::string factor;  ///< "×10⁻⁶", "×10⁻⁶ + 1.5", or empty
};

/// Returns at most `at_most` + 1 round numbers between lower and upper; one value if they agree to nine digits.
Ticks round_ticks(double lower, double upper, int at_most);

/// Returns 1, 2 and 5 times powers of ten between lower and upper > 0, or powers of ten alone if these are at least two
/// and the others are too many. A range without any of them has round_ticks.
Ticks decade_ticks(double lower, double upper, int at_most);

/// Returns a number with the given significant digits: 0.25, −1.5×10⁻¹².
std::string readable(double value, int digits);

}  // namespace poisson
