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

/// Returns a number with the given significant digits: 0.25, −1.5×10⁻¹².
std::string readable(double value, int digits);

}  // namespace poisson
