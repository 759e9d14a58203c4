#include "grids/kernels/cuda/banded_operator.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_banded_operator<float>(Backend& backend, const Bands& bands) {
  return std::make_unique<BandedOperator<float>>(backend, bands);
}

}  // namespace poisson::cuda
