#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poisson::bench {

/// Contains the cells of a box in two or three dimensions.
struct Size {
  int dimension = 3;
  std::array<int, 3> cells{1, 1, 1};  ///< the last is 1 in two dimensions

  bool cube() const;
  /// Returns whether this is a cube or square with 2^k cells per axis.
  bool power_of_two() const;
  bool operator==(const Size&) const = default;
};

/// Parses a cube such as 128, a rectangle such as 777x1001, or a box such as 600x431x277. Throws InputError for other
/// texts and for fewer than 4 or more than ten million cells along an axis.
Size parse_size(std::string_view text);
/// Returns the form that parse_size accepts: 128, 777x1001.
std::string name_of(const Size& size);

/// Returns odd, prime and unequal sizes, neighbours of powers of two, and the powers of two around each. For a GPU it
/// adds larger ones.
std::vector<Size> usual_sizes(bool gpu);

}  // namespace poisson::bench
