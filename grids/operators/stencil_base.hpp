#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grids/operators/axis_tables.hpp"
#include "grids/operators/box_tables.hpp"
#include "grids/operators/eigenvalue_bound.hpp"
#include "grids/operators/operator.hpp"
#include "grids/rows/coefficients.hpp"

namespace poisson {

/// The name of a model, to pass around.
template <class Coefficients>
struct Model {};

/// Whether constant coefficients need no tables: between equal cells, where value 0 is the only one that may differ
/// from those inside beside the last one. A window that begins inside the axis and reaches its upper end has tables.
inline bool without_tables(const Block& block) {
  const auto begins_inside = [](const Axis& axis) { return !axis.open(0) && axis.open(1); };
  return block.equidistant() && std::ranges::none_of(block.axes, begins_inside);
}

/// Calls f with the model of finite volumes that the data call for.
template <class T, class F>
auto with_star_model(const RowData& data, const F& f) {
  if (data.variable()) return data.isotropic ? f(Model<Partial<T, true>>()) : f(Model<Partial<T, false>>());
  return without_tables(data.block) && data.decoupled < 0 ? f(Model<Equidistant<T>>()) : f(Model<TensorProduct<T>>());
}
/// The same of elements.
template <class T, int dimension, class F>
auto with_box_model(const RowData& data, const F& f) {
  if (!data.variable()) return f(Model<BoxProduct<T, dimension>>());
  if (data.full_tensor()) return f(Model<BoxPartial<T, dimension, Tensor::full>>());
  return data.isotropic ? f(Model<BoxPartial<T, dimension, Tensor::isotropic>>())
                        : f(Model<BoxPartial<T, dimension, Tensor::diagonal>>());
}

/// What the operators of all backends have in common: the data of a level and its model of Coefficients.
template <class T, class Coefficients>
class StencilBase : public Operator {
 public:
  using Tables = typename TablesFor<T, Coefficients>::Type;
  using Row = decltype(std::declval<const Coefficients&>().line(0, 0).row(0));
  static constexpr bool star = std::is_same_v<Row, poisson::Row<T>>;  ///< 5 or 7 points, else 9 or 27

  StencilBase(Backend& backend, const RowData& data, Tables tables)
      : backend_(backend),
        space_(data.block.space()),
        layout_(space_.layout()),
        unknowns_(space_.unknowns()),
        scale_(data.scale),
        singular_(data.singular),
        assembly_(data.bound ? std::string_view("bands")
                  : star || assembly_name<Coefficients> != "tensor-product" || !data.block.equidistant()
                      ? assembly_name<Coefficients>
                      : std::string_view("equidistant")),
        of_points_(bound_of(data, {})),
        of_lines_{bound_of(data, 0), bound_of(data, 1), bound_of(data, 2)},
        tables_(std::move(tables)),
        c_(tables_.template model<Coefficients>()) {}

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return space_; }
  std::string_view assembly() const override { return assembly_; }
  double scale() const override { return scale_; }
  bool singular() const override { return singular_; }
  std::size_t bytes() const override { return tables_.bytes(); }

 protected:
  /// Of the largest eigenvalue of B⁻¹A.
  const EigenvalueBound& bound(std::optional<int> axis) const {
    return axis ? of_lines_[static_cast<std::size_t>(*axis)] : of_points_;
  }

  Backend& backend_;
  Space space_;
  const Layout& layout_;
  const Box& unknowns_;

 private:
  // 5 and 7 points: Gershgorin's, since Σ|a_ij| ≤ a_ii in every row.
  static EigenvalueBound bound_of(const RowData& data, std::optional<int> axis) {
    if (data.bound) return {*data.bound, !axis, !axis};
    if (star) return {};
    const bool far = data.variable() && !data.isotropic;
    return {axis ? element_line_bound(data, *axis) : element_bound(data), !data.full_tensor(),
            !data.full_tensor() && !far};
  }

  double scale_;
  bool singular_;
  std::string_view assembly_;
  EigenvalueBound of_points_;
  std::array<EigenvalueBound, 3> of_lines_;
  Tables tables_;

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

/// A backend's StencilOperator<T, Coefficients> of finite volumes for the assembly mode that the data call for.
template <template <class, class> class StencilOperator, class T>
std::unique_ptr<Operator> make_stencil_operator(Backend& backend, const RowData& data) {
  return with_star_model<T>(data, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, data);
  });
}

/// The same of elements.
template <template <class, class> class StencilOperator, class T, int dimension>
std::unique_ptr<Operator> make_box_stencil_operator(Backend& backend, const RowData& data) {
  return with_box_model<T, dimension>(data, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, data);
  });
}

}  // namespace poisson
