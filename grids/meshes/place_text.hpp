#pragma once

#include <array>
#include <cstdio>
#include <span>
#include <string>

namespace poisson {

/// Returns numbers with a separator.
inline std::string joined(std::span<const int> numbers, const char* separator) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

/// Returns the first coordinates of a place as "(1, 0.5)".
inline std::string place_text(const std::array<double, 3>& place, int dimension) {
  std::string text = "(";
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%.6g", place[d]);
    text += (d > 0 ? ", " : "") + std::string(digits.data());
  }
  return text + ")";
}

}  // namespace poisson
