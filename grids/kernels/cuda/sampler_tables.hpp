#pragma once

#include "backends/device/backend.hpp"
#include "backends/memory/per_axis.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson::cuda {

/// Contains coordinates, lengths and masses along the axes of a block in device memory. Members of an axis are device
/// addresses.
struct SamplerTables {
  struct Parts {
    const double *at, *length;
  };
  struct Axis {
    const double *nodes, *cells, *mass, *ones;
    const double* width;       // cell widths from cell −1
    Parts parts[2][2];         // indexed by volume or face, then by the cell below or above
    const double* corners[2];  // cell corners seen from within, from cell −1
  };

  SamplerTables(Backend& backend, const Block& block, const CellPoints& points);

  PerAxis<Axis> axes{};
  Buffer memory;
};

}  // namespace poisson::cuda
