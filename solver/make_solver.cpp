#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/processes/machine.hpp"
#include "backends/transforms/constant_line.hpp"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/fallbacks/floating_subdomains.hpp"
#include "solver/fallbacks/whole_operator.hpp"
#include "solver/jacobi.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/norms.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

// Ranges of κ over the box. Beyond the first, energies estimate errors better than steps. Beyond the second, D⁻¹ hides
// errors unless coarse operators are Galerkin products.
constexpr double uneven_range = 10, hiding_range = 1e4;
// Beyond this range of κ a small error of u may be a large flow.
constexpr double unbalancing_range = 1e2;
// Floating subdomains are searched for up to this number of unknowns: their rows temporarily need 400 bytes each.
constexpr std::int64_t most_looked_at = std::int64_t{1} << 20;

// Makes the multigrid preconditioner for conjugate gradients that continue after a failed direct solution. Returns null
// if it needs more than half of the host's available memory.
std::unique_ptr<Preconditioner> multigrid_for(const Discretization& discretization, Options options,
                                              const KappaSummary& kappa) {
  options.method = Method::multigrid;
  options.preconditioner = PreconditionerChoice::multigrid;
  options.smoother = {};
  if (options.precision == SolvePrecision::mixed) options.precision = SolvePrecision::double_;
  const Plan plan = make_plan(discretization.problem(), options, discretization.assembly(),
                              discretization.backend().on_gpu(), kappa, discretization.sharing());
  const Processes& processes = *discretization.sharing().processes;
  const int here = count_on_machine(processes);
  const double room = processes.least(static_cast<double>(available_memory(here).bytes));
  if (!discretization.backend().on_gpu() && static_cast<double>(plan.most()) / processes.count() > 0.5 * room)
    return nullptr;
  return std::make_unique<Multigrid>(discretization.make_hierarchy(plan.hierarchy), plan.options);
}

}  // namespace

