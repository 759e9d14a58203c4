#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grids/operators/axis_tables.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/box_tables.hpp"
#include "grids/operators/eigenvalue_bound.hpp"
#include "grids/operators/operator.hpp"
#include "grids/rows/band_coefficients.hpp"

namespace poisson {

/// Names a model as a function argument.
template <class Coefficients>
struct Model {};

/// Calls f with the model of Coefficients for these rows.
template <class T, class F>
auto with_model(const LevelRows& rows, const F& f) {
  return rows.block.equidistant() && rows.decoupled < 0 ? f(Model<Equidistant<T>>()) : f(Model<TensorProduct<T>>());
}
template <class T, class F>
auto with_model(const NodeRows& rows, const F& f) {
  return rows.isotropic() ? f(Model<Partial<T, true>>()) : f(Model<Partial<T, false>>());
}
template <class T, class F>
auto with_model(const FaceRows&, const F& f) {
  return f(Model<Faces<T>>());
}
/// `tensor` must equal rows.tensor().
template <class T, int dimension, bool tensor, class F>
auto with_box_model(const ElementRows& rows, const F& f) {
  if constexpr (tensor)
    return rows.full_tensor() ? f(Model<BoxPartial<T, dimension, Tensor::full>>())
                              : f(Model<BoxPartial<T, dimension, Tensor::diagonal>>());
  else
    return rows.variable() ? f(Model<BoxPartial<T, dimension, Tensor::isotropic>>())
                           : f(Model<BoxProduct<T, dimension>>());
}
template <class T, class F>
auto with_model(const ElementRows& rows, const F& f) {
  return with_box_kind(rows,
                       [&]<int dimension, bool tensor>() { return with_box_model<T, dimension, tensor>(rows, f); });
}

/// Returns the colours of a part's values, which are their colours in the global grid.
template <class Colours>
Colours colours_on(const Space& space) {
  return {space.part().all(), space.part().closed(), space.part().origin()};
}

/// Contains the common parts of the operators of all backends: the data of a level and its model of Coefficients. The
/// verbs are those of Base.
template <class T, class Coefficients, class Base = Operator>
class StencilBase : public Base {
 public:
  using Tables = typename TablesFor<T, Coefficients>::Type;
  using Row = decltype(std::declval<const Coefficients&>().line(0, 0).row(0));
  static constexpr bool star = std::is_same_v<Row, poisson::Row<T>>;  ///< 5 or 7 points, otherwise 9 or 27

  StencilBase(Backend& backend, const LevelRows& rows, const EigenvalueBounds& bounds, Tables tables,
              std::string_view assembly)
      : backend_(backend),
        space_(rows.block.space()),
        layout_(space_.part().layout()),
        unknowns_(space_.part().unknowns()),
        scale_(rows.scale),
        singular_(rows.singular),
        assembly_(!star && assembly == "tensor-product" && rows.block.equidistant() ? "equidistant" : assembly),
        bounds_(bounds),
        tables_(std::move(tables)),
        c_(tables_.template model<Coefficients>()) {
    backend.reserve_halo_buffers(space_);
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return space_; }
  std::string_view assembly() const override { return assembly_; }
  double scale() const override { return scale_; }
  bool singular() const override { return singular_; }
  std::size_t bytes() const override { return tables_.bytes(); }

 protected:
  /// Returns the bound of the largest eigenvalue of B⁻¹A.
  const EigenvalueBound& bound(std::optional<int> axis) const {
    return axis ? bounds_.of_lines[*axis] : bounds_.of_points;
  }

  Backend& backend_;
  Space space_;
  const Layout& layout_;
  const Box& unknowns_;

 private:
  double scale_;
  bool singular_;
  std::string_view assembly_;
  EigenvalueBounds bounds_;
  Tables tables_;

 protected:
  /// Returns the model for line relaxation. For constant κ, the model of general axes also serves equal cells.
  auto line_coefficients() const {
    if constexpr (std::is_same_v<Coefficients, Equidistant<T>>)
      return tables_.template model<TensorProduct<T>>();
    else
      return c_;
  }
  Coefficients c_;  // refers to the tables
};

/// Creates a backend's StencilOperator<T, Coefficients> with the model for rows of finite volumes.
template <template <class, class> class StencilOperator, class T, class Own>
std::unique_ptr<Operator> make_stencil_operator(Backend& backend, const Own& rows) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, rows);
  });
}
/// Creates the operator for elements.
template <template <class, class> class StencilOperator, class T, int dimension, bool tensor>
std::unique_ptr<Operator> make_box_stencil_operator(Backend& backend, const ElementRows& rows) {
  return with_box_model<T, dimension, tensor>(
      rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
        return std::make_unique<StencilOperator<T, Coefficients>>(backend, rows);
      });
}

/// Creates an operator that stores the rows of the model for its data as bands. fill(model, tables) computes them.
template <template <class, class> class StencilOperator, class T, class Own, class Fill>
std::unique_ptr<Operator> make_filled_operator(Backend& backend, const Own& rows, const Fill& fill) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    using Row = typename StencilBase<T, Coefficients>::Row;
    BandTables<T> tables(backend, rows.block, stored_bands<Row>(rows.block));
    {
      const typename StencilBase<T, Coefficients>::Tables source(backend, rows);
      fill(source.template model<Coefficients>(), tables);
    }
    return std::make_unique<StencilOperator<T, typename BandsOf<Row>::Type>>(backend, rows, eigenvalue_bounds(rows),
                                                                             std::move(tables));
  });
}

/// Creates an operator from existing bands. circles(model) returns Gershgorin's bound.
template <template <class, class> class StencilOperator, class T, class Circles>
std::unique_ptr<Operator> make_operator_of(Backend& backend, const LevelRows& rows, const Bands& bands,
                                           const Circles& circles) {
  const int dimension = bands.layout().n[2] == 1 ? 2 : 3;
  const auto make = [&]<class Coefficients>(Model<Coefficients>,
                                            const std::vector<Offset>& stored) -> std::unique_ptr<Operator> {
    BandTables<T> tables(backend, rows.block, stored, bands);
    const double most = rows.block.processes().largest(circles(tables.template model<Coefficients>()));
    return std::make_unique<StencilOperator<T, Coefficients>>(backend, rows, bounds_of_bands(most), std::move(tables),
                                                              "bands");
  };
  if (is_star(bands.offsets)) return make(Model<StarBands<T>>(), star_offsets(dimension));
  return dimension == 2 ? make(Model<BoxBands<T, 2>>(), box_offsets(2)) : make(Model<BoxBands<T, 3>>(), box_offsets(3));
}

}  // namespace poisson
