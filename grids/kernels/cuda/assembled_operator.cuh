#pragma once

#include "grids/kernels/cuda/stencil_operator.cuh"
#include "grids/operators/bands.hpp"
#include "grids/rows/band_coefficients.hpp"

namespace poisson::cuda {

/// The operator whose bands are the rows of the model that the data call for.
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const RowData& data) {
  const auto make = [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    using Row = typename StencilBase<T, Coefficients>::Row;
    constexpr int count = band_count<Row>;
    const Layout layout = data.block.layout();
    BandTables<T> tables(backend, data.block, bands_held<Row>(data.block));
    {
      const typename StencilBase<T, Coefficients>::Tables source(backend, data);
      const FillBands<T, Coefficients, count> fill{source.template model<Coefficients>(),
                                                   tables.template views<count>(),
                                                   {layout.periodic[0], layout.periodic[1], layout.periodic[2]},
                                                   data.decoupled};
      auto& device = static_cast<CudaBackend&>(backend);
      for_columns(device.stream(), layout.box(), fill);
      tables.exchange();
      check(cudaStreamSynchronize(device.stream()));  // before the source's memory goes back
    }
    return std::make_unique<StencilOperator<T, typename BandsOf<Row>::Type>>(backend, data, std::move(tables));
  };
  if (data.on_faces()) return make(Model<Faces<T>>());
  if (data.scheme == Scheme::fv) return with_star_model<T>(data, make);
  return data.block.dimension() == 2 ? with_box_model<T, 2>(data, make) : with_box_model<T, 3>(data, make);
}

/// The operator of bands that there are already.
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const RowData& rows, const Bands& bands) {
  RowData data = rows;
  const auto make = [&]<int dimension>(Number<dimension>) -> std::unique_ptr<Operator> {
    using Coefficients = BoxBands<T, dimension>;
    BandTables<T> tables(backend, data.block, Coefficients::count, bands);
    const Scalar largest = backend.scalar(0);
    for_columns(static_cast<CudaBackend&>(backend).stream(), data.block.unknowns(),
                Gershgorin<T, Coefficients>{tables.template model<Coefficients>(),
                                            reinterpret_cast<unsigned long long*>(largest.address())});
    data.bound = backend.value(largest);
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, data, std::move(tables));
  };
  return bands.layout.n[2] == 1 ? make(Number<2>()) : make(Number<3>());
}

}  // namespace poisson::cuda
