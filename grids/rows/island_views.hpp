#pragma once

#include <cstdint>

namespace poisson {

/// What the kernels see of islands: offsets from the value at (0, 0, 0), as fields of one layout and precision have it.
struct IslandViews {
  std::int64_t count;
  const std::int64_t *first, *values, *row_first, *row_values;
  const double *weights, *inverse;  ///< inverse: of the energy
  double* shift;                    ///< one for each island
};

}  // namespace poisson
