#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poisson::bench {

/// The cells of a box in two or three dimensions.
struct Size {
  int dimension = 3;
  std::array<int, 3> cells{1, 1, 1};  ///< the last one is 1 in two dimensions

  bool cube() const;
  /// A cube or a square of 2^k cells per axis.
  bool power_of_two() const;
  bool operator==(const Size&) const = default;
};

/// A cube from 128, a rectangle from 777x1001, a box from 600x431x277. Throws InputError for anything else and for
/// fewer than 4 or more than ten million cells along an axis.
Size parse_size(std::string_view text);
/// What parse_size takes: 128, 777x1001.
std::string name_of(const Size& size);

/// Odd, prime, beside powers of two, unequal; and the powers of two around each. A GPU takes larger ones as well.
std::vector<Size> usual_sizes(bool gpu);

}  // namespace poisson::bench
