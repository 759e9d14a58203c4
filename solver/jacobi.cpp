#include "solver/jacobi.hpp"

#include <utility>

#include "solver/smoothers/smoother.hpp"

namespace poisson {

JacobiSweeps::JacobiSweeps(std::shared_ptr<const Operator> A, std::unique_ptr<const SweepPass> pass,
                           const SmootherOptions& options)
    : A_(std::move(A)),
      pass_(std::move(pass)),
      points_(A_->split()),
      damping_(jacobi_damping(options, points_->largest_eigenvalue())),
      ahead_(A_->backend(), A_->space(), A_->precision()),
      one_(A_->backend().scalar(1)) {}

const Field& JacobiSweeps::correction() const {
  points_->step({damping_, 0}, *u_, *b_, ahead_);
  A_->backend().subtract(ahead_, one_, *u_, ahead_);
  return ahead_;
}

void JacobiSweeps::correct(const Operator&, Field& u, const Field& b, const Scalar* applied, const Scalar&,
                           Scalar& norm) {
  u_ = &u;
  b_ = &b;
  if (applied) {
    Field *now = &ahead_, *next = &u;
    for (int left = sweeps - ahead(); left > 0; std::swap(now, next)) {
      const bool together = ahead() > 1 && left >= ahead();
      if (together)
        pass_->take(damping_, *now, b, *next, nullptr);
      else
        points_->step({damping_, 0}, *now, b, *next);
      left -= together ? ahead() : 1;
    }
    if (now != &u) A_->backend().copy(*now, u);
  } else {
    A_->backend().convert(u, ahead_);  // includes face data
    if (ahead() > 1 && !A_->space().is_global()) A_->backend().exchange(b, ahead() - 1);
  }
  look_ahead(u, b, norm);
}

void JacobiSweeps::look_ahead(const Field& u, const Field& b, Scalar& norm) {
  if (pass_) return pass_->take(damping_, u, b, ahead_, &norm);
  A_->residual(u, b, ahead_, one_, norm);
  points_->step({damping_, 0}, u, b, ahead_);
}

}  // namespace poisson
