#include "grids/levels/cut_line_operator.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "backends/lines/cut_lines.hpp"
#include "grids/kernels/line_rows.hpp"
#include "grids/levels/solved_along.hpp"
#include "grids/operators/eigenvalue_bound.hpp"

namespace poisson {
namespace {

// Returns the rows of lines. The penalty of constrained nodes is added to the row sums.
LineRows rows_of_lines(const Operator& A, const SchemeRows& rows, const Field* penalty, int axis) {
  Backend& backend = A.backend();
  LineRows lines = make_line_rows(backend, rows, A.precision(), axis);
  if (penalty) {
    Field in_precision(backend, A.space(), A.precision());
    backend.convert(*penalty, in_precision);
    backend.axpy(backend.scalar(1), in_precision, lines.sum);
  }
  return lines;
}

// Returns the eigenvalue bound of line relaxation. With a penalty it is the bound of bands, since the bounds of rows
// do not apply.
EigenvalueBound bound_of_lines(const SchemeRows& rows, const Field* penalty, int axis) {
  if (penalty) return bounds_of_bands(2).of_lines[axis];
  return std::visit([&](const auto& own) { return eigenvalue_bounds(own).of_lines[axis]; }, rows);
}

class CutLineSplitting final : public BoundedSplitting {
 public:
  CutLineSplitting(const Operator& A, const EigenvalueBound& bound, std::shared_ptr<CutLines> lines)
      : BoundedSplitting(A, bound, true), A_(A), lines_(std::move(lines)), e_(A.backend(), A.space(), A.precision()) {}

  void do_start(double alpha, const Field& b, Field& u) const override {
    A_.backend().copy(b, e_);
    lines_->solve(e_);
    lines_->start(alpha, e_, u);
  }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    A_.residual(u, b, e_);
    lines_->solve(e_);
    lines_->step(step.alpha, step.beta, u, e_, previous);
  }

 private:
  const Operator& A_;
  std::shared_ptr<CutLines> lines_;
  mutable Field e_;  // residual, then correction
};

// `LinesOfAxis` contains the lines along an axis; `lines` is null if they are not cut.
struct LinesOfAxis {
  EigenvalueBound bound;
  std::shared_ptr<CutLines> lines;
};

class CutLineOperator final : public Operator {
 public:
  CutLineOperator(std::shared_ptr<const Operator> A, PerAxis<LinesOfAxis> lines)
      : A_(std::move(A)), lines_(std::move(lines)) {}

  Backend& backend() const override { return A_->backend(); }
  Precision precision() const override { return A_->precision(); }
  const Space& space() const override { return A_->space(); }
  std::string_view assembly() const override { return A_->assembly(); }
  double scale() const override { return A_->scale(); }
  bool singular() const override { return A_->singular(); }
  std::size_t bytes() const override { return A_->bytes(); }

  void do_apply(const Field& u, Field& Au) const override { A_->apply(u, Au); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { A_->apply_everywhere(u, Au); }
  void do_diagonal(Field& d) const override { A_->diagonal(d); }
  void do_residual(const Field& u, const Field& b, Field& r) const override { A_->residual(u, b, r); }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    A_->residual(u, b, r, scale, norm);
  }
  void do_norm(const Field& r, Scalar& norm) const override { A_->norm(r, norm); }
  void do_rounding(const Field& u, Scalar& norm) const override { A_->rounding(u, norm); }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    const std::optional<int> axis = relaxation.line();
    const LinesOfAxis* along = axis ? &lines_[*axis] : nullptr;
    if (!along || !along->lines) return A_->split(relaxation);
    return std::make_unique<CutLineSplitting>(*A_, along->bound, along->lines);
  }
  std::unique_ptr<Splitting> split_by_colours() const override { return A_->split_by_colours(); }
  using Operator::project_rhs;
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    A_->project_rhs(b, amount, before, after);
  }
  void do_project_rhs(Field& b, Scalar& amount) const override { A_->project_rhs(b, amount); }
  void do_project_solution(Field& u) const override { A_->project_solution(u); }

 private:
  std::shared_ptr<const Operator> A_;
  PerAxis<LinesOfAxis> lines_;
};

template <class BoundOf, class RowsOf>
std::shared_ptr<const Operator> with_lines(std::shared_ptr<const Operator> A, const std::vector<int>& axes,
                                           const BoundOf& bound_of, const RowsOf& rows_of) {
  if (axes.empty()) return A;
  PerAxis<LinesOfAxis> lines;
  for (const int axis : axes) lines[axis] = {bound_of(axis), make_cut_lines(rows_of(axis))};
  return std::make_shared<CutLineOperator>(std::move(A), std::move(lines));
}

}  // namespace

std::vector<int> axes_of_cut_lines(const Block& block, const Relaxation& relaxed) {
  std::vector<int> axes;
  if (relaxed.extent != Extent::line && relaxed.extent != Extent::alternating_lines) return axes;
  for (int d = 0; d < 3; ++d)
    if (solved_along(relaxed, d) && !block.axes[d].is_global()) axes.push_back(d);
  return axes;
}

std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const SchemeRows& rows,
                                               const Field* penalty, const std::vector<int>& axes) {
  const Operator& own = *A;
  return with_lines(
      std::move(A), axes, [&](int axis) { return bound_of_lines(rows, penalty, axis); },
      [&](int axis) { return rows_of_lines(own, rows, penalty, axis); });
}

std::shared_ptr<const Operator> with_cut_lines(std::shared_ptr<const Operator> A, const Bands& bands,
                                               const Block& block, const std::vector<int>& axes) {
  const Operator& own = *A;
  return with_lines(
      std::move(A), axes, [](int axis) { return bounds_of_bands(2).of_lines[axis]; },
      [&](int axis) { return make_line_rows(own.backend(), bands, block.share->processes, own.precision(), axis); });
}

}  // namespace poisson
