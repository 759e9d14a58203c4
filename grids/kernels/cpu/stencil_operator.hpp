#pragma once

#include "grids/kernels/cpu/line_operator.hpp"
#include "grids/kernels/cpu/sweep.hpp"
#include "grids/kernels/operators_on.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cpu {

/// Return the couplings of a row along an axis.
template <class T>
constexpr T before(const Row<T>& a, int axis) {
  return axis == 0 ? a.west : axis == 1 ? a.south : a.bottom;
}
template <class T>
constexpr T after(const Row<T>& a, int axis) {
  return axis == 0 ? a.east : axis == 1 ? a.north : a.top;
}

/// Computes segments of lines with the point formulas of grids/rows/stencil.hpp, for one model of Coefficients.
template <class T, class Coefficients>
class StencilOperator final : public StencilBase<T, Coefficients, LineOperator<T>> {
  using Base = StencilBase<T, Coefficients, LineOperator<T>>;
  using Base::c_;

 public:
  using Row = typename Base::Row;
  using Neighbours = typename Row::Neighbours;

  template <class Own>
  StencilOperator(Backend& backend, const Own& rows)
      : StencilOperator(backend, rows, eigenvalue_bounds(rows), {backend, rows}) {}
  StencilOperator(Backend& backend, const LevelRows& rows, const EigenvalueBounds& bounds, typename Base::Tables tables,
                  std::string_view assembly = assembly_name<Coefficients>)
      : Base(backend, rows, bounds, std::move(tables), assembly) {
    if (rows.singular) this->measure_volume();
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    const std::optional<int> axis = relaxation.line();
    return this->split_with(Base::bound(axis), axis);
  }

 private:
  void times(const Segment& s, const View<const T>& u, T* to) const override {
    on(s, [in = u.line(s.j, s.k), sy = u.sy, sz = u.sz, to](const Row& a, int i) {
      to[i] = stencil::apply(a, Neighbours::at(in + i, sy, sz));
    });
  }
  void residual(const Segment& s, const View<const T>& u, const T* b, T* to) const override {
    on(s, [in = u.line(s.j, s.k), sy = u.sy, sz = u.sz, b, to](const Row& a, int i) {
      to[i] = stencil::residual(a, Neighbours::at(in + i, sy, sz), b[i]);
    });
  }
  void residual(const Segment& s, const View<const T>& u, const T* b, T scale, T* to, double* terms) const override {
    on(s, [in = u.line(s.j, s.k), sy = u.sy, sz = u.sz, b, scale, to, terms](const Row& a, int i) {
      const T value = stencil::residual(a, Neighbours::at(in + i, sy, sz), b[i]);
      to[i] = scale * value;
      terms[i] = static_cast<double>(stencil::weighted_square(a, value));
    });
  }
  void diagonal(const Segment& s, T* to) const override {
    on(s, [to](const Row& a, int i) { to[i] = a.diagonal(); });
  }
  void step(const Segment& s, const View<const T>& u, const T* b, T alpha, T beta, T* previous) const override {
    const T* const in = u.line(s.j, s.k);
    if (beta == T(0))  // the previous iterate may be infinite or NaN
      on(s, [in, sy = u.sy, sz = u.sz, b, alpha, previous](const Row& a, int i) {
        previous[i] = stencil::polynomial(a, Neighbours::at(in + i, sy, sz), b[i], in[i], alpha, T(0));
      });
    else
      on(s, [in, sy = u.sy, sz = u.sz, b, alpha, beta, previous](const Row& a, int i) {
        previous[i] = stencil::polynomial(a, Neighbours::at(in + i, sy, sz), b[i], previous[i], alpha, beta);
      });
  }
  void couplings(const Segment& s, int axis, T* below, T* diagonal, T* above) const override {
    on(s, [axis, below, diagonal, above](const Row& a, int i) {
      below[i] = before(a, axis);
      diagonal[i] = a.diagonal();
      above[i] = after(a, axis);
    });
  }
  void masses(const Segment& s, T* to) const override {
    const auto line = c_.line(s.j, s.k);
    for (int i = s.first; i < s.last; ++i) to[i] = line.mass(i);
  }
  bool is_star() const override { return Base::star; }
  void relaxed([[maybe_unused]] const Segment& s, [[maybe_unused]] const View<const T>& u, [[maybe_unused]] const T* b,
               [[maybe_unused]] T omega, [[maybe_unused]] T* to) const override {
    if constexpr (Base::star)
      on(s, [in = u.line(s.j, s.k), sy = u.sy, sz = u.sz, b, omega, to](const Row& a, int i) {
        to[i] = stencil::gauss_seidel(a, Neighbours::at(in + i, sy, sz), b[i], omega);
      });
  }
  void without_line([[maybe_unused]] const Segment& s, [[maybe_unused]] const View<const T>& u,
                    [[maybe_unused]] const T* b, [[maybe_unused]] T omega, [[maybe_unused]] T* rest,
                    [[maybe_unused]] T* below, [[maybe_unused]] T* above, [[maybe_unused]] T* factor) const override {
    if constexpr (!Base::star)
      on(s, [in = u.line(s.j, s.k), sy = u.sy, sz = u.sz, b, omega, rest, below, above, factor](const Row& a, int i) {
        constexpr int centre = box_centre<Row::dimension>;
        rest[i] = b[i] - a.times_beside(Neighbours::at(in + i, sy, sz));
        below[i] = a.at[centre - 1];
        above[i] = a.at[centre + 1];
        factor[i] = omega * stencil::reciprocal(a.diagonal());
      });
  }

  /// Calls point(row, i) for the values of a segment.
  template <class Point>
  void on(const Segment& s, const Point& point) const {
    for_line(c_.line(s.j, s.k), s.first, s.last, this->layout_.n[0], point);
  }
};

}  // namespace poisson::cpu

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<Operator> OperatorsOn<OnHost>::star(Backend& backend, const Own& rows) {
  return make_stencil_operator<cpu::StencilOperator, T>(backend, rows);
}
template <>
template <class T, int dimension, bool tensor>
std::unique_ptr<Operator> OperatorsOn<OnHost>::box(Backend& backend, const ElementRows& rows) {
  return make_box_stencil_operator<cpu::StencilOperator, T, dimension, tensor>(backend, rows);
}

}  // namespace poisson
