#pragma once

#include <optional>
#include <span>

#include "backends/device/backend.hpp"

namespace poisson {

class Operator;

/// Is one step of a polynomial smoother: u ← u + alpha B⁻¹(b − A u) + beta (u − u_previous).
struct PolynomialStep {
  double alpha = 1, beta = 0;
};

/// Refers to two fields. One contains the iterate; a sweep that cannot work in place writes the other and swaps.
struct Iterate {
  Field* now = nullptr;
  Field* other = nullptr;
  bool zero = true;  ///< the iterate is zero, and the contents of `now` are ignored
};

/// Is a splitting A = B − (B − A) with an easily inverted B, which a smoother iterates. It refers to its operator.
class Splitting {
 public:
  virtual ~Splitting() = default;
  /// Performs all steps, so that several steps may share a pass over the fields. If `reversed` is set, it performs the
  /// adjoint of the steps in the inner product of A.
  virtual void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const = 0;
};

/// Is a splitting with a symmetric B, so that polynomials in B⁻¹A are self-adjoint. Fields must satisfy the
/// requirements of the operator's verbs.
class SymmetricSplitting : public Splitting {
 public:
  /// Returns an upper bound or an estimate of the largest eigenvalue of B⁻¹A.
  virtual double largest_eigenvalue() const = 0;
  /// Computes u = alpha B⁻¹ b: a first step from a zero guess.
  virtual void start(double alpha, const Field& b, Field& u) const = 0;
  /// Overwrites the previous iterate with the next one.
  virtual void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const = 0;
  /// Performs the steps one after another.
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override;
};

/// Contains the a priori bound of the largest eigenvalue of B⁻¹A.
struct EigenvalueBound {
  double most = 2;
  bool certain = true;  ///< no eigenvalue exceeds it
  bool serves = true;   ///< it is sharp enough for use
};

/// Is a splitting of A with a bound. It estimates the eigenvalue if the bound does not serve. With `lines`, its steps
/// are reported as steps of lines.
class BoundedSplitting : public SymmetricSplitting {
 public:
  BoundedSplitting(const Operator& A, const EigenvalueBound& bound, bool lines = false)
      : A_(A), bound_(bound), lines_(lines) {}
  double largest_eigenvalue() const override;
  void start(double alpha, const Field& b, Field& u) const final;
  void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const final;

 private:
  virtual void do_start(double alpha, const Field& b, Field& u) const = 0;
  virtual void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const = 0;

  const Operator& A_;
  EigenvalueBound bound_;
  bool lines_;
  mutable std::optional<double> estimate_;
};

/// Is a splitting whose B is the diagonal. It uses the point steps of an operator.
template <class PointOperator>
class PointSplitting final : public BoundedSplitting {
 public:
  PointSplitting(const PointOperator& A, const EigenvalueBound& bound) : BoundedSplitting(A, bound), A_(A) {}
  void do_start(double alpha, const Field& b, Field& u) const override { A_.point_start(alpha, b, u); }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    A_.point_step(step, u, b, previous);
  }

 private:
  const PointOperator& A_;
};

/// Is Gauss–Seidel over the colours of an operator's stencil, in order or reversed. The alpha of each step is the
/// over-relaxation.
template <class ColouredOperator>
class ColourSplitting final : public Splitting {
 public:
  explicit ColourSplitting(const ColouredOperator& A) : A_(A) {}
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    if (u.zero) u.now->backend().fill(*u.now, 0);
    u.zero = false;
    for (const PolynomialStep& step : steps)
      A_.timed(traffic("gauss-seidel"), {&b, u.now},
               [this, &step, &reversed, &b, &u] { A_.relax_colours(step.alpha, reversed, b, *u.now); });
  }

 private:
  const ColouredOperator& A_;
};

}  // namespace poisson
