#pragma once

#include <array>
#include <memory>
#include <utility>

#include "grids/operators/operator.hpp"
#include "grids/operators/patched_box.hpp"

namespace poisson {

/// Is the operator of a grid on patches that tile the process's part of it. `box` is the operator on the part.
/// Splittings by lines work on fields of the part.
class PatchedOperator : public Operator {
 public:
  PatchedOperator(std::shared_ptr<const Operator> box, std::shared_ptr<const PatchedBox> of)
      : box_(std::move(box)), of_(std::move(of)) {}

  Backend& backend() const override { return box_->backend(); }
  Precision precision() const override { return box_->precision(); }
  const Space& space() const override { return of_->patches; }
  std::string_view assembly() const override { return box_->assembly(); }
  double scale() const override { return box_->scale(); }
  bool singular() const override { return box_->singular(); }
  std::size_t bytes() const override { return box_->bytes(); }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override;
  std::unique_ptr<Splitting> split_by_colours() const override;

 protected:
  const Operator& box() const { return *box_; }
  const PatchedBox& of() const { return *of_; }

 private:
  std::shared_ptr<const Operator> box_;
  std::shared_ptr<const PatchedBox> of_;
};

/// Runs the verbs of the part's operator, for operators that have no verbs on patches: it moves values to the part and
/// results back.
class GatheredOperator final : public PatchedOperator {
 public:
  GatheredOperator(std::shared_ptr<const Operator> box, std::shared_ptr<const PatchedBox> of);

  using Operator::project_rhs;
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override;

 private:
  void do_apply(const Field& u, Field& Au) const override;
  void do_apply_everywhere(const Field& u, Field& Au) const override;
  void do_diagonal(Field& d) const override;
  void do_residual(const Field& u, const Field& b, Field& r) const override;
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override;
  void do_norm(const Field& r, Scalar& norm) const override { box().norm(gathered(r), norm); }
  void do_rounding(const Field& u, Scalar& norm) const override { box().rounding(gathered(u), norm); }
  void do_project_rhs(Field& b, Scalar& amount) const override;
  void do_project_solution(Field& u) const override;

  Field& gathered(const Field& x, std::size_t number = 0) const;
  Field& result(const Field& x) const { return x.precision() == precision() ? fields_[2] : other_; }
  void store(const Field& made, Field& x) const { backend().run_exchange(of().unknowns_to_patches, made, x); }

  mutable std::array<Field, 3> fields_;  // on the part
  mutable Field other_;                  // in the other precision
};

}  // namespace poisson
