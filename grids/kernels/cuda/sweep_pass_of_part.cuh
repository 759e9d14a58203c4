#pragma once

#include "grids/kernels/cuda/sweep_pass.cuh"

namespace poisson::cuda {

template <class T>
std::unique_ptr<SweepPass> make_sweep_pass_of_part(Backend& backend, const LevelRows& rows) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<SweepPass> {
    return make_marched_sweeps<T, Coefficients, PartTile>(backend, rows);
  });
}

}  // namespace poisson::cuda
