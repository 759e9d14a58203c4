#include "grids/kernels/cuda/banded_operator.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {

template <>
std::unique_ptr<Operator> make_banded_operator<double>(Backend& backend, const Bands& bands) {
  return std::make_unique<BandedOperator<double>>(backend, bands);
}

}  // namespace poisson::cuda
