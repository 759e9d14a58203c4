#pragma once

#include <array>

#include "backends/axis_transforms.hpp"

namespace poisson::cpu {

/// Transforms the lines of a box along an axis, in place or to the target, which divides by the sums of the eigenvalues
/// of the three axes; null where an axis has none but zero.
template <class T>
void transform_lines(const WaveView<T>& waves, int axis, bool forward, const View<T>& values, const Box& box,
                     const WaveTarget& target, const std::array<const T*, 3>& eigenvalues);

}  // namespace poisson::cpu
