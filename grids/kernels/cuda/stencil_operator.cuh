#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/exchanging_columns.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/memory/error.hpp"
#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/kernels/cuda/box_lines.hpp"
#include "grids/kernels/cuda/compiled_kernels.cuh"
#include "grids/kernels/cuda/element_march.cuh"
#include "grids/kernels/cuda/line_relaxation.cuh"
#include "grids/kernels/cuda/marched_models.hpp"
#include "grids/kernels/cuda/paired_sweeps.hpp"
#include "grids/kernels/operators_on.hpp"
#include "grids/operators/box_colours.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/box_coefficients.hpp"

namespace poisson::cuda {

/// States whether a walk has a kernel that exchanges its own input: sweeps with constant κ, and the residual after
/// them.
template <class T, class Coefficients, class Body>
inline constexpr bool exchanges_by_itself = lines_on_axes<T, Coefficients>&&
    std::disjunction_v<std::is_same<Body, Polynomial<T>>, std::is_same<Body, Residual<T, T>>>;

/// States whether rows come from tables of the axes: κ is constant.
template <class T, class Coefficients>
inline constexpr bool constant_coefficients =
    lines_on_axes<T, Coefficients> || std::is_same_v<Coefficients, BoxProduct<T, 2>> ||
    std::is_same_v<Coefficients, BoxProduct<T, 3>>;

/// `StencilOperator` implements the verbs of an operator on a CUDA device: the point formulas of grids/rows/stencil.hpp
/// over one model of Coefficients. `Kernels` launches the kernels.
template <class T, class Coefficients, class Kernels = CompiledKernels<T, Coefficients>>
class StencilOperator final : public StencilBase<T, Coefficients> {
  using Base = StencilBase<T, Coefficients>;
  using Base::backend_, Base::space_, Base::layout_, Base::unknowns_, Base::c_;
  using Row = typename Base::Row;

 public:
  template <class Own>
  StencilOperator(Backend& backend, const Own& rows)
      : StencilOperator(backend, rows, eigenvalue_bounds(rows), {backend, rows}) {}
  template <class Own>
  StencilOperator(Backend& backend, const Own& rows, const EigenvalueBounds& bounds, typename Base::Tables tables,
                  std::string_view assembly = assembly_name<Coefficients>)
      : Base(backend, rows, bounds, std::move(tables), assembly),
        marched_(marched_model(c_, layout_)),
        kernels_(static_cast<CudaBackend&>(backend), rows),
        mean_(backend.scalar()) {
    if (!rows.singular) return;
    sum(Integral<T, Coefficients>{marched_, {}}, mean_);
    volume_ = backend.value(mean_);
    if constexpr (constant_coefficients<T, Coefficients>) {
      sum(EachRow<T, Coefficients, SquareOfMass<T, Coefficients>>{marched_, {marched_}}, mean_);
      removed_ = backend.value(mean_) / (volume_ * volume_);
    }
  }

