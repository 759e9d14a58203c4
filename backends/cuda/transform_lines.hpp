#pragma once

#include <array>

#include <cuda_runtime_api.h>

#include "backends/axis_transforms.hpp"

namespace poisson::cuda {

/// Transforms the lines of a box along an axis, in place or to the target. There and back by the eigenvalues of the
/// three axes, null where an axis has none but zero; not along x, which is never the last axis.
template <class T>
void transform_lines(cudaStream_t stream, const WaveView<T>& waves, int axis, WavePath path, const View<T>& values,
                     const Box& box, const WaveTarget& target, const std::array<const T*, 3>& eigenvalues);

}  // namespace poisson::cuda
