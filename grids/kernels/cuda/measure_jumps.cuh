#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/host_values.cuh"
#include "grids/kernels/cuda/sampled_columns.cuh"

namespace poisson::cuda {

/// Measures the jumps of κ between neighbouring cells of all processes. The halo must be filled; `word` is memory of
/// the device. The call is collective.
inline Jumps measure_jumps(CudaBackend& device, const Field& cells, unsigned long long* word) {
  const Box box = cells.layout().box();
  const Space& space = cells.space();
  const Processes& processes = space.processes();
  const auto [x, y, z] = space.origin();
  const View<const double> kappa = cells.view<double>();
  Jumps jumps;
  const Extremes own = extremes_of(device, cells, box);
  const double least = processes.least(own.least), largest = processes.largest(own.largest);
  if (least > 0) jumps.range = largest / least;
  auto bits = std::bit_cast<unsigned long long>(1.0);
  device.write(&bits, word, sizeof bits);
  device.for_columns<NoSteps>(box, LargestJump{kappa, {x, y, z}, word});
  device.read(word, &bits, sizeof bits);
  jumps.largest = processes.largest(std::bit_cast<double>(bits));
  const Scalar count = device.scalar();
  const auto share = [&](const auto& column, double of) {
    device.sum_here(box, column, count);
    return processes.sum(device.value(count)) / of;
  };
  const auto all = static_cast<double>(space.size());
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (jumps.largest >= Jumps::steep)
      jumps.steep_along[at] = share(NeighbourSum<IsSteep>{kappa, {x, y, z}, d}, all);
    else if (jumps.smooth_and_wide())
      jumps.variation =
          std::max(jumps.variation, share(NeighbourSum<LogRatio>{kappa, {x, y, z}, d}, all / space.all()[at]));
  }
  if (jumps.largest >= Jumps::large)
    jumps.share = share(LargeJumps{kappa, {x, y, z}}, all * (space.all()[2] > 1 ? 3 : 2));
  return jumps;
}

}  // namespace poisson::cuda
