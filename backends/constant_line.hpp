#pragma once

#include <cstdint>
#include <optional>

#include "backends/axis_products.hpp"

namespace poisson {

/// The line whose coefficients are those of constants, the mode with the eigenvalue 0 of both axes across, where the
/// matrix is singular: its values are determined but for a constant. `rows`: of the line, or of its even half where it
/// is folded; 0 where the solved axis is transformed, too: there the coefficient of constants is dropped by itself.
struct ConstantLine {
  int lane = 0, slow = 0, rows = 0;

  /// What the row of number k weighs in the mean: a value of the line, of n values so many apart, or the mean of two
  /// mirrored ones.
  template <class T>
  constexpr double value(int k, int n, const T* values, std::int64_t step) const {
    const int image = rows < n ? n - 1 - k : k;
    return 0.5 * (static_cast<double>(values[k * step]) + static_cast<double>(values[image * step]));
  }
};

/// None where the matrix is regular, where lines are cut, or where rounding left no eigenvalue of 0.
std::optional<ConstantLine> constant_line(const TensorInverse& inverse);

}  // namespace poisson
