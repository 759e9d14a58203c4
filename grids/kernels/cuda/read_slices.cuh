#pragma once

#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/slices.cuh"

namespace poisson::cuda {

/// Returns the result of a reduction for each slice: the results of its groups of blocks, joined in order.
template <class Found>
std::vector<Found> read_slices(CudaBackend& device, const Slices& slices, const Found* partial) {
  const auto groups = static_cast<std::size_t>(slices.groups);
  std::vector<Found> parts(groups * slices.tiling.blocks.z), found;
  device.read(partial, parts.data(), parts.size() * sizeof(Found));
  for (std::size_t at = 0; at < parts.size(); ++at)
    if (at % groups == 0)
      found.push_back(parts[at]);
    else
      found.back().join(parts[at]);
  return found;
}

}  // namespace poisson::cuda
