#pragma once

#include <array>
#include <memory>

#include "backends/device/field.hpp"

namespace poisson {

/// Contains κ of the cells by component: xx, yy, zz and xy, xz, yz. Missing components are null. In two dimensions zz
/// counts as 1.
struct CellTensors {
  std::array<std::shared_ptr<const Field>, 3> diagonal, offdiagonal;
};

/// Returns whether a tensor with a positive diagonal is positive definite, by its minors.
constexpr bool is_definite(double xx, double yy, double zz, double xy, double xz, double yz) {
  return xy * xy < xx * yy && xz * xz < xx * zz && yz * yz < yy * zz &&
         xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) > 0;
}

}  // namespace poisson