std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& asked, Profile* profile) {
  const bool shared = !discretization.processes().alone();
  const Space space = discretization.block().space();
  const Parts parts = parts_of(space);
  const bool preconditions = asked.preconditioner == PreconditionerChoice::direct;
  if (asked.method == Method::direct || preconditions) {
    const Problem& problem = discretization.problem();
    const std::string reason =
        preconditions ? no_direct_preconditioner(problem, parts) : no_direct_solution(problem, parts);
    if (!reason.empty())
      throw InputError(std::string("the problem has no direct ") + (preconditions ? "preconditioner" : "solution") +
                       " (" + reason + "): use multigrid");
  }
  const KappaSummary kappa{discretization.rows().kappa, discretization.jumps()};
  const Plan plan = make_plan(discretization.problem(), asked, discretization.assembly(),
                              discretization.backend().on_gpu(), kappa, discretization.sharing());
  const Options& options = plan.options;
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  const double part = static_cast<double>(space.layout().size()) / static_cast<double>(space.size());
  const std::size_t most = shared ? static_cast<std::size_t>(part * static_cast<double>(plan.most())) : plan.most();
  // A thin block with its halos may already have more.
  discretization.backend().reserve(most - std::min(most, discretization.bytes()));
  Hierarchy hierarchy;
  if (options.method == Method::multigrid)
    hierarchy = discretization.make_hierarchy(plan.hierarchy);
  else
    hierarchy.operators.push_back(discretization.make_operator(inner));
  std::shared_ptr<const Operator> plain = hierarchy.operators.front();
  if (profile) hierarchy = profile->wrap(std::move(hierarchy));
  std::shared_ptr<const Operator> A = hierarchy.operators.front();
  if (outer != inner) {
    A = plain = discretization.make_operator(outer);
    if (profile) A = profile->wrap(std::move(A));
  }
  const Problem& problem = discretization.problem();
  Traits traits;
  if (problem.centering == Centering::cell)
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
      for (std::size_t end = 0; end < 2; ++end)
        traits.given_in_halo[d][end] = problem.boundary[d][end].kind == BoundaryKind::dirichlet;
  if (discretization.jumps().range >= unbalancing_range)
    traits.imbalance = [&discretization, enough = options.tolerance](const Operator& of_u, const Field& u,
                                                                     const Field& b, Field& work) {
      return imbalance(discretization, of_u, u, b, work, enough);
    };
  traits.starts_from_residual =
      problem.centering == Centering::cell && options.coarse_operator == CoarseOperator::galerkin;
  traits.uneven = discretization.jumps().range >= uneven_range || !problem.reaction.constant();
  traits.cancels = on_elements(problem.scheme);
  if (auto constrained = std::make_shared<ConstrainedNodes>(discretization.context()); constrained->some())
    traits.constrained = std::move(constrained);
  const auto multigrid = [&discretization, asked, kappa] { return multigrid_for(discretization, asked, kappa); };
  traits.judge = [multigrid, plain, elements = on_elements(problem.scheme)] {
    const FallbackChain exact = make_fallback_chain(plain, elements, Fallback::automatic);
    const bool cheap = !exact.empty() && exact.front().offer().kind == Offer::Kind::accepted;
    std::unique_ptr<Preconditioner> judge = cheap ? exact.front().make() : nullptr;
    return judge ? std::move(judge) : multigrid();
  };
  if (!has_mixed_bc(problem))
    traits.error_per_residual = error_per_residual(problem, kappa.mean) * std::max(1.0, kappa.jumps.range);
  traits.homogeneous = [&discretization] { return has_zero_faces(discretization.problem()); };
  const std::int64_t looked_for = discretization.backend().kind() == BackendKind::cpu ? most_looked_at : largest_read;
  if (outer == Precision::fp64 && options.krylov == Krylov::cg && options.fallback != Fallback::never &&
      options.tolerance > 0 && options.coarse_operator != CoarseOperator::galerkin &&
      discretization.jumps().range >= hiding_range && space.unknown_count() <= looked_for) {
    const std::shared_ptr<const Operator> all = shared ? whole_operator(*plain, on_elements(problem.scheme)) : plain;
    Field in(all->backend(), all->space(), outer), out(all->backend(), all->space(), outer);
    traits.floating_subdomains = std::make_shared<const FloatingSubdomains>(*all, in, out);
  }
  FallbackChain chain;
  if (options.tolerance > 0 &&
      (options.method == Method::multigrid || options.preconditioner == PreconditionerChoice::direct))
    chain = make_fallback_chain(plain, on_elements(problem.scheme), options.fallback);
  if (options.method == Method::direct && options.tolerance > 0 && outer == Precision::fp64 &&
      options.fallback != Fallback::never) {
    chain = make_fallback_chain(plain, on_elements(problem.scheme), options.fallback);
    chain.insert(chain.begin(), {"conjugate gradients preconditioned by multigrid", [] { return Offer{}; }, multigrid});
  }
  std::unique_ptr<Preconditioner> own;
  if (options.method == Method::jacobi) {
    std::unique_ptr<SweepPass> pass;
    if (discretization.stored_assembly() == Assembly::partial &&
        is_pass_worth_it(discretization.backend(), discretization.scheme_rows(), outer))
      pass = make_sweep_pass(discretization.backend(), discretization.scheme_rows(), outer);
    if (profile && pass) pass = profile->wrap(std::move(pass));
    own = std::make_unique<JacobiSweeps>(A, std::move(pass), options.smoother);
  }
  if (options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct) {
    std::unique_ptr<DiagonalScaling> scaling;
    std::unique_ptr<AxisProducts> products;
    bool drops_mean = false;
    // Falls back to multigrid if the direct method was chosen automatically and a library is missing here or on another
    // process.
    const auto without = [&] {
      if (asked.method == Method::direct || asked.preconditioner == PreconditionerChoice::direct) throw;
      Options others = asked;
      others.method = Method::multigrid;
      if (options.preconditioner == PreconditionerChoice::direct)
        others.preconditioner = PreconditionerChoice::multigrid;
      return make_solver(discretization, others, profile);
    };
    try {
      TensorInverse inverse;
      together(space.processes(), [&] {
        inverse = tensor_inverse(problem, discretization.block(), kappa.mean, discretization.rows().scale);
      });
      drops_mean = constant_line(inverse).has_value();
      together(space.processes(),
               [&] { products = make_axis_products(discretization.backend(), A->layout(), outer, inverse); });
      products->reserve_halo_buffers();
    } catch (const RunError&) {
      return without();
    } catch (const std::bad_alloc&) {  // on one process; the others are stopped
      return without();
    } catch (const StoppedElsewhere&) {
      return without();
    }
    if (profile) products = profile->wrap(std::move(products));
    if (options.preconditioner == PreconditionerChoice::direct && scales_by_diagonal(kappa.jumps)) {
      Field diagonal(A->backend(), A->space(), outer);
      A->diagonal(diagonal);
      scaling = make_diagonal_scaling(
          tensor_diagonal(problem, discretization.block(), kappa.mean, discretization.rows().scale), diagonal);
    }
    std::unique_ptr<DataProjection> projection;
    if (options.method == Method::direct && A->singular())
      projection = make_data_projection(
          discretization.backend(), A->space(),
          tensor_diagonal(problem, discretization.block(), kappa.mean, discretization.rows().scale),
          tensor_mass(problem, discretization.block(), kappa.mean, discretization.rows().scale));
    if (profile && projection) projection = profile->wrap(std::move(projection));
    traits.projection = std::move(projection);
    own = std::make_unique<FastDiagonalization>(A->backend(), A->space(), outer, std::move(products),
                                                options.method == Method::direct, drops_mean, std::move(scaling));
  }
  return std::make_unique<Solver>(
      std::move(A), std::move(hierarchy), options,
      options.extrapolate ? std::make_unique<Extrapolation>(discretization, outer) : nullptr, std::move(chain), traits,
      std::move(own));
}

}  // namespace poisson
