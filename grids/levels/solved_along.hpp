#pragma once

#include "grids/operators/relaxation.hpp"

namespace poisson {

/// Returns whether a level solves for all values along an axis together: in lines along the axis, or in planes that
/// contain it.
constexpr bool solved_along(const Relaxation& relaxed, int axis) {
  return relaxed.extent == Extent::line    ? axis == relaxed.axis
         : relaxed.extent == Extent::plane ? axis != relaxed.axis
                                           : relaxed.extent == Extent::alternating_lines;
}

}  // namespace poisson
