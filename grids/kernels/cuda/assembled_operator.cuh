#pragma once

#include "grids/kernels/cuda/stencil_operator.cuh"
#include "grids/operators/bands.hpp"
#include "grids/rows/band_coefficients.hpp"

namespace poisson::cuda {

/// The operator whose bands are the rows of the model that its data call for.
template <class T, class Own>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const Own& rows) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    using Row = typename StencilBase<T, Coefficients>::Row;
    constexpr int count = band_count<Row>;
    const Layout layout = rows.block.layout();
    BandTables<T> tables(backend, rows.block, bands_held<Row>(rows.block));
    {
      const typename StencilBase<T, Coefficients>::Tables source(backend, rows);
      const FillBands<T, Coefficients, count> fill{source.template model<Coefficients>(),
                                                   tables.template views<count>(),
                                                   {layout.periodic[0], layout.periodic[1], layout.periodic[2]},
                                                   rows.decoupled};
      auto& device = static_cast<CudaBackend&>(backend);
      for_columns(device.stream(), layout.box(), fill);
      tables.exchange();
      check(cudaStreamSynchronize(device.stream()));  // before the source's memory goes back
    }
    return std::make_unique<StencilOperator<T, typename BandsOf<Row>::Type>>(backend, rows, eigenvalue_bounds(rows),
                                                                             std::move(tables));
  });
}

/// The operator of bands that there are already.
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const LevelRows& rows, const Bands& bands) {
  const auto make = [&]<int dimension>(Number<dimension>) -> std::unique_ptr<Operator> {
    using Coefficients = BoxBands<T, dimension>;
    BandTables<T> tables(backend, rows.block, Coefficients::count, bands);
    const Scalar largest = backend.scalar(0);
    for_columns(static_cast<CudaBackend&>(backend).stream(), rows.block.unknowns(),
                Gershgorin<T, Coefficients>{tables.template model<Coefficients>(),
                                            reinterpret_cast<unsigned long long*>(largest.address())});
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, rows, bounds_of_bands(backend.value(largest)),
                                                              std::move(tables), "bands");
  };
  return bands.layout.n[2] == 1 ? make(Number<2>()) : make(Number<3>());
}

}  // namespace poisson::cuda
