#pragma once

#include <optional>

#include "backends/axis_products.hpp"

namespace poisson {

/// The line whose coefficients are those of constants, the mode with the eigenvalue 0 of both axes across, where the
/// matrix is singular: its first `rows` values are determined but for a constant. 0 where the solved axis is
/// transformed, too: there the coefficient of constants is dropped by itself.
struct ConstantLine {
  int lane = 0, slow = 0, rows = 0;
};

/// None where the matrix is regular, where lines are cut, or where rounding left no eigenvalue of 0.
std::optional<ConstantLine> constant_line(const TensorInverse& inverse);

}  // namespace poisson
