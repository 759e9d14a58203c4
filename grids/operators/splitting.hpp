#pragma once

#include <optional>
#include <span>

#include "backends/backend.hpp"

namespace poisson {

class Operator;

/// One step of a polynomial smoother: u ← u + alpha B⁻¹(b − A u) + beta (u − u_previous).
struct PolynomialStep {
  double alpha = 1, beta = 0;
};

/// Two fields, one of which holds the iterate; a sweep that cannot work in place writes the other and swaps.
struct Iterate {
  Field* now = nullptr;
  Field* other = nullptr;
  bool zero = true;  ///< the iterate is zero, whatever `now` holds
};

/// A = B − (B − A) with a B that is easily solved with: what a smoother repeats. It refers to its operator.
class Splitting {
 public:
  virtual ~Splitting() = default;
  /// All steps, so that some of them may share a pass over the fields. Where `reversed` is set, the adjoint of the
  /// steps in the inner product of A.
  virtual void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const = 0;
};

/// A splitting with a symmetric B, so that polynomials in B⁻¹A are their own adjoints. Fields as verbs of the operator
/// take them.
class SymmetricSplitting : public Splitting {
 public:
  /// An upper bound of the largest eigenvalue of B⁻¹A.
  virtual double largest_eigenvalue() const = 0;
  /// u = alpha B⁻¹ b: a first step from a zero guess.
  virtual void start(double alpha, const Field& b, Field& u) const = 0;
  /// Writes the next iterate over the previous one.
  virtual void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const = 0;
  /// One after another.
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override;
};

/// What is known of the largest eigenvalue of B⁻¹A without looking at it.
struct EigenvalueBound {
  double most = 2;
  bool certain = true;  ///< no eigenvalue exceeds it
  bool serves = true;   ///< it is near enough to go by
};

/// A splitting of A with a bound, in whose place an estimate stands where it does not serve.
class BoundedSplitting : public SymmetricSplitting {
 public:
  BoundedSplitting(const Operator& A, const EigenvalueBound& bound) : A_(A), bound_(bound) {}
  double largest_eigenvalue() const override;

 private:
  const Operator& A_;
  EigenvalueBound bound_;
  mutable std::optional<double> estimate_;
};

/// B the diagonal, by an operator's start and step of points.
template <class PointOperator>
class PointSplitting final : public BoundedSplitting {
 public:
  PointSplitting(const PointOperator& A, const EigenvalueBound& bound) : BoundedSplitting(A, bound), A_(A) {}
  void start(double alpha, const Field& b, Field& u) const override { A_.point_start(alpha, b, u); }
  void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    A_.point_step(step, u, b, previous);
  }

 private:
  const PointOperator& A_;
};

/// Gauss–Seidel over the colours of an operator's stencil, in order or reversed: of each step alpha is the
/// over-relaxation.
template <class ColouredOperator>
class ColourSplitting final : public Splitting {
 public:
  explicit ColourSplitting(const ColouredOperator& A) : A_(A) {}
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    if (u.zero) u.now->backend().fill(*u.now, 0);
    u.zero = false;
    for (const PolynomialStep& step : steps) A_.relax_colours(step.alpha, reversed, b, *u.now);
  }

 private:
  const ColouredOperator& A_;
};

}  // namespace poisson
