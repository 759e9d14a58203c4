#include "solver/multigrid/level.hpp"

#include <utility>

namespace poisson {

Level::Level(std::shared_ptr<const Operator> A, bool two_iterates)
    : A_(std::move(A)),
      b_(A_->backend(), A_->space(), A_->precision()),
      first_(A_->backend(), A_->space(), A_->precision()),
      second_(two_iterates ? Field(A_->backend(), A_->space(), A_->precision()) : Field()) {
  clear();
}

Level::Level(std::shared_ptr<const Operator> A, const Operator* exact, int decoupled) : Level(std::move(A), false) {
  direct_.emplace(*A_, exact, decoupled);
}

Level::Level(std::shared_ptr<const Operator> A, std::unique_ptr<Transfer> to_coarser, Smoothers smoothers,
             std::shared_ptr<const StrongClusters> strong_clusters, Rounds rounds)
    : Level(std::move(A), true) {
  rounds_ = rounds;
  to_coarser_ = std::move(to_coarser);
  smoothers_ = std::move(smoothers);
  strong_clusters_ = std::move(strong_clusters);
}

void Level::clear() {
  e_ = {&first_, &second_, true};
}

void Level::descend(Level& coarse) {
  if (strong_clusters_) strong_clusters_->begin(b_);
  for (int round = 0; round < rounds_.pre && smoothers_.pre; ++round) {
    smoothers_.pre->smooth(b_, e_, false);
    if (strong_clusters_) strong_clusters_->correct(*e_.now);
  }
  if (e_.zero) {
    to_coarser_->restrict_to(b_, coarse.b_);
  } else {
    A_->residual(*e_.now, b_, *e_.other);
    to_coarser_->restrict_to(*e_.other, coarse.b_);
  }
  coarse.clear();
}

void Level::ascend(const Level& coarse) {
  if (e_.zero)
    to_coarser_->prolong(coarse.correction(), *e_.now);
  else
    to_coarser_->prolong_add(coarse.correction(), *e_.now);
  e_.zero = false;
  for (int round = 0; round < rounds_.post; ++round) {
    if (strong_clusters_) strong_clusters_->correct(*e_.now);
    if (smoothers_.post) smoothers_.post->smooth(b_, e_, true);
  }
}

void Level::accelerate(double first, double second) {
  Backend& backend = A_->backend();
  visits_.emplace(backend.scalar(first), backend.scalar(second), backend.scalar((1 - second) * first),
                  Field(backend, A_->space(), A_->precision()));
}

void Level::scale_first_visit() {
  if (!visits_) return;
  Backend& backend = A_->backend();
  backend.scale(visits_->kept, *e_.now, visits_->e);
  backend.scale(visits_->first, *e_.now, *e_.other);
  std::swap(e_.now, e_.other);
}

void Level::scale_second_visit() {
  if (visits_) A_->backend().xpay(visits_->e, visits_->second, *e_.now);
}

const Field& Level::prolonged(const Field& coarse) {
  to_coarser_->prolong(coarse, *e_.now);
  e_.zero = false;
  return *e_.now;
}

void Level::solve() {
  direct_->solve(b_, *e_.now);
  e_.zero = false;
}

void Level::correct(const Operator& A, Field& u, const Field& b, const Scalar* applied, const Scalar& scale,
                    Scalar& norm) {
  if (applied) A.backend().axpy(*applied, correction(), u);
  A.residual(u, b, b_, scale, norm);
}

}  // namespace poisson
