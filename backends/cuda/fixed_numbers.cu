#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/functions.hpp"
#include "backends/device/fixed_numbers.hpp"

namespace poisson::cuda {
namespace {

template <class T>
struct Numbered {
  FixedNumbers numbers;
  View<T> x;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      x(i, j, k) = static_cast<T>(FixedNumbers::number(FixedNumbers::next(numbers.before(i, j, k))));
  }
};

}  // namespace

void set_fixed_numbers(Field& x) {
  auto& device = dynamic_cast<CudaBackend&>(x.backend());
  dispatch(x.precision(), [&]<class T>(T) {
    for_columns(device.stream(), x.space().unknowns(), Numbered<T>{FixedNumbers(x.space()), x.view<T>()});
  });
}

}  // namespace poisson::cuda
