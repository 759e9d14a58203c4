#pragma once

#include "grids/kernels/cpu/stencil_operator.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/band_coefficients.hpp"

namespace poisson::cpu {

/// Fills bands with the rows of another model, those of Dirichlet nodes included.
template <class T, class Coefficients, int count>
void fill_bands(const Coefficients& c, const Layout& layout, int decoupled_axis, const BandViews<T, count>& bands) {
  const bool periodic[3] = {layout.periodic[0], layout.periodic[1], layout.periodic[2]};
  const int nx = layout.n[0];
  for_each_line(layout.box(), [&](int j, int k) {
    const auto line = c.line(j, k);
    for (int i = 0; i < nx; ++i) store_bands(decoupled(line.row(i), decoupled_axis), periodic, bands, i, j, k);
  });
}

/// The operator whose bands are the rows of the model that the data call for.
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const RowData& data) {
  const auto make = [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    using Row = typename StencilBase<T, Coefficients>::Row;
    using Bands = typename BandsOf<Row>::Type;
    BandTables<T> tables(backend, data.block, bands_held<Row>(data.block));
    {
      const typename StencilBase<T, Coefficients>::Tables source(backend, data);
      fill_bands(source.template model<Coefficients>(), data.block.layout(), data.decoupled,
                 tables.template views<band_count<Row>>());
    }
    tables.exchange();
    return std::make_unique<StencilOperator<T, Bands>>(backend, data, std::move(tables));
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
    const auto c = tables.template model<Coefficients>();
    const Box unknowns = data.block.unknowns();
    data.bound = max_over_lines(unknowns, 0, [&](int j, int k) {
      const auto line = c.line(j, k);
      double largest = 0;
      for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) largest = std::max(largest, gershgorin(line.row(i)));
      return largest;
    });
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, data, std::move(tables));
  };
  return bands.layout.n[2] == 1 ? make(Number<2>()) : make(Number<3>());
}

}  // namespace poisson::cpu
