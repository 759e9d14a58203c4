#pragma once

#include <memory>
#include <optional>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/error.hpp"
#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/kernels/cuda/element_march.cuh"
#include "grids/kernels/cuda/line_relaxation.cuh"
#include "grids/kernels/cuda/marched_models.hpp"
#include "grids/kernels/cuda/smoothing_steps.cuh"
#include "grids/operators/box_colours.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson::cuda {

/// Launches kernels that nvcc compiled with the program.
template <class T, class Coefficients>
class CompiledKernels {
  using Steps = SmoothingSteps<T, Coefficients>;

 public:
  static constexpr bool relaxes_lines = true;

  CompiledKernels(CudaBackend& device, const RowData&) : device_(device) {}

  cudaStream_t stream() const { return device_.stream(); }
  template <class Column>
  void columns(const Box& box, const Column& column) const {
    device_.for_columns<Steps>(box, column);
  }
  /// Whether verbs on a box share launches, and a functor that does.
  bool shares(const Box& box) const { return device_.shares(box); }
  template <class Column>
  void share(const Column& column) const {
    device_.share<Steps>(column);
  }
  template <class Column>
  void sum(const Box& box, const Column& column, const Scalar& result) const {
    sum_columns(device_.stream(), box, column, device_.partials(), result.address());
  }

 private:
  CudaBackend& device_;
};

/// The verbs of an operator on a CUDA device: the point formulas of grids/rows/stencil.hpp over one model of
/// Coefficients, in kernels that `Kernels` launches.
template <class T, class Coefficients, class Kernels = CompiledKernels<T, Coefficients>>
class StencilOperator final : public StencilBase<T, Coefficients> {
  using Base = StencilBase<T, Coefficients>;
  using Base::backend_, Base::layout_, Base::unknowns_, Base::c_;

 public:
  StencilOperator(Backend& backend, const RowData& data)
      : StencilOperator(backend, data, typename Base::Tables(backend, data)) {}
  StencilOperator(Backend& backend, const RowData& data, typename Base::Tables tables)
      : Base(backend, data, std::move(tables)),
        marched_(marched_model(c_, layout_)),
        kernels_(static_cast<CudaBackend&>(backend), data),
        mean_(backend.scalar()) {
    if (data.relaxation.extent == Extent::line) hold_lines(data);
    if (!data.singular) return;
    sum(Integral<T, Coefficients>{marched_, {}}, mean_);
    volume_ = backend.value(mean_);
  }

  void apply(const Field& u, Field& Au) const override { march(unknowns_, u, Apply<T>{view(Au)}); }
  void apply_everywhere(const Field& u, Field& Au) const override { march(layout_.box(), u, Apply<T>{view(Au)}); }
  void diagonal(Field& d) const override { rows(Diagonal<T>{view(d)}); }

