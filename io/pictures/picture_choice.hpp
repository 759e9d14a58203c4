#pragma once

#include <array>
#include <optional>

namespace poisson {

/// Is a plane that a picture shows.
struct PicturePlane {
  int normal = 2;       ///< axis across the plane
  double position = 0;  ///< on that axis
};

/// Describes how values become colours.
struct ColourScale {
  std::optional<std::array<double, 2>> range;  ///< null: the range of the field
  bool logarithmic = false;                    ///< colours follow log(value); values must be positive
};

}  // namespace poisson
