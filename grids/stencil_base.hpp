#pragma once

#include <memory>
#include <type_traits>

#include "grids/axis_tables.hpp"
#include "grids/coefficients.hpp"
#include "grids/operator.hpp"

namespace poisson {

/// What the operators of all backends have in common: the data of a level and its model of Coefficients.
template <class T, class Coefficients>
class StencilBase : public Operator {
 public:
  StencilBase(Backend& backend, const RowData& data)
      : backend_(backend),
        layout_(data.block.layout()),
        unknowns_(data.block.unknowns()),
        scale_(data.scale),
        singular_(data.singular),
        tables_(backend, data),
        c_(tables_.template model<Coefficients>()) {}

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  Layout layout() const override { return layout_; }
  Box unknowns() const override { return unknowns_; }
  std::string_view assembly() const override { return assembly_name<Coefficients>; }
  double scale() const override { return scale_; }
  bool singular() const override { return singular_; }
  double largest_eigenvalue() const override { return 2; }  // Gershgorin: Σ|a_ij| ≤ a_ii in every row
  std::size_t bytes() const override { return tables_.bytes(); }

 protected:
  Backend& backend_;
  Layout layout_;
  Box unknowns_;

 private:
  double scale_;
  bool singular_;
  CoefficientTables<T> tables_;

 protected:
  /// The model by which lines are relaxed: with constant κ that of any axes serves equal cells too.
  auto line_coefficients() const {
    if constexpr (std::is_same_v<Coefficients, Equidistant<T>>)
      return tables_.template model<TensorProduct<T>>();
    else
      return c_;
  }
  Coefficients c_;  // refers to the tables
};

/// A backend's StencilOperator<T, Coefficients> for the assembly mode that the data call for.
template <template <class, class> class StencilOperator, class T>
std::unique_ptr<Operator> make_stencil_operator(Backend& backend, const RowData& data) {
  if (data.variable()) {
    if (data.isotropic) return std::make_unique<StencilOperator<T, Partial<T, true>>>(backend, data);
    return std::make_unique<StencilOperator<T, Partial<T, false>>>(backend, data);
  }
  if (data.block.equidistant() && data.decoupled < 0)
    return std::make_unique<StencilOperator<T, Equidistant<T>>>(backend, data);
  return std::make_unique<StencilOperator<T, TensorProduct<T>>>(backend, data);
}

}  // namespace poisson
