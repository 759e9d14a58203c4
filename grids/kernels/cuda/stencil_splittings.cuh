#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "grids/kernels/cuda/stencil_operator.cuh"

/// The splittings of StencilOperator.
namespace poisson::cuda {

/// Each step sends the neighbours the values that the next step reads beyond cuts.
template <class T, class Coefficients, class Kernels>
class StencilOperator<T, Coefficients, Kernels>::PointSteps final : public BoundedSplitting {
 public:
  PointSteps(const StencilOperator& A, const EigenvalueBound& bound) : BoundedSplitting(A, bound), A_(A) {}
  void do_start(double alpha, const Field& b, Field& u) const override {
    A_.rows(PolynomialStart<T>{view(b), view(u), static_cast<T>(alpha)});
  }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    take(step, u, b, previous, false, nullptr);
  }
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    if (steps.empty()) return;
    if (A_.backend_.reports()) return BoundedSplitting::take(steps, reversed, b, u);  // each step by itself
    std::size_t s = 0;
    if (u.zero) {
      const std::size_t first = std::min<std::size_t>(steps.size(), 2);  // the second step reads the zero guess
      BoundedSplitting::take(steps.first(first), reversed, b, u);
      s = first;
    }
    for (bool already_sent = false; s < steps.size(); ++s, std::swap(u.now, u.other))
      already_sent = take(steps[s], *u.now, b, *u.other, already_sent, s + 1 < steps.size() ? u.other : nullptr);
  }

 private:
  // `already_sent` and `made` are those of march().
  bool take(PolynomialStep step, const Field& u, const Field& b, Field& previous, bool already_sent,
            const Field* made) const {
    if constexpr (pairs)
      if (A_.takes_pairs() && !A_.kernels_.shares(A_.unknowns_)) {
        A_.backend_.exchange_overlapped(u, A_.unknowns_, [&](const Box& part) {
          take_paired_step<T>(A_.kernels_.stream(), A_.c_, part, step, u, b, previous);
        });
        return false;
      }
    const Polynomial<T> body{view(b), view(previous), static_cast<T>(step.alpha), static_cast<T>(step.beta)};
    return A_.march(A_.unknowns_, u, body, already_sent, made);
  }

  const StencilOperator& A_;
};

/// Both colours share a pass if the iterate has a second field to write to.
template <class T, class Coefficients, class Kernels>
class StencilOperator<T, Coefficients, Kernels>::ColourSteps final : public Splitting {
 public:
  explicit ColourSteps(const StencilOperator& A)
      : A_(A),
        in_one_pass_(A.takes_pairs() && A.space_.unknown_count() >= least_in_one_pass() &&
                     colours_on<Colours>(A.space_).count() == 2) {}
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    if constexpr (pairs)
      if (in_one_pass_ && u.other && u.other != u.now && !A_.kernels_.shares(A_.unknowns_)) {
        for (const PolynomialStep& step : steps)
          A_.timed(traffic("gauss-seidel"), {&b, u.now}, [&] { A_.relax_both(step.alpha, reversed, b, u); });
        return;
      }
    ColourSplitting<StencilOperator>(A_).take(steps, reversed, b, u);
  }

 private:
  const StencilOperator& A_;
  bool in_one_pass_;
};

/// With constant κ the rows of lines come from the axes' tables; with variable κ they are stored in bands.
template <class T, class Coefficients, class Kernels>
class StencilOperator<T, Coefficients, Kernels>::LineSplitting final : public BoundedSplitting {
  static constexpr bool separable = lines_on_axes<T, Coefficients>;

 public:
  LineSplitting(const StencilOperator& A, int axis)
      : BoundedSplitting(A, A.bound(axis), true), A_(A), axis_(axis), residual_(A.backend_, A.space_, precision_of<T>) {
    if constexpr (!separable) {
      bands_.emplace(A.backend_, A.space_, 2);
      A.kernels_.columns(A.layout_.box(), FillLines<T, Coefficients>{A.c_, bands_->template views<2>(), axis});
      bands_->exchange();
    }
  }
  void do_start(double alpha, const Field& b, Field& u) const override { relax({alpha, 0}, nullptr, b, u); }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    relax(step, &u, b, previous);
  }

 private:
  // If rows are not in memory, small fields compute the residual in the kernel that solves the lines. In all other
  // cases the residual is computed first.
  void relax(PolynomialStep step, const Field* u, const Field& b, Field& next) const {
    const Box& box = A_.unknowns_;
    const bool shared = A_.kernels_.shares(box) && line_length(axis_, box) <= warp_line;
    const bool first = !separable || shared || takes_residual<T>(axis_, box);
    if (u && first)
      A_.march(box, *u, Residual<T, T>{view(b), view(residual_)});
    else if (u)
      A_.backend_.exchange(*u);
    const auto lines = step_of(model(), step, u, u && first ? residual_ : b, next, first);
    if (shared)
      A_.kernels_.share(SmallLines<T, LineModel<T, Coefficients>>{lines, axis_});
    else
      relax_lines(A_.kernels_.stream(), axis_, lines);
  }
  auto model() const {
    if constexpr (separable)
      return A_.line_coefficients();
    else
      return bands_.value().template model<LineBands<T>>();
  }
  template <class Model>
  LineStep<T, Model> step_of(const Model& c, PolynomialStep step, const Field* u, const Field& b, Field& next,
                             bool known) const {
    return {c,
            u ? View<const T>(u->view<T>()) : View<const T>{},
            b.view<T>(),
            next.view<T>(),
            static_cast<T>(step.alpha),
            static_cast<T>(step.beta),
            Range(A_.unknowns_),
            A_.layout_.periodic[static_cast<std::size_t>(axis_)],
            known};
  }

  const StencilOperator& A_;
  int axis_;
  std::optional<BandTables<T>> bands_;  // only if κ varies
  mutable Field residual_;
};

}  // namespace poisson::cuda
