#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/processes/machine.hpp"
#include "solver/fallbacks/floating_subdomains.hpp"
#include "solver/fallbacks/whole_operator.hpp"
#include "solver/jacobi.hpp"
#include "solver/model.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/norms.hpp"

namespace poisson {
namespace {

// Beyond this range of κ, D⁻¹ hides errors unless coarse operators are Galerkin products.
constexpr double hiding_range = 1e4;
// Floating subdomains are searched for up to this number of unknowns: their rows temporarily need 400 bytes each.
constexpr std::int64_t most_looked_at = std::int64_t{1} << 20;

// Reserves what the plan adds to the memory that the backend has allocated.
void reserve(const Model& model, const Plan& plan) {
  const std::size_t most = plan.most(), now = model.backend().memory().now();
  model.backend().reserve(most - std::min(most, now));
}

// Makes the multigrid preconditioner for conjugate gradients that continue after a failed direct solution. Returns null
// if it needs more than half of the host's available memory.
std::unique_ptr<Preconditioner> multigrid_for(const Model& model, Options options) {
  options.method = Method::multigrid;
  options.preconditioner = PreconditionerChoice::multigrid;
  options.smoother = {};
  if (options.precision == SolvePrecision::mixed) options.precision = SolvePrecision::double_;
  Plan plan = model.plan(options);
  const Processes& processes = model.space().processes();
  const int here = count_on_machine(processes);
  const double room = processes.least(static_cast<double>(available_memory(here).bytes));
  if (!model.backend().on_gpu()) model.count_bytes(plan);
  if (static_cast<double>(plan.most()) > 0.5 * room) return nullptr;
  return std::make_unique<Multigrid>(model.levels(plan), plan.options);
}

// Returns the floating subdomains of an operator, or null if errors on them are visible or a search is too expensive.
std::shared_ptr<const FloatingSubdomains> floating_subdomains(const Traits& traits, const Options& options,
                                                              const std::shared_ptr<const Operator>& A) {
  const Space& space = A->space();
  const std::int64_t most = A->backend().kind() == BackendKind::cpu ? most_looked_at : largest_read;
  if (A->precision() != Precision::fp64 || options.krylov != Krylov::cg || options.fallback == Fallback::never ||
      !(options.tolerance > 0) || options.coarse_operator == CoarseOperator::galerkin || traits.range < hiding_range ||
      space.unknown_count() > most)
    return nullptr;
  const auto all = space.processes().alone() ? A : whole_operator(*A, traits.row_shape == RowShape::box);
  Field in(all->backend(), all->space(), all->precision()), out(all->backend(), all->space(), all->precision());
  if (rehearses(all->backend())) return nullptr;
  return std::make_shared<const FloatingSubdomains>(*all, in, out);
}

FallbackChain fallbacks(const Model& model, const Options& asked, const Traits& traits, const Options& options,
                        const std::shared_ptr<const Operator>& A) {
  if (!(options.tolerance > 0) || traits.row_shape == RowShape::far) return {};
  const auto exact = [&] { return make_fallback_chain(A, traits.row_shape == RowShape::box, options.fallback); };
  if (options.method == Method::direct && A->precision() == Precision::fp64 && options.fallback != Fallback::never) {
    FallbackChain chain = exact();
    chain.insert(chain.begin(), {"conjugate gradients preconditioned by multigrid", [] { return Offer{}; },
                                 [&model, asked] { return multigrid_for(model, asked); }});
    return chain;
  }
  if (options.method == Method::multigrid || options.preconditioner == PreconditionerChoice::direct) return exact();
  return {};
}

// Makes a preconditioner that detects errors which point sweeps and diagonal scaling miss.
std::unique_ptr<Preconditioner> make_judge(const Model& model, const Options& asked, RowShape shape,
                                           const std::shared_ptr<const Operator>& A) {
  const FallbackChain exact = make_fallback_chain(A, shape == RowShape::box, Fallback::automatic);
  const bool cheap = !exact.empty() && exact.front().offer().kind == Offer::Kind::accepted;
  std::unique_ptr<Preconditioner> judge = cheap ? exact.front().make() : nullptr;
  return judge ? std::move(judge) : multigrid_for(model, asked);
}

bool is_direct(const Options& options) {
  return options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct;
}

// Returns the options with multigrid in place of a direct method that was chosen automatically.
Options without_direct(Options asked, const Options& chosen) {
  asked.method = Method::multigrid;
  if (chosen.preconditioner == PreconditionerChoice::direct) asked.preconditioner = PreconditionerChoice::multigrid;
  return asked;
}

SolverParts make_parts(const Model& model, const Plan& plan, const Options& asked, Profile* profile) {
  const Options& options = plan.options;
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  Hierarchy hierarchy = model.levels(plan);
  std::shared_ptr<const Operator> plain = hierarchy.operators.front();
  if (profile) hierarchy = profile->wrap(std::move(hierarchy));
  std::shared_ptr<const Operator> A = hierarchy.operators.front();
  if (outer != inner || model.has_own_finest()) {
    A = plain = model.finest(plan, outer);
    if (profile) A = profile->wrap(std::move(A));
  }
  SolverParts parts;
  parts.options = options;
  for (const LevelPlan& level : plan.hierarchy) parts.relaxations.push_back(level.smoothed());
  parts.traits = model.traits(options);
  Traits& traits = parts.traits;
  if (traits.hides_smooth_errors)
    traits.judge = [&model, asked, plain, shape = traits.row_shape] { return make_judge(model, asked, shape, plain); };
  traits.floating_subdomains = floating_subdomains(traits, options, plain);
  parts.chain = fallbacks(model, asked, traits, options, plain);
  if (options.method == Method::jacobi) {
    std::unique_ptr<SweepPass> pass = model.sweep_pass(outer);
    if (profile && pass) pass = profile->wrap(std::move(pass));
    parts.sweeps = std::make_unique<JacobiSweeps>(A, std::move(pass), options.smoother);
  } else if (is_direct(options)) {
    parts.direct = model.direct(*A, options, is_direct(asked), profile);
    if (!parts.direct) {
      const Options other = without_direct(asked, options);
      return make_parts(model, model.plan(other), other, profile);
    }
  }
  if (options.amg != Amg::own) parts.sweeps = model.preconditioner(options);
  if (options.extrapolate) parts.extrapolation = model.extrapolation(outer);
  parts.A = std::move(A);
  parts.hierarchy = std::move(hierarchy);
  return parts;
}

}  // namespace

std::unique_ptr<FastDiagonalization> Model::direct(const Operator&, const Options&, bool, Profile*) const {
  return nullptr;
}

std::unique_ptr<Solver> make_solver(const Model& model, const Options& asked, Profile* profile, const Plan* counted) {
  Plan plan = counted ? *counted : model.plan(asked);
  if (!rehearses(model.backend())) {
    if (!counted) model.count_bytes(plan);
    reserve(model, plan);
  }
  SolverParts parts = make_parts(model, plan, asked, profile);
  parts.remake = [&model, asked, profile] { return make_parts(model, model.plan(asked), asked, profile); };
  return std::make_unique<Solver>(std::move(parts));
}

}  // namespace poisson
