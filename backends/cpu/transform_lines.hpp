#pragma once

#include <array>

#include "backends/transforms/axis_transforms.hpp"

namespace poisson::cpu {

/// Transforms the lines of a box along an axis, in place or from one field to another of the same layout. If `a` is
/// given, a times the result is added to the other field. `round_trip` works in place with the eigenvalues of the
/// three axes; null means that an axis has the eigenvalue 0 alone.
template <class T>
void transform_lines(const TrigView<T>& trig, int axis, TrigPath path, const View<const T>& from, const View<T>& to,
                     const Scalar* a, const Box& box, const std::array<const T*, 3>& eigenvalues);

}  // namespace poisson::cpu
