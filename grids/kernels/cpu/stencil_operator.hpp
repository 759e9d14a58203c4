#pragma once

#include <cmath>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/error.hpp"
#include "grids/kernels/cpu/colour_relaxation.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/line_relaxation.hpp"
#include "grids/kernels/cpu/sweep.hpp"
#include "grids/kernels/operators_on.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cpu {

/// Implements the verbs of an operator on the CPU with the point formulas of grids/rows/stencil.hpp, for one model of
/// Coefficients.
template <class T, class Coefficients>
class StencilOperator final : public StencilBase<T, Coefficients> {
  using Base = StencilBase<T, Coefficients>;
  using Base::backend_, Base::space_, Base::layout_, Base::unknowns_, Base::c_;

 public:
  using Row = typename Base::Row;
  using Neighbours = typename Row::Neighbours;

  template <class Own>
  StencilOperator(Backend& backend, const Own& rows)
      : StencilOperator(backend, rows, eigenvalue_bounds(rows), {backend, rows}) {}
  StencilOperator(Backend& backend, const LevelRows& rows, const EigenvalueBounds& bounds, typename Base::Tables tables,
                  std::string_view assembly = assembly_name<Coefficients>)
      : Base(backend, rows, bounds, std::move(tables), assembly), nx_(layout_.n[0]) {
    if (rows.singular) volume_ = sum_over([&](const auto& line, int i) { return line.mass(i); });
  }

