#include "backends/cuda/sequence_kernel.cuh"
#include "grids/cuda/grid_steps.cuh"
#include "grids/cuda/stencil_columns.cuh"
#include "grids/cuda/transfer_columns.cuh"

namespace poisson::cuda {

template <>
void launch_grid_steps<double>(cudaStream_t stream, const Step* steps, int count) {
  launch_sequence(GridSteps::Columns<double>(), stream, steps, count);
}

}  // namespace poisson::cuda
