#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/functions.hpp"

namespace poisson::cuda {
namespace {

template <class T, class Values>
struct SetUnknowns {
  Values values;
  View<T> x;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) x(i, j, k) = static_cast<T>(values.line(i, j, k).next());
  }
};

}  // namespace

template <class Values>
void set_unknowns(Field& x, std::span<const Values> values) {
  auto& device = dynamic_cast<CudaBackend&>(x.backend());
  dispatch(x.precision(), [&]<class T>(T) {
    std::size_t number = 0;
    for (std::size_t g = 0; g < x.space().groups().size(); ++g)
      for (int p = 0; const PatchGroup::Patch& patch : x.space().groups()[g].patches)
        for_columns(device.stream(), patch.unknowns, SetUnknowns<T, Values>{values[number++], x.patches<T>(g)[p++]});
  });
}
template void set_unknowns(Field&, std::span<const Zeros>);
template void set_unknowns(Field&, std::span<const FixedNumbers>);

}  // namespace poisson::cuda
