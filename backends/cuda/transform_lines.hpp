#pragma once

#include <array>

#include <cuda_runtime_api.h>

#include "backends/transforms/axis_transforms.hpp"

namespace poisson::cuda {

/// Transforms the lines of a box along an axis, in place or from one field to another of the same layout. If `a` is
/// given, the result times a is added to `to`.
///
/// TrigPath::round_trip works in place and divides by the sums of the eigenvalues of the three axes. The pointer of
/// an axis is null if its eigenvalues are all zero. This path does not support x, which is never the last axis.
template <class T>
void transform_lines(cudaStream_t stream, const TrigView<T>& trig, int axis, TrigPath path, const View<const T>& from,
                     const View<T>& to, const Scalar* a, const Box& box, const std::array<const T*, 3>& eigenvalues);

}  // namespace poisson::cuda