  void do_apply(const Field& u, Field& Au) const override { apply_on(unknowns_, u, Au); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { apply_on(layout_.box(), u, Au); }

  void do_diagonal(Field& d) const override {
    const auto out = d.view<T>();
    sweep(c_, unknowns_, nx_,
          [&](int j, int k) { return [to = out.line(j, k)](const Row& a, int i) { to[i] = a.diagonal(); }; });
  }

  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      const auto vu = u.view<T>();
      const auto vb = b.view<T>();
      const auto out = r.view<R>();
      sweep_beside(u, unknowns_, [&](int j, int k) {
        return [in = vu.line(j, k), rhs = vb.line(j, k), to = out.line(j, k), sy = vu.sy, sz = vu.sz](const Row& a,
                                                                                                      int i) {
          to[i] = static_cast<R>(stencil::residual(a, Neighbours::at(in + i, sy, sz), rhs[i]));
        };
      });
    });
  }

  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      const auto vu = u.view<T>();
      const auto vb = b.view<T>();
      const auto out = r.view<R>();
      const T s = static_cast<T>(*scale.address());
      *norm.address() = sum_sweep_beside(backend_, u, c_, unknowns_, nx_, [&](int j, int k) {
        return [in = vu.line(j, k), rhs = vb.line(j, k), to = out.line(j, k), sy = vu.sy, sz = vu.sz, s](const Row& a,
                                                                                                         int i) {
          const T value = stencil::residual(a, Neighbours::at(in + i, sy, sz), rhs[i]);
          to[i] = static_cast<R>(s * value);
          return static_cast<double>(stencil::weighted_square(a, value));
        };
      });
    });
  }

  void do_norm(const Field& r, Scalar& norm) const override {
    const auto vr = r.view<T>();
    *norm.address() = sum_sweep(c_, space_, nx_, [&](int j, int k) {
      return
          [in = vr.line(j, k)](const Row& a, int i) { return static_cast<double>(stencil::weighted_square(a, in[i])); };
    });
  }

  void do_rounding(const Field& u, Scalar& norm) const override {
    const auto vu = u.view<T>();
    *norm.address() = sum_sweep(c_, space_, nx_, [&](int j, int k) {
      return [in = vu.line(j, k)](const Row& a, int i) {
        return static_cast<double>(a.diagonal()) * static_cast<double>(in[i]) * static_cast<double>(in[i]);
      };
    });
  }

  std::unique_ptr<SymmetricSplitting> split(std::optional<int> axis) const override {
    if (axis) return std::make_unique<LineSplitting>(*this, *axis);
    return std::make_unique<PointSplitting<StencilOperator>>(*this, Base::bound(axis));
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    return std::make_unique<ColourSplitting<StencilOperator>>(*this);
  }
  void point_start(double alpha, const Field& b, Field& u) const {
    const auto vb = b.view<T>();
    const auto out = u.view<T>();
    const T factor = static_cast<T>(alpha);
    sweep(c_, unknowns_, nx_, [&](int j, int k) {
      return [rhs = vb.line(j, k), to = out.line(j, k), factor](const Row& a, int i) {
        to[i] = factor * (T(1) / a.diagonal()) * rhs[i];
      };
    });
  }

  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    const auto vu = u.view<T>();
    const auto vb = b.view<T>();
    const auto out = previous.view<T>();
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    if (beta == T(0)) {  // the previous iterate may be infinite or NaN
      sweep_beside(u, unknowns_, [&](int j, int k) {
        return [in = vu.line(j, k), rhs = vb.line(j, k), to = out.line(j, k), sy = vu.sy, sz = vu.sz, alpha](
                   const Row& a, int i) {
          to[i] = stencil::polynomial(a, Neighbours::at(in + i, sy, sz), rhs[i], in[i], alpha, T(0));
        };
      });
    } else {
      sweep_beside(u, unknowns_, [&](int j, int k) {
        return [in = vu.line(j, k), rhs = vb.line(j, k), to = out.line(j, k), sy = vu.sy, sz = vu.sz, alpha, beta](
                   const Row& a, int i) {
          to[i] = stencil::polynomial(a, Neighbours::at(in + i, sy, sz), rhs[i], to[i], alpha, beta);
        };
      });
    }
  }

  void relax_colours(double omega, bool reversed, const Field& b, Field& u) const {
    const auto vu = u.view<T>();
    const auto vb = b.view<T>();
    const T w = static_cast<T>(omega);
    if constexpr (Base::star)
      relax_star_colours(c_, space_, nx_, backend_, w, reversed, vb, u, vu);
    else
      relax_box_colours(c_, space_, nx_, backend_, w, reversed, vb, u, vu);
  }

  void do_project_rhs(Field& b, Scalar& amount) const override {
    const auto vb = b.view<T>();
    const double total = sum_over_lines(space_, unknowns_, [&](int j, int k) {
      double sum = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) sum += static_cast<double>(vb(i, j, k));
      return sum;
    });
    *amount.address() = total;
    const double share = total / volume_;
    for_each_line(unknowns_, [&](int j, int k) {
      const auto line = c_.line(j, k);
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
        vb(i, j, k) -= static_cast<T>(share * static_cast<double>(line.mass(i)));
    });
  }

  void do_project_solution(Field& u) const override {
    const auto vu = u.view<T>();
    const double mean = sum_over_lines(space_, unknowns_,
                                       [&](int j, int k) {
                                         const auto line = c_.line(j, k);
                                         double sum = 0;
                                         for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
                                           sum += static_cast<double>(line.mass(i)) * static_cast<double>(vu(i, j, k));
                                         return sum;
                                       }) /
                        volume_;
    for_each_line(unknowns_, [&](int j, int k) {
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) vu(i, j, k) -= static_cast<T>(mean);
    });
  }

 private:
  class LineSplitting final : public BoundedSplitting {
   public:
    LineSplitting(const StencilOperator& A, int axis)
        : BoundedSplitting(A, A.bound(axis), true),
          A_(A),
          axis_(axis),
          periodic_(A.layout_.periodic[static_cast<std::size_t>(axis)]) {}

    void do_start(double alpha, const Field& b, Field& u) const override {
      const auto vb = b.view<T>();
      const auto out = u.view<T>();
      const T factor = static_cast<T>(alpha);
      solve_lines<T>(
          A_.c_, A_.unknowns_, axis_, periodic_,
          [&](int j, int k) { return [rhs = vb.line(j, k)](const Row&, int i) { return rhs[i]; }; },
          [=](int i, int j, int k, T e) { out(i, j, k) = factor * e; });
    }

    void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
      A_.backend_.exchange(u);
      const auto vu = u.view<T>();
      const auto vb = b.view<T>();
      const auto out = previous.view<T>();
      const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
      solve_lines<T>(
          A_.c_, A_.unknowns_, axis_, periodic_,
          [&](int j, int k) {
            return [in = vu.line(j, k), rhs = vb.line(j, k), sy = vu.sy, sz = vu.sz](const Row& a, int i) {
              return stencil::residual(a, Neighbours::at(in + i, sy, sz), rhs[i]);
            };
          },
          [=](int i, int j, int k, T e) {
            const T now = vu(i, j, k);
            out(i, j, k) = now + alpha * e + (beta == T(0) ? T(0) : beta * (now - out(i, j, k)));
          });
    }

   private:
    const StencilOperator& A_;
    int axis_;
    bool periodic_;
  };

  void apply_on(const Box& box, const Field& u, Field& Au) const {
    const auto vu = u.view<T>();
    const auto out = Au.view<T>();
    sweep_beside(u, box, [&](int j, int k) {
      return [in = vu.line(j, k), to = out.line(j, k), sy = vu.sy, sz = vu.sz](const Row& a, int i) {
        to[i] = stencil::apply(a, Neighbours::at(in + i, sy, sz));
      };
    });
  }

  /// Runs a sweep that reads u one value past the box, and exchanges the halo of u meanwhile.
  template <class Body>
  void sweep_beside(const Field& u, const Box& box, const Body& body) const {
    backend_.exchange_overlapped(u, box, [&](const Box& part) { sweep(c_, part, nx_, body); });
  }
  template <class F>
  double sum_over(const F& f) const {
    return sum_over_lines(space_, unknowns_, [&](int j, int k) {
      const auto line = c_.line(j, k);
      double sum = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) sum += static_cast<double>(f(line, i));
      return sum;
    });
  }

  int nx_;
  double volume_ = 0;
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
