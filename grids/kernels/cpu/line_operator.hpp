#pragma once

#include <memory>
#include <optional>

#include "backends/cpu/launch.hpp"
#include "grids/operators/operator.hpp"

namespace poisson::cpu {

/// Contains the values first ≤ i < last of a line along x.
struct Segment {
  int j, k, first, last;
};

template <class T>
class StackedOperator;

/// `LineOperator` implements the verbs of an operator on the CPU by functions that compute a segment of a line. The
/// verbs are compiled once for each precision; a model of Coefficients compiles the functions of segments alone.
template <class T>
class LineOperator : public Operator {
  friend class StackedOperator<T>;

 public:
  std::unique_ptr<Splitting> split_by_colours() const override;
  using Operator::project_rhs;
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override;

  void point_start(double alpha, const Field& b, Field& u) const;
  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const;
  void relax_colours(double omega, bool reversed, const Field& b, Field& u) const;
  void line_start(int axis, double alpha, const Field& b, Field& u) const;
  void line_step(int axis, PolynomialStep step, const Field& u, const Field& b, Field& previous) const;

 protected:
  const Layout& layout() const { return this->space().part().layout(); }
  const Box& unknowns() const { return this->space().part().unknowns(); }
  std::unique_ptr<SymmetricSplitting> split_with(const EigenvalueBound& bound, std::optional<int> axis) const;
  /// Computes 1ᵀM1, which projections need. A singular operator calls it once its segments can be computed.
  void measure_volume();

 private:
  // Functions of segments. Result i is stored in to[i].
  /// Computes A u.
  virtual void times(const Segment&, const View<const T>& u, T* to) const = 0;
  /// Computes b − A u.
  virtual void residual(const Segment&, const View<const T>& u, const T* b, T* to) const = 0;
  /// Computes scale (b − A u), and the terms of Σ (b − A u)²/D.
  virtual void residual(const Segment&, const View<const T>& u, const T* b, T scale, T* to, double* terms) const = 0;
  /// Computes D.
  virtual void diagonal(const Segment&, T* to) const = 0;
  /// Computes u + α D⁻¹(b − A u) + β (u − previous). The result replaces the previous iterate.
  virtual void step(const Segment&, const View<const T>& u, const T* b, T alpha, T beta, T* previous) const = 0;
  /// Computes the couplings to both neighbours along an axis, and D.
  virtual void couplings(const Segment&, int axis, T* before, T* diagonal, T* after) const = 0;
  /// Computes M1.
  virtual void masses(const Segment&, T* to) const = 0;
  /// Returns whether rows have 5 or 7 points. Only these implement the next function, and only the others the last one.
  virtual bool is_star() const = 0;
  /// Computes u + ω D⁻¹(b − A u).
  virtual void relaxed(const Segment&, const View<const T>& u, const T* b, T omega, T* to) const = 0;
  /// Computes b − A u without the couplings along x, these couplings, and ω/D.
  virtual void without_line(const Segment&, const View<const T>& u, const T* b, T omega, T* rest, T* before, T* after,
                            T* factor) const = 0;

  void do_apply(const Field& u, Field& Au) const override { apply_on(unknowns(), u, Au); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { apply_on(layout().box(), u, Au); }
  void do_diagonal(Field& d) const override;
  void do_residual(const Field& u, const Field& b, Field& r) const override;
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override;
  void do_norm(const Field& r, Scalar& norm) const override;
  void do_rounding(const Field& u, Scalar& norm) const override;
  void do_project_rhs(Field& b, Scalar& amount) const override;
  void do_project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const;
  void do_project_solution(Field& u) const override;

  void apply_on(const Box& box, const Field& u, Field& Au) const;
  double sum_of(const View<const T>& b) const;
  void relax_star_colours(T omega, bool reversed, const Field& b, Field& u) const;
  void relax_box_colours(T omega, bool reversed, const Field& b, Field& u) const;
  /// Calls f(segment) for each line of the box.
  template <class F>
  static void sweep(const Box& box, const F& f) {
    for_each_line(box, [&](int j, int k) { f(Segment{j, k, box.first[0], box.last[0]}); });
  }
  /// Does the same for functions that read u one value past the box, and exchanges the halo of u meanwhile.
  template <class F>
  void sweep_beside(const Field& u, const Box& box, const F& f) const {
    backend().exchange_overlapped(u, box, [&](const Box& part) { sweep(part, f); });
  }
  /// Sums f(segment) over the lines of the unknowns.
  template <class F>
  double sum(const F& f) const {
    const Box& box = unknowns();
    return sum_over_lines(space(), box, [&](int j, int k) { return f(Segment{j, k, box.first[0], box.last[0]}); });
  }
  /// Sums term(D, x) over the unknowns.
  template <class Term>
  double sum_with_diagonal(const Field& x, const Term& term) const;
  /// Solves B e = r for all lines along `axis`, where B is A without the couplings between these lines.
  /// right(segment, to) computes r, and store(i, j, k, e) receives the solution.
  template <class Right, class Store>
  void solve_lines(int axis, const Right& right, const Store& store) const;

  double volume_ = 0;
};

extern template class LineOperator<float>;
extern template class LineOperator<double>;

}  // namespace poisson::cpu
