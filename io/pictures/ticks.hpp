#pragma once

#include <string>
#include <vector>

namespace poisson {

/// Round numbers for an axis or a colour bar. What the labels share is written once: a value is label · power + offset.
struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
  std::string factor;  ///< "×10⁻⁶", "×10⁻⁶ + 1.5", or empty
};

/// At most `at_most` + 1 round numbers between lower and upper; where these agree to nine digits, the one value.
Ticks round_ticks(double lower, double upper, int at_most);

/// A number to so many significant digits: 0.25, −1.5×10⁻¹².
std::string readable(double value, int digits);

}  // namespace poisson
