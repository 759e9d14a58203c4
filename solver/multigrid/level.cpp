#include "solver/multigrid/level.hpp"

#include <utility>

#include "backends/spaces/is_box.hpp"

namespace poisson {

Level::Level(Backend& backend, const Space& space, Precision precision, bool coarsest)
    : b_(backend, space, precision),
      first_(backend, space, precision),
      second_(coarsest ? Field() : Field(backend, space, precision)) {
  clear();
}

bool Level::serves(const Space& space, Precision precision, bool coarsest) const {
  const Space& own = b_.space();
  return b_.precision() == precision && coarsest == !second_ && is_box(own) && is_box(space) &&
         own.has_patches_of(space);
}

void Level::fill(std::shared_ptr<const Operator> A, Parts parts) {
  A_ = std::move(A);
  parts_ = std::move(parts);
}

void Level::fill(std::shared_ptr<const Operator> A, const Operator* exact, const UncoupledBlocks* uncoupled) {
  A_ = std::move(A);
  direct_.emplace(*A_, exact, uncoupled);
}

// With other coefficients a value may not be an unknown. It must be zero then.
void Level::release() {
  direct_.reset();
  parts_ = {};
  A_.reset();
  for (Field* const field : {&b_, &first_, &second_, visits_ ? &visits_->e : nullptr})
    if (field && *field) field->backend().fill(*field, 0);
  clear();
}

void Level::clear() {
  e_ = {&first_, &second_, true};
}

void Level::descend(Level& coarse) {
  if (parts_.strong_clusters) parts_.strong_clusters->begin(b_);
  for (int round = 0; round < parts_.rounds.pre && parts_.smoothers.pre; ++round) {
    parts_.smoothers.pre->smooth(b_, e_, false);
    if (parts_.strong_clusters) parts_.strong_clusters->correct(*e_.now);
  }
  if (e_.zero) {
    parts_.to_coarser->restrict_to(b_, coarse.b_);
  } else {
    A_->residual(*e_.now, b_, *e_.other);
    parts_.to_coarser->restrict_to(*e_.other, coarse.b_);
  }
  coarse.clear();
}

void Level::ascend(const Level& coarse) {
  if (e_.zero)
    parts_.to_coarser->prolong(coarse.correction(), *e_.now);
  else
    parts_.to_coarser->prolong_add(coarse.correction(), *e_.now);
  e_.zero = false;
  for (int round = 0; round < parts_.rounds.post; ++round) {
    if (parts_.strong_clusters) parts_.strong_clusters->correct(*e_.now);
    if (parts_.smoothers.post) parts_.smoothers.post->smooth(b_, e_, true);
  }
}

void Level::accelerate(const std::optional<StepSizes>& steps) {
  if (!steps) return visits_.reset();
  if (visits_ && visits_->steps.first == steps->first && visits_->steps.second == steps->second) return;
  const auto& [first, second] = *steps;
  Backend& backend = b_.backend();
  visits_.emplace(*steps, backend.scalar(first), backend.scalar(second), backend.scalar((1 - second) * first),
                  Field(backend, b_.space(), b_.precision()));
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
  parts_.to_coarser->prolong(coarse, *e_.now);
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
