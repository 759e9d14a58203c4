#pragma once

#include <cstdint>
#include <optional>

#include "backends/transforms/axis_products.hpp"

namespace poisson {

/// Identifies the line of the constant modes, which have the eigenvalue 0 on both axes across, of a singular matrix.
/// The values of this line are determined up to a constant. `rows` is the length of the line, or of its even half if
/// the line is folded. It is 0 if the solved axis is transformed: the transform then drops the coefficient of
/// constants.
struct ConstantLine {
  int lane = 0, slow = 0, rows = 0;

  /// Returns the contribution of row k to the mean of a line of n values that are `step` apart. It is the row's value,
  /// or the mean of two mirrored values if the line is folded.
  template <class T>
  constexpr double value(int k, int n, const T* values, std::int64_t step) const {
    const int image = rows < n ? n - 1 - k : k;
    return 0.5 * (static_cast<double>(values[k * step]) + static_cast<double>(values[image * step]));
  }
};

/// Returns nothing if the matrix is regular, if lines are cut, or if rounding left no eigenvalue that is exactly 0.
std::optional<ConstantLine> constant_line(const TensorInverse& inverse);

}  // namespace poisson
