#pragma once

#include <array>

#include <cuda_runtime_api.h>

#include "backends/axis_transforms.hpp"

namespace poisson::cuda {

/// Transforms the lines of a box along an axis, from one field of a layout to another or in place; where `a` is given
/// that is added to the other one times a. There and back in place by the eigenvalues of the three axes, null where an
/// axis has none but zero; not along x, which is never the last axis.
template <class T>
void transform_lines(cudaStream_t stream, const WaveView<T>& waves, int axis, WavePath path, const View<const T>& from,
                     const View<T>& to, const Scalar* a, const Box& box, const std::array<const T*, 3>& eigenvalues);

}  // namespace poisson::cuda
