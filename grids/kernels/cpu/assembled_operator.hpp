#pragma once

#include "grids/kernels/cpu/stencil_operator.hpp"

namespace poisson::cpu {

/// Fills bands with the rows of another model, including the rows of Dirichlet nodes.
template <class T, class Coefficients, int count>
void fill_bands(const Coefficients& c, const Layout& layout, int decoupled_axis, const BandViews<T, count>& bands) {
  const bool periodic[3] = {layout.periodic[0], layout.periodic[1], layout.periodic[2]};
  const int nx = layout.n[0];
  for_each_line(layout.box(), [&](int j, int k) {
    const auto line = c.line(j, k);
    for (int i = 0; i < nx; ++i) store_bands(decoupled(line.row(i), decoupled_axis), periodic, bands, i, j, k);
  });
}

}  // namespace poisson::cpu

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<Operator> OperatorsOn<OnHost>::assembled(Backend& backend, const Own& rows) {
  return make_filled_operator<cpu::StencilOperator, T>(
      backend, rows, [&]<class Coefficients>(const Coefficients& model, BandTables<T>& tables) {
        cpu::fill_bands(model, rows.block.layout(), rows.decoupled,
                        tables.template views<band_count<typename StencilBase<T, Coefficients>::Row>>());
        tables.exchange();
      });
}

template <>
template <class T>
std::unique_ptr<Operator> OperatorsOn<OnHost>::assembled(Backend& backend, const LevelRows& rows, const Bands& bands) {
  return make_operator_of<cpu::StencilOperator, T>(backend, rows, bands, [&](const auto& model) {
    const Box unknowns = rows.block.unknowns();
    return cpu::max_over_lines(unknowns, 0, [&](int j, int k) {
      const auto line = model.line(j, k);
      double largest = 0;
      for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) largest = std::max(largest, gershgorin(line.row(i)));
      return largest;
    });
  });
}

}  // namespace poisson
