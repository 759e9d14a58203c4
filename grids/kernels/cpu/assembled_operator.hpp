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

/// The operator whose bands are the rows of the model that its data call for.
template <class T, class Own>
std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const Own& rows) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    using Row = typename StencilBase<T, Coefficients>::Row;
    BandTables<T> tables(backend, rows.block, bands_held<Row>(rows.block));
    {
      const typename StencilBase<T, Coefficients>::Tables source(backend, rows);
      fill_bands(source.template model<Coefficients>(), rows.block.layout(), rows.decoupled,
                 tables.template views<band_count<Row>>());
    }
    tables.exchange();
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
    const auto c = tables.template model<Coefficients>();
    const Box unknowns = rows.block.unknowns();
    const double circles = max_over_lines(unknowns, 0, [&](int j, int k) {
      const auto line = c.line(j, k);
      double largest = 0;
      for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) largest = std::max(largest, gershgorin(line.row(i)));
      return largest;
    });
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, rows, bounds_of_bands(circles),
                                                              std::move(tables), "bands");
  };
  return bands.layout.n[2] == 1 ? make(Number<2>()) : make(Number<3>());
}

}  // namespace poisson::cpu
