#pragma once

#include "grids/operators/relaxation.hpp"

namespace poisson {

/// Whether what a level solves for at once goes along an axis: lines that run along it, or planes that hold it.
constexpr bool solved_along(const Relaxation& relaxed, int axis) {
  return relaxed.extent == Extent::line    ? axis == relaxed.axis
         : relaxed.extent == Extent::plane ? axis != relaxed.axis
                                           : relaxed.extent == Extent::alternating_lines;
}

}  // namespace poisson
