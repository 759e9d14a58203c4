#include "grids/operators/patched_operator.hpp"

#include <utility>

namespace poisson {
namespace {

/// Is a splitting on fields of the part.
template <class Base>
class GatheredSplitting : public Base {
 public:
  GatheredSplitting(std::unique_ptr<Base> own, const Operator& A, const PatchedBox& of)
      : own_(std::move(own)),
        backend_(A.backend()),
        of_(of),
        b_(backend_, of.box, A.precision()),
        first_(backend_, of.box, A.precision()),
        second_(backend_, of.box, A.precision()) {}

  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    if (steps.empty()) return;
    gather(b, b_);
    if (u.zero)
      backend_.fill(first_, 0);
    else
      gather(*u.now, first_);
    if (u.other) gather(*u.other, second_);
    Iterate iterate{&first_, u.other ? &second_ : nullptr, u.zero};
    own_->take(steps, reversed, b_, iterate);
    store(*iterate.now, *u.now);
    u.zero = false;
  }

 protected:
  void gather(const Field& x, Field& there) const { backend_.run_exchange(of_.to_box, x, there); }
  void store(const Field& made, Field& x) const { backend_.run_exchange(of_.unknowns_to_patches, made, x); }

  std::unique_ptr<Base> own_;
  Backend& backend_;
  const PatchedBox& of_;
  mutable Field b_, first_, second_;
};

class GatheredSymmetricSplitting final : public GatheredSplitting<SymmetricSplitting> {
 public:
  using GatheredSplitting::GatheredSplitting;
  double largest_eigenvalue() const override { return own_->largest_eigenvalue(); }
  void start(double alpha, const Field& b, Field& u) const override {
    gather(b, b_);
    own_->start(alpha, b_, first_);
    store(first_, u);
  }
  void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    gather(b, b_);
    gather(u, first_);
    gather(previous, second_);
    own_->step(step, first_, b_, second_);
    store(second_, previous);
  }
};

}  // namespace

std::unique_ptr<SymmetricSplitting> PatchedOperator::split(const Relaxation& relaxation) const {
  return std::make_unique<GatheredSymmetricSplitting>(box_->split(relaxation), *box_, *of_);
}

std::unique_ptr<Splitting> PatchedOperator::split_by_colours() const {
  return std::make_unique<GatheredSplitting<Splitting>>(box_->split_by_colours(), *box_, *of_);
}

GatheredOperator::GatheredOperator(std::shared_ptr<const Operator> box, std::shared_ptr<const PatchedBox> of)
    : PatchedOperator(std::move(box), std::move(of)) {
  for (Field& field : fields_) field = Field(backend(), this->of().box, precision());
  if (precision() == Precision::fp64) other_ = Field(backend(), this->of().box, Precision::fp32);
}

Field& GatheredOperator::gathered(const Field& x, std::size_t number) const {
  backend().run_exchange(of().to_box, x, fields_[number]);
  return fields_[number];
}

void GatheredOperator::project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const {
  Field& there = gathered(b);
  box().project_rhs(there, amount, before, after);
  store(there, b);
}

void GatheredOperator::do_apply(const Field& u, Field& Au) const {
  box().apply(gathered(u), fields_[2]);
  store(fields_[2], Au);
}

void GatheredOperator::do_apply_everywhere(const Field& u, Field& Au) const {
  box().apply_everywhere(gathered(u), fields_[2]);
  backend().run_exchange(of().to_patches, fields_[2], Au);
}

void GatheredOperator::do_diagonal(Field& d) const {
  box().diagonal(fields_[2]);
  store(fields_[2], d);
}

void GatheredOperator::do_residual(const Field& u, const Field& b, Field& r) const {
  box().residual(gathered(u), gathered(b, 1), result(r));
  store(result(r), r);
}

void GatheredOperator::do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const {
  box().residual(gathered(u), gathered(b, 1), result(r), scale, norm);
  store(result(r), r);
}

void GatheredOperator::do_project_rhs(Field& b, Scalar& amount) const {
  Field& there = gathered(b);
  box().project_rhs(there, amount);
  store(there, b);
}

void GatheredOperator::do_project_solution(Field& u) const {
  Field& there = gathered(u);
  box().project_solution(there);
  store(there, u);
}

}  // namespace poisson
