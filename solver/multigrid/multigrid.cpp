#include "solver/multigrid/multigrid.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <span>
#include <utility>

#include "grids/compact/explicit_entries.hpp"
#include "grids/patches/patched_hierarchy.hpp"
#include "solver/smoothers/semicoarsening.hpp"

namespace poisson {
namespace {

// Returns the options of a plane solver: one symmetric cycle in every plane.
Options options_in_nested(const Options& outer) {
  Options o = outer;
  o.full_multigrid = false;
  o.cycle = Cycle::v;
  o.smoother = {.kind = &smoother_kind("chebyshev"), .pre = 2, .post = 2, .extent = outer.smoother.extent};
  return o;
}

// Makes one V-cycle for each hierarchy that keeps an axis.
std::vector<SideCorrection> sides_of(std::vector<Semicoarsened>& semicoarsened, const Options& outer) {
  Options below = outer;
  below.full_multigrid = false;
  below.cycle = Cycle::v;
  std::vector<SideCorrection> sides;
  for (Semicoarsened& side : semicoarsened)
    sides.push_back({std::move(side.transfer), std::make_shared<Multigrid>(std::move(side.levels), below)});
  return sides;
}

struct InRounds {
  SmootherOptions smoother;
  Rounds rounds;
};

// Splits smoothing in the plane into single sweeps, so that a correction on strong clusters follows or precedes each.
// In space one correction before the coarse grid and one after it are as good. A polynomial is not split.
InRounds in_rounds(const SmootherOptions& of, bool plane) {
  if (of.kind->symmetric || !plane) return {of, {}};
  InRounds split{of, {std::max(1, *of.pre), std::max(1, *of.post)}};
  split.smoother.pre = std::min(1, *of.pre);
  split.smoother.post = std::min(1, *of.post);
  return split;
}

// A W-cycle visits the coarser level twice if the ratio of unknowns is at least this.
constexpr std::int64_t coarsening_of_w = 3;
// The same holds for compact rows with uneven or few couplings from this number of unknowns on.
constexpr std::int64_t least_of_rows = 1 << 12;
// Returns the entries of compact rows, and 0 for other operators.
double entries_of(const Operator& A) {
  const auto* const rows = dynamic_cast<const ExplicitEntries*>(&A);
  return rows ? rows->entries_of_row() * static_cast<double>(A.space().unknown_count()) : 0;
}
// Returns whether rows are those of a plane, by their number of entries, and coarse levels so small that visits cost
// little. Aggregates in the plane need W-cycles for iterations that do not grow.
bool has_short_rows(const Hierarchy& hierarchy, const ExplicitEntries& rows) {
  constexpr double most_entries = 10, most_coarse = 0.45;
  double coarse = 0;
  for (std::size_t l = 1; l < hierarchy.operators.size(); ++l) coarse += entries_of(*hierarchy.operators[l]);
  return rows.entries_of_row() < most_entries && coarse < most_coarse * entries_of(*hierarchy.operators.front());
}
// If κ is rough in the plane, and in space under conjugate gradients, a W-cycle visits only levels with at least this
// number of unknowns twice. More visits of coarser levels gain little and cost launches on a GPU
// (docs/design/coarse-operators.md). In space at least three levels of most grids are visited twice. In the plane, two
// levels suffice if bodies are so wide that at least `least_wide` levels need no strong clusters.
constexpr std::ptrdiff_t least_wide = 3;
std::int64_t least_of_w(bool plane, std::int64_t unknowns, std::ptrdiff_t wide) {
  if (!plane) return std::min(std::int64_t{1} << 15, unknowns >> 9);
  return std::max(std::int64_t{1} << 16, wide >= least_wide ? unknowns >> 4 : 0);
}

// Under conjugate gradients both visits of a level are steps of a Chebyshev iteration, whose inverse step sizes are the
// zeros of the polynomial on this interval of eigenvalues of the preconditioned coarse operator (AMLI: Axelsson and
// Vassilevski, SIAM J. Numer. Anal. 27 (1990), 1569). The upper end allows for visits that are steps themselves:
// 1 + 1/T₂(1.55/0.75) = 1.13.
constexpr double least_of_visits = 0.4, most_of_visits = 1.15;
Level::StepSizes steps_of_visits() {
  const double middle = (most_of_visits + least_of_visits) / 2,
               offset = (most_of_visits - least_of_visits) / 2 / std::numbers::sqrt2;
  return {1 / (middle + offset), 1 / (middle - offset)};
}

}  // namespace

Multigrid::Multigrid(Hierarchy hierarchy, const Options& options)
    : backend_(hierarchy.operators.front()->backend()), one_(backend_.scalar(1)) {
  refill(std::move(hierarchy), options);
}

void Multigrid::release() {
  settling_.clear();
  finest_.reset();
  for (const auto& level : levels_) level->release();
  for (Field& solution : solutions_)
    if (solution) backend_.fill(solution, 0);
}

// Returns the level, with new fields unless its own serve the operator.
Level& Multigrid::level_for(const Operator& A, std::size_t l, bool coarsest) {
  if (levels_.size() <= l) levels_.resize(l + 1);
  if (!levels_[l] || !levels_[l]->serves(A.space(), A.precision(), coarsest)) {
    levels_[l] = std::make_unique<Level>(backend_, A.space(), A.precision(), coarsest);
    solutions_.resize(l);
  }
  return *levels_[l];
}

void Multigrid::refill(Hierarchy hierarchy, const Options& options) {
  cycle_ = options.cycle;
  rough_ = !hierarchy.strong_clusters.empty();
  twice_.clear();
  first_ = !hierarchy.transfers.empty() && moves_alone(*hierarchy.transfers.front()) ? 1 : 0;
  const Space& finest = hierarchy.operators[first_]->space();
  const bool plane = finest.part().all()[2] == 1;
  const bool accelerated = options.krylov == Krylov::cg;
  const std::ptrdiff_t wide =
      rough_ ? std::ranges::count(std::span(hierarchy.strong_clusters).subspan(first_), nullptr) : 0;
  const auto* const rows = dynamic_cast<const ExplicitEntries*>(hierarchy.operators.front().get());
  const bool again = rows && (rows->uneven() || has_short_rows(hierarchy, *rows));
  const std::int64_t least_twice = again ? std::min(least_of_rows, finest.unknown_count() >> 9)
                                   : rough_ || (accelerated && !plane) ? least_of_w(plane, finest.unknown_count(), wide)
                                                                       : 0;
  if (cycle_ == Cycle::automatic) cycle_ = rough_ || again ? Cycle::w : Cycle::v;
  std::int64_t unknowns_twice = finest.unknown_count();  // on the last level visited twice
  for (std::size_t l = 0; l < hierarchy.operators.size(); ++l) {
    const std::shared_ptr<const Operator>& A = hierarchy.operators[l];
    const std::int64_t unknowns = A->space().unknown_count();
    twice_.push_back(coarsening_of_w * unknowns <= unknowns_twice && unknowns >= least_twice);
    if (twice_.back()) unknowns_twice = unknowns;
    if (l < first_) {
      level_for(*A, l, true).fill(A, {std::move(hierarchy.transfers[l]), {}, nullptr, {}});
    } else if (l < hierarchy.transfers.size()) {
      const auto nested = hierarchy.nested[l]
                              ? std::make_shared<Multigrid>(std::move(*hierarchy.nested[l]), options_in_nested(options))
                              : nullptr;
      const auto strong_clusters = l < hierarchy.strong_clusters.size() ? hierarchy.strong_clusters[l] : nullptr;
      const std::vector<SideCorrection> sides =
          l == first_ ? sides_of(hierarchy.semicoarsened, options) : std::vector<SideCorrection>{};
      const auto [smoother, rounds] =
          strong_clusters ? in_rounds(options.smoother, plane) : InRounds{options.smoother, {}};
      Smoothers smoothers = make_smoothers(*A, smoother, hierarchy.relaxations[l], nested, sides);
      level_for(*A, l, false)
          .fill(A, {std::move(hierarchy.transfers[l]), std::move(smoothers), strong_clusters, rounds});
    } else {
      level_for(*A, l, true).fill(A, hierarchy.coarsest.get(), hierarchy.uncoupled.get());
    }
    const bool steps = l > first_ && twice_.back() && cycle_ == Cycle::w && accelerated;
    levels_[l]->accelerate(steps ? std::optional(steps_of_visits()) : std::nullopt);
    if (options.full_multigrid && solutions_.size() <= l)
      solutions_.push_back(l > first_ ? Field(backend_, A->space(), A->precision()) : Field());
  }
  levels_.resize(hierarchy.operators.size());
  solutions_.resize(options.full_multigrid ? levels_.size() : 0);
  if (first_ == 0 || !options.full_multigrid || levels_.size() == first_ + 1) return;
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  if (outer != hierarchy.operators[first_]->precision()) rhs_there_ = Field(backend_, finest, outer);
  solution_there_ = Field(backend_, finest, outer);
}

void Multigrid::cycle(std::size_t l, Cycle type) {
  levels_[l]->clear();
  improve(l, type);
}

void Multigrid::improve(std::size_t l, Cycle type) {
  if (l + 1 == levels_.size()) return levels_[l]->solve();
  levels_[l]->descend(*levels_[l + 1]);
  improve(l + 1, type);
  const bool again = l >= first_ && (type == Cycle::f || (type == Cycle::w && twice_[l + 1]));
  if (again && l + 2 < levels_.size()) {
    levels_[l + 1]->scale_first_visit();
    improve(l + 1, type == Cycle::f ? Cycle::v : type);
    levels_[l + 1]->scale_second_visit();
  }
  levels_[l]->ascend(*levels_[l + 1]);
}

void Multigrid::hold(std::shared_ptr<const Operator> finest) {
  finest_ = std::move(finest);
  settling_.clear();
  settling_.push_back(finest_->split_by_colours());
  for (std::size_t l = 1; l < levels_.size(); ++l) settling_.push_back(levels_[l]->A().split_by_colours());
}

// In a row whose diagonal is as large as that of a constrained node, one Gauss–Seidel step solves for the unknown, and
// the second one removes the remaining rounding.
void Multigrid::settle(std::size_t l, const Field& b, Field& u) {
  if (settling_.empty()) return;
  Iterate iterate{&u, nullptr, false};
  settling_[l]->take(std::array<PolynomialStep, 2>{}, false, b, iterate);
}

void Multigrid::start(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse, const Field* residual) {
  if (levels_.size() == first_ + 1) return;
  if (first_ == 0) return start_here(b, u, scale, inverse, residual);
  const Transfer& t = levels_.front()->to_coarser();
  const Field& given = residual ? *residual : b;
  Field& there = given.precision() == levels_[first_]->rhs().precision() ? levels_[first_]->rhs() : rhs_there_;
  t.restrict_data(given, there);
  t.inject(u, solution_there_);
  start_here(there, solution_there_, scale, inverse, residual ? &there : nullptr);
  t.interpolate(solution_there_, u);
}

void Multigrid::start_here(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse,
                           const Field* residual) {
  if (residual) return start_from_residual(*residual, u, scale, inverse);
  // Restricts the right-hand side and the Dirichlet data of the finest level to all others.
  for (std::size_t l = first_ + 1; l < levels_.size(); ++l) {
    const bool first = l == first_ + 1;
    const Transfer& t = levels_[l - 1]->to_coarser();
    t.restrict_data(first ? b : levels_[l - 1]->rhs(), levels_[l]->rhs(), first ? &scale : nullptr);
    t.inject(first ? u : solutions_[l - 1], solutions_[l], first ? &scale : nullptr);
  }
  solve_upwards();
  levels_[first_]->to_coarser().interpolate(solutions_[first_ + 1], u, &inverse);
  settle(first_, b, u);
}

void Multigrid::start_from_residual(const Field& r, Field& u, const Scalar& scale, const Scalar& inverse) {
  for (std::size_t l = first_ + 1; l < levels_.size(); ++l) {
    const bool first = l == first_ + 1;
    levels_[l - 1]->to_coarser().restrict_to(first ? r : levels_[l - 1]->rhs(), levels_[l]->rhs(),
                                             first ? &scale : nullptr);
    backend_.fill(solutions_[l], 0);
  }
  solve_upwards();
  backend_.axpy(inverse, levels_[first_]->prolonged(solutions_[first_ + 1]), u);
}

void Multigrid::solve_upwards() {
  const std::size_t last = levels_.size() - 1;
  for (std::size_t l = last; l > first_; --l) {
    Level& level = *levels_[l];
    if (l < last) level.to_coarser().interpolate(solutions_[l + 1], solutions_[l]);
    if (l < last) settle(l, level.rhs(), solutions_[l]);
    level.A().residual(solutions_[l], level.rhs(), level.rhs());
    cycle(l, cycle_);
    backend_.axpy(one_, level.correction(), solutions_[l]);
  }
}

}  // namespace poisson
