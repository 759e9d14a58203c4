#pragma once

#include "grids/kernels/cuda/stencil_operator.cuh"

namespace poisson::cuda {}  // namespace poisson::cuda

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<Operator> OperatorsOn<OnCuda>::assembled(Backend& backend, const Own& rows) {
  return make_filled_operator<cuda::CompiledOperator, T>(
      backend, rows, [&]<class Coefficients>(const Coefficients& model, BandTables<T>& tables) {
        constexpr int count = band_count<typename StencilBase<T, Coefficients>::Row>;
        const Layout layout = rows.block.layout();
        const cuda::FillBands<T, Coefficients, count> fill{model,
                                                           tables.template views<count>(),
                                                           {layout.periodic[0], layout.periodic[1], layout.periodic[2]},
                                                           rows.decoupled};
        const cudaStream_t stream = static_cast<cuda::CudaBackend&>(backend).stream();
        cuda::for_columns(stream, layout.box(), fill);
        tables.exchange();
        cuda::check(cudaStreamSynchronize(stream));  // before the source is freed
      });
}

template <>
template <class T>
std::unique_ptr<Operator> OperatorsOn<OnCuda>::assembled(Backend& backend, const LevelRows& rows, const Bands& bands) {
  return make_operator_of<cuda::CompiledOperator, T>(
      backend, rows, bands, [&]<class Coefficients>(const Coefficients& model) {
        const Scalar largest = backend.scalar(0);
        cuda::for_columns(
            static_cast<cuda::CudaBackend&>(backend).stream(), rows.block.unknowns(),
            cuda::Gershgorin<T, Coefficients>{model, reinterpret_cast<unsigned long long*>(largest.address())});
        return backend.value(largest);
      });
}

}  // namespace poisson