  void do_apply(const Field& u, Field& Au) const override { march(unknowns_, u, Apply<T>{view(Au)}); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { march(layout_.box(), u, Apply<T>{view(Au)}); }
  void do_diagonal(Field& d) const override { rows(Diagonal<T>{view(d)}); }

  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) { march(unknowns_, u, Residual<T, R>{view(b), view<R>(r)}); });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      march_and_sum(u, ScaledResidual<T, R>{view(b), view<R>(r), scale.address()}, norm);
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    sum(EachRow<T, Coefficients, Norm<T>>{marched_, {view(r)}}, norm);
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    sum(EachRow<T, Coefficients, Rounding<T>>{marched_, {view(u)}}, norm);
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    const std::optional<int> axis = relaxation.line();
    if (!axis) return std::make_unique<PointSteps>(*this, Base::bound(axis));
    if constexpr (Kernels::relaxes_lines)
      return std::make_unique<LineSplitting>(*this, *axis);
    else
      throw RunError("lines are not relaxed by an operator that recomputes its coefficient (it must be stored)");
  }
  std::unique_ptr<Splitting> split_by_colours() const override { return std::make_unique<ColourSteps>(*this); }
  void relax_colours(double omega, bool reversed, const Field& b, Field& u) const {
    if constexpr (Base::star)
      relax_star(omega, reversed, b, u);
    else
      relax_box(omega, reversed, b, u);
  }

  using Operator::project_rhs;
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    if constexpr (constant_coefficients<T, Coefficients>) {
      this->timed(traffic("project rhs"), {&b}, [this, &b, &amount, &before, &after] {
        sum(Sum<T>{view(b)}, amount);
        sum(ProjectRhs<T, Coefficients>{marched_, view(b), amount.address(), volume_}, after);
        on_scalars(kernels_.stream(), AddRemoved{amount.address(), after.address(), before.address(), removed_});
      });
    } else {
      Operator::project_rhs(b, amount, before, after);
    }
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    sum(Sum<T>{view(b)}, amount);
    columns(unknowns_, SubtractMean<T, Coefficients, true>{marched_, view(b), amount.address(), volume_});
  }
  void do_project_solution(Field& u) const override {
    sum(Integral<T, Coefficients>{marched_, view(u)}, mean_);
    columns(unknowns_, SubtractMean<T, Coefficients, false>{marched_, view(u), mean_.address(), volume_});
  }

 private:
  /// `pairs` states whether the model has kernels with two columns a thread; `takes_pairs` returns whether this
  /// operator uses them.
  static constexpr bool pairs = paired<T, Coefficients>;
  bool takes_pairs() const {
    if constexpr (pairs)
      return c_.decoupled < 0 && has_paired_sweeps(space_, precision_of<T>);
    else
      return false;
  }

  /// `Walk` is the walk along z for the model.
  template <class Body>
  using Walk = WalkOf<T, Coefficients, Body>;

  // The splittings (stencil_splittings.cuh).
  class PointSteps;
  class ColourSteps;
  class LineSplitting;

  // One pass relaxes the values that have no neighbour beyond a cut. The layers at cuts relax the first colour before
  // the pass, so that it is exchanged meanwhile, and the second colour after the pass.
  void relax_both(double omega, bool reversed, const Field& b, Iterate& u) const {
    const auto& [x, y, z] = space_.part().origin();
    const int parity = (reversed ? 1 : 0) + x + y + z;
    const bool from_zero = u.zero && space_.is_global();
    if (u.zero && !from_zero) backend_.fill(*u.now, 0);
    if (!from_zero) backend_.exchange(*u.now);
    Field& next = *u.other;
    const auto relax = [&](const Box& box) {
      relax_both_colours<T>(kernels_.stream(), c_, space_, box, omega, parity, from_zero, *u.now, b, next);
    };
    if (space_.is_global()) {
      relax(unknowns_);
    } else {
      const Box inner = away_from_cuts();
      const std::vector<Box> layers = around(unknowns_, inner);
      for (const Box& layer : layers)
        relax_first_colour<T>(kernels_.stream(), c_, layer, omega, parity, *u.now, b, next);
      bool relaxed = false;
      backend_.exchange_overlapped(next, unknowns_, [&](const Box&) {
        if (!std::exchange(relaxed, true)) relax(inner);
      });
      for (const Box& layer : layers)
        relax_colour({marched_, view(next), view(b), static_cast<T>(omega)}, parity + 1, layer);
    }
    u = {u.other, u.now, false};
  }
  // Returns the unknowns that have no neighbour beyond a cut.
  Box away_from_cuts() const {
    Box inner = unknowns_;
    for (std::size_t d = 0; d < 3; ++d) {
      if (space_.part().cuts().count(d) == 1) continue;
      const auto goes_on = [&](std::size_t end) {
        return space_.part().closed()[d] || !space_.part().ends_here(d, end);
      };
      if (goes_on(0)) inner.first[d] = std::min(inner.first[d] + 1, inner.last[d]);
      if (goes_on(1)) inner.last[d] = std::max(inner.last[d] - 1, inner.first[d]);
    }
    return inner;
  }

  void relax_star(double omega, bool reversed, const Field& b, Field& u) const {
    Colours colours = colours_on<Colours>(space_);
    if (Marched<Coefficients> && is_plane(layout_)) colours = colours.with_y_and_z_swapped();
    const auto& [x, y, z] = space_.part().origin();
    const GaussSeidel<T, Coefficients> relax{marched_, view(u), view(b), static_cast<T>(omega)};
    for (int c = 0; c < colours.count(); ++c) {
      const int colour = reversed ? colours.count() - 1 - c : c;
      backend_.exchange_overlapped(u, unknowns_, [&](const Box& part) {
        if (colours.count() == 2) {
          relax_colour(relax, colour + x + y + z, part);
        } else {
          columns(part, AnyColours<T, Coefficients>{relax, colours, colour});
        }
      });
    }
  }
  // Relaxes the values of a part with i + j + k + colour even.
  void relax_colour(const GaussSeidel<T, Coefficients>& relax, int colour, const Box& part) const {
    Box pairs = part;
    pairs.first[0] = 0;
    pairs.last[0] = (part.last[0] - part.first[0] + 1) / 2;
    columns(pairs, TwoColours<T, Coefficients>{relax, colour, part.first[0], part.last[0]});
  }
  void relax_box(double omega, bool reversed, const Field& b, Field& u) const {
    const auto colours = colours_on<BoxColours>(space_);
    if constexpr (of_box_bands<T, Coefficients>)
      if (space_.part().cuts().count(0) == 1 && !space_.part().closed()[0])
        return relax_whole_lines(colours, omega, reversed, b, u);
    for (int c = 0; c < colours.count(); ++c)
      backend_.exchange_overlapped(u, unknowns_, [&](const Box& part) {
        relax_box(colours, reversed ? colours.count() - 1 - c : c, omega, b, u, part);
      });
  }
  void relax_box(const BoxColours& colours, int colour, double omega, const Field& b, Field& u, const Box& part) const {
    BoxColour<T, Coefficients> relax{marched_, view(u), view(b), static_cast<T>(omega), {}};
    Box places{{0, 0, 0}, {0, 0, 0}};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto along = colours.along(d, colour, part.first[d], part.last[d]);
      relax.first[d] = along.first;
      places.last[d] = along.count();
    }
    if (is_plane(layout_)) std::swap(relax.first[1], relax.first[2]);
    columns(places, relax);
  }
  // Relaxes complete lines along x. The colours of a line follow each other without an exchange, because no
  // neighbouring line changes meanwhile.
  void relax_whole_lines(const BoxColours& colours, double omega, bool reversed, const Field& b, Field& u) const {
    const int across = colours.colours[1] * colours.colours[2];
    const auto colour_of = [&](int c) { return (reversed ? across - 1 - c : c) * colours.colours[0]; };
    const auto lines_of = [&](int colour, const Box& part) {
      LineSet lines{};
      for (std::size_t d = 1; d < 3; ++d) {
        const auto along = colours.along(d, colour, part.first[d], part.last[d]);
        lines.first[d - 1] = along.first;
        lines.count[d - 1] = along.count();
      }
      return lines;
    };
    const auto relax = [&](const Box& part, std::span<const LineSet> sets) {
      relax_lines_of_boxes(kernels_.stream(),
                           BoxLines<T, Row::dimension>{c_, u.template view<T>(), b.template view<T>(),
                                                       static_cast<T>(omega), reversed, part.first[0], part.last[0]},
                           sets);
    };
    const auto& closed = space_.part().closed();
    if (space_.is_global() && !closed[1] && !closed[2] && !kernels_.shares(unknowns_)) {  // nothing to exchange
      std::array<LineSet, 4> sets;
      for (int c = 0; c < across; ++c) sets[static_cast<std::size_t>(c)] = lines_of(colour_of(c), unknowns_);
      return relax(unknowns_, std::span(sets).first(static_cast<std::size_t>(across)));
    }
    for (int c = 0; c < across; ++c)
      backend_.exchange_overlapped(u, unknowns_, [&](const Box& part) {
        if (kernels_.shares(part)) {
          for (int x = 0; x < colours.colours[0]; ++x)
            relax_box(colours, colour_of(c) + (reversed ? colours.colours[0] - 1 - x : x), omega, b, u, part);
        } else {
          const LineSet lines = lines_of(colour_of(c), part);
          relax(part, {&lines, 1});
        }
      });
  }

  /// Return a field, and a box, in the form through which kernels march.
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
  /// Evaluates body at the points of a box; body reads u and its halo. `already_sent` means that the kernel that
  /// computed u has already sent u to the neighbours. `made` is the field that this kernel writes and the next one
  /// reads, or null. Returns whether this kernel has sent `made` to the neighbours.
  template <class Body>
  bool march(const Box& box, const Field& u, const Body& body, bool already_sent = false,
             const Field* made = nullptr) const {
    using Shared = typename WalkFor<T, Coefficients, Body>::Shared;
    if (kernels_.shares(walked(box))) {
      backend_.exchange(u);
      columns(box, Shared{marched_, view(u), body});
      return false;
    }
    if constexpr (exchanges_by_itself<T, Coefficients, Body>)
      if (const auto ends = column_ends<T>(static_cast<CudaBackend&>(backend_), u, box, already_sent, made)) {
        kernels_.columns(box, Walk<Body>{marched_, view(u), body}, *ends);
        return made != nullptr;
      }
    backend_.exchange_overlapped(
        u, box, [&](const Box& part) { walk(u, body, [&](const auto& column) { columns(part, column); }); });
    return false;
  }
  /// Evaluates body at all unknowns, and sums its results. Parts consist of complete planes, which are summed
  /// separately.
  template <class Body>
  void march_and_sum(const Field& u, const Body& body, const Scalar& result) const {
    const Box all = walked(unknowns_);
    PlaneSums sums(all, Tiling(all), depth());
    const auto part_of_planes = [&](const Box& part) {
      walk(u, body, [&](const auto& column) {
        const Box box = walked(part);
        sums = kernels_.sum_parts(box, box.first[2] - all.first[2], planes_of(all), depth(), column);
      });
    };
    if (sums.thickness == 1) {
      backend_.exchange_overlapped(u, unknowns_, part_of_planes, marched_axis());
    } else {
      backend_.exchange(u);
      part_of_planes(unknowns_);
    }
    add_up(sums, result);
  }
  /// Calls launch with the walk for the model and the block.
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
    const Box box = walked(unknowns_);
    add_up(kernels_.sum_parts(box, 0, planes_of(box), depth(), column), result);
  }
  void add_up(const PlaneSums& sums, const Scalar& result) const {
    static_cast<CudaBackend&>(backend_).add_up(space_, sums, planes_of(walked(unknowns_)), result);
  }
  static int planes_of(const Box& box) { return box.last[2] - box.first[2]; }
  /// `marched_axis` returns the axis along which kernels march; `depth` returns the number of planes of the global grid
  /// along it.
  std::size_t marched_axis() const { return Marched<Coefficients> && is_plane(layout_) ? 1 : 2; }
  int depth() const { return space_.part().all()[marched_axis()]; }

  Coefficients marched_;  ///< marched c_
  Kernels kernels_;
  Scalar mean_;
  double volume_ = 1, removed_ = 0;  ///< 1ᵀM1, and Σ (M1)²/D over its square
};

template <class T, class Coefficients>
using CompiledOperator = StencilOperator<T, Coefficients>;

}  // namespace poisson::cuda

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<Operator> OperatorsOn<OnCuda>::star(Backend& backend, const Own& rows) {
  return make_stencil_operator<cuda::CompiledOperator, T>(backend, rows);
}
template <>
template <class T, int dimension, bool tensor>
std::unique_ptr<Operator> OperatorsOn<OnCuda>::box(Backend& backend, const ElementRows& rows) {
  return make_box_stencil_operator<cuda::CompiledOperator, T, dimension, tensor>(backend, rows);
}

}  // namespace poisson

#include "grids/kernels/cuda/stencil_splittings.cuh"