  void residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) { march(unknowns_, u, Residual<T, R>{view(b), view<R>(r)}); });
  }
  void residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      backend_.exchange(u);
      const ScaledResidual<T, R> body{view(b), view<R>(r), scale.address()};
      walk(u, body, [&](const auto& column) { sum(column, norm); });
    });
  }
  void norm(const Field& r, Scalar& norm) const override {
    sum(EachRow<T, Coefficients, Norm<T>>{marched_, {view(r)}}, norm);
  }
  void rounding(const Field& u, Scalar& norm) const override {
    sum(EachRow<T, Coefficients, Rounding<T>>{marched_, {view(u)}}, norm);
  }

  void polynomial_start(double alpha, const Field& b, Field& u) const override {
    rows(PolynomialStart<T>{view(b), view(u), static_cast<T>(alpha)});
  }
  void polynomial_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    march(unknowns_, u, Polynomial<T>{view(b), view(previous), static_cast<T>(step.alpha), static_cast<T>(step.beta)});
  }
  void line_start(int axis, double alpha, const Field& b, Field& u) const override {
    lines(axis, {alpha, 0}, nullptr, b, u);
  }
  void line_step(int axis, PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    lines(axis, step, &u, b, previous);
  }
  void gauss_seidel(double omega, bool reversed, const Field& b, Field& u) const override {
    if constexpr (Base::star)
      relax_star(omega, reversed, b, u);
    else
      relax_box(omega, reversed, b, u);
  }

  void project_rhs(Field& b, Scalar& amount) const override {
    sum(Sum<T>{view(b)}, amount);
    columns(unknowns_, SubtractMean<T, Coefficients, true>{marched_, view(b), amount.address(), volume_});
  }
  void project_solution(Field& u) const override {
    sum(Integral<T, Coefficients>{marched_, view(u)}, mean_);
    columns(unknowns_, SubtractMean<T, Coefficients, false>{marched_, view(u), mean_.address(), volume_});
  }

 private:
  /// The walk along z that suits the model.
  template <class Body>
  using Walk = WalkOf<T, Coefficients, Body>;

  // Constant κ has its lines' rows on the axes.
  static constexpr bool separable = lines_on_axes<T, Coefficients>;

  void hold_lines(const RowData& data) {
    line_residual_ = Field(backend_, layout_, precision_of<T>);
    if constexpr (!separable && Kernels::relaxes_lines) {
      line_bands_.emplace(backend_, data.block, 2);
      kernels_.columns(layout_.box(),
                       FillLines<T, Coefficients>{c_, line_bands_->template views<2>(), data.relaxation.axis});
      line_bands_->exchange();
    }
  }
  void relax_star(double omega, bool reversed, const Field& b, Field& u) const {
    const Layout layout = Marched<Coefficients> ? marched(layout_) : layout_;
    const Colours colours(layout.n, layout.periodic);
    const GaussSeidel<T, Coefficients> relax{marched_, view(u), view(b), static_cast<T>(omega)};
    for (int c = 0; c < colours.count(); ++c) {
      backend_.exchange(u);
      const int colour = reversed ? colours.count() - 1 - c : c;
      if (colours.count() == 2) {
        Box pairs = unknowns_;
        pairs.first[0] = 0;
        pairs.last[0] = (unknowns_.last[0] - unknowns_.first[0] + 1) / 2;
        columns(pairs, TwoColours<T, Coefficients>{relax, colour, unknowns_.first[0], unknowns_.last[0]});
      } else {
        columns(unknowns_, AnyColours<T, Coefficients>{relax, colours, colour});
      }
    }
  }
  void relax_box(double omega, bool reversed, const Field& b, Field& u) const {
    const BoxColours colours(layout_.n, layout_.periodic);
    for (int c = 0; c < colours.count(); ++c) {
      backend_.exchange(u);
      const int colour = reversed ? colours.count() - 1 - c : c;
      BoxColour<T, Coefficients> relax{marched_, view(u), view(b), static_cast<T>(omega), {}};
      Box places{{0, 0, 0}, {0, 0, 0}};
      for (std::size_t d = 0; d < 3; ++d) {
        const auto along = colours.along(d, colour, unknowns_.first[d], unknowns_.last[d]);
        relax.first[d] = along.first;
        places.last[d] = along.count();
      }
      if (is_plane(layout_)) std::swap(relax.first[1], relax.first[2]);
      columns(places, relax);
    }
  }

  // Where rows are not in memory, small fields take the residual as the lines are solved; else it is worked out first.
  void lines(int axis, PolynomialStep step, const Field* u, const Field& b, Field& next) const {
    if constexpr (!Kernels::relaxes_lines) {
      throw RunError("lines are not relaxed by an operator that recomputes its coefficient: use assembly partial");
    } else {
      const bool shared = kernels_.shares(unknowns_) && line_length(axis, unknowns_) <= warp_line;
      const bool first = !separable || shared || takes_residual<T>(axis, unknowns_);
      if (u && first)
        march(unknowns_, *u, Residual<T, T>{view(b), view(line_residual_)});
      else if (u)
        backend_.exchange(*u);
      const Field& right = u && first ? line_residual_ : b;
      const auto lines = line_step_of(line_model(), axis, step, u, right, next, first);
      if (shared)
        kernels_.share(SmallLines<T, LineModel<T, Coefficients>>{lines, axis});
      else
        relax_lines(kernels_.stream(), axis, lines);
    }
  }
  auto line_model() const {
    if constexpr (separable)
      return this->line_coefficients();
    else
      return line_bands_.value().template model<LineBands<T>>();
  }
  template <class Model>
  LineStep<T, Model> line_step_of(const Model& c, int axis, PolynomialStep step, const Field* u, const Field& b,
                                  Field& next, bool known) const {
    return {c,
            u ? View<const T>(u->view<T>()) : View<const T>{},
            b.view<T>(),
            next.view<T>(),
            static_cast<T>(step.alpha),
            static_cast<T>(step.beta),
            Range(unknowns_),
            layout_.periodic[static_cast<std::size_t>(axis)],
            known};
  }
  /// A field, and a box, as kernels march through them.
  template <class X = T>
  static View<X> view(Field& field) {
    return Marched<Coefficients> ? marched(field.template view<X>()) : field.template view<X>();
  }
  template <class X = T>
  static View<const X> view(const Field& field) {
    return Marched<Coefficients> ? marched(field.template view<X>()) : field.template view<X>();
  }
  Box walked(const Box& box) const { return Marched<Coefficients> ? marched(box, layout_) : box; }

  template <class Column>
  void columns(const Box& box, const Column& column) const {
    kernels_.columns(walked(box), column);
  }
  template <class Body>
  void march(const Box& box, const Field& u, const Body& body) const {
    backend_.exchange(u);
    using Shared = typename WalkFor<T, Coefficients, Body>::Shared;
    if (kernels_.shares(walked(box))) return columns(box, Shared{marched_, view(u), body});
    walk(u, body, [&](const auto& column) { columns(box, column); });
  }
  /// launch(the walk that suits the model and the block).
  template <class Body, class Launch>
  void walk(const Field& u, const Body& body, const Launch& launch) const {
    if constexpr (Layered<Coefficients> && Marched<Coefficients>)
      if (is_plane(layout_)) return launch(March<T, Coefficients, Body, true>{marched_, view(u), body});
    launch(Walk<Body>{marched_, view(u), body});
  }
  template <class Body>
  void rows(const Body& body) const {
    columns(unknowns_, EachRow<T, Coefficients, Body>{marched_, body});
  }
  template <class Column>
  void sum(const Column& column, const Scalar& result) const {
    kernels_.sum(walked(unknowns_), column, result);
  }

  Coefficients marched_;  ///< c_ as kernels take it
  Kernels kernels_;
  Scalar mean_;
  std::optional<BandTables<T>> line_bands_;  ///< where lines are relaxed and κ varies
  mutable Field line_residual_;              ///< of operators that relax lines
  double volume_ = 1;
};

template <class T, class Coefficients>
using CompiledOperator = StencilOperator<T, Coefficients>;

template <class T>
std::unique_ptr<Operator> make_star_operator(Backend& backend, const RowData& data) {
  return make_stencil_operator<CompiledOperator, T>(backend, data);
}
template <class T, int Dimension>
std::unique_ptr<Operator> make_box_operator(Backend& backend, const RowData& data) {
  return make_box_stencil_operator<CompiledOperator, T, Dimension>(backend, data);
}
template <class T>
std::unique_ptr<Operator> make_face_operator(Backend& backend, const RowData& data) {
  return std::make_unique<StencilOperator<T, Faces<T>>>(backend, data);
}

}  // namespace poisson::cuda
