#include "solver/multigrid/multigrid.hpp"

namespace poisson {
namespace {

// One cycle in every plane, of as many sweeps, and symmetric.
Options options_in_planes(const Options& outer) {
  Options o = outer;
  o.full_multigrid = false;
  o.cycle = Cycle::v;
  o.smoother = {.kind = &smoother_kind("chebyshev"), .pre = 2, .post = 2, .extent = outer.smoother.extent};
  return o;
}

// From this ratio of unknowns on, a W-cycle visits the coarser level twice.
constexpr std::int64_t coarsening_of_w = 3;

}  // namespace

Multigrid::Multigrid(Hierarchy hierarchy, const Options& options)
    : backend_(hierarchy.operators.front()->backend()), cycle_(options.cycle), one_(backend_.scalar(1)) {
  std::int64_t unknowns_twice = hierarchy.operators.front()->unknowns().size();  // of the last level visited twice
  for (std::size_t l = 0; l < hierarchy.operators.size(); ++l) {
    Level level;
    level.A = hierarchy.operators[l];
    const Operator& A = *level.A;
    const std::int64_t unknowns = A.unknowns().size();
    level.twice = coarsening_of_w * unknowns <= unknowns_twice;
    if (level.twice) unknowns_twice = unknowns;
    if (l < hierarchy.transfers.size()) {
      level.to_coarser = std::move(hierarchy.transfers[l]);
      const auto planes = hierarchy.planes[l]
                              ? std::make_shared<Multigrid>(std::move(*hierarchy.planes[l]), options_in_planes(options))
                              : nullptr;
      level.smoothers = make_smoothers(A, options.smoother, hierarchy.relaxations[l], planes);
      if (l < hierarchy.islands.size()) level.islands = hierarchy.islands[l];
      level.v = Field(backend_, A.layout(), A.precision());
    }
    level.b = Field(backend_, A.layout(), A.precision());
    level.u = Field(backend_, A.layout(), A.precision());
    if (options.full_multigrid && l > 0) level.solution = Field(backend_, A.layout(), A.precision());
    levels_.push_back(std::move(level));
  }
  coarsest_.emplace(*levels_.back().A, hierarchy.coarsest.get(), hierarchy.decoupled);
}

Iterate Multigrid::cycle(std::size_t l, Cycle type) {
  Iterate u{&levels_[l].u, &levels_[l].v};
  improve(l, u, type);
  return u;
}

void Multigrid::improve(std::size_t l, Iterate& u, Cycle type) {
  Level& level = levels_[l];
  if (!level.to_coarser) {
    coarsest_->solve(level.b, *u.now);
    u.zero = false;
    return;
  }
  Level& coarse = levels_[l + 1];
  if (level.smoothers.pre) level.smoothers.pre->smooth(level.b, u, false);
  if (level.islands && !u.zero) level.islands->correct(level.b, *u.now);

  if (u.zero) {
    level.to_coarser->restrict_to(level.b, coarse.b);
  } else {
    level.A->residual(*u.now, level.b, *u.other);
    level.to_coarser->restrict_to(*u.other, coarse.b);
  }

  Iterate e = cycle(l + 1, type);
  const bool again = type == Cycle::f || (type == Cycle::w && coarse.twice);
  if (again && coarse.to_coarser) improve(l + 1, e, type == Cycle::f ? Cycle::v : type);

  if (u.zero) {
    level.to_coarser->prolong(*e.now, *u.now);
    u.zero = false;
  } else {
    level.to_coarser->prolong_add(*e.now, *u.now);
  }
  if (level.islands) level.islands->correct(level.b, *u.now);
  if (level.smoothers.post) level.smoothers.post->smooth(level.b, u, true);
}

void Multigrid::start(const Field& b, Field& u, const Scalar& scale, const Scalar& inverse) {
  const std::size_t last = levels_.size() - 1;
  if (last == 0) return;
  // Every level's right-hand side and Dirichlet data, from those of the finest.
  for (std::size_t l = 1; l <= last; ++l) {
    const Transfer& t = *levels_[l - 1].to_coarser;
    t.restrict_data(l == 1 ? b : levels_[l - 1].b, levels_[l].b, l == 1 ? &scale : nullptr);
    t.inject(l == 1 ? u : levels_[l - 1].solution, levels_[l].solution, l == 1 ? &scale : nullptr);
  }
  for (std::size_t l = last; l >= 1; --l) {
    Level& level = levels_[l];
    if (l < last) level.to_coarser->interpolate(levels_[l + 1].solution, level.solution);
    level.A->residual(level.solution, level.b, level.b);
    backend_.axpy(one_, *cycle(l, cycle_).now, level.solution);
  }
  levels_.front().to_coarser->interpolate(levels_[1].solution, u, &inverse);
}

}  // namespace poisson
