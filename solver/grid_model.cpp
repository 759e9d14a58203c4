#include "solver/grid_model.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "backends/transforms/constant_line.hpp"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/problem/media.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "solver/cell_energy.hpp"
#include "solver/rehearsal.hpp"

namespace poisson {
namespace {

// From this range of κ, energies estimate errors better than steps.
constexpr double uneven_range = 10;
// From this range of κ, a small error of u may be a large flow.
constexpr double unbalancing_range = 1e2;

// Throws InputError if the problem has no direct solution or preconditioner and the options request one.
void check_direct(const Problem& problem, const Parts& parts, const Options& options) {
  const bool preconditions = options.preconditioner == PreconditionerChoice::direct;
  if (options.method != Method::direct && !preconditions) return;
  const std::string reason =
      preconditions ? no_direct_preconditioner(problem, parts) : no_direct_solution(problem, parts);
  if (!reason.empty())
    throw InputError(std::string("the problem has no direct ") + (preconditions ? "preconditioner" : "solution") +
                     " (" + reason + "): use multigrid");
}

}  // namespace

GridModel::GridModel(Backend& backend, Problem problem, Assembly assembly, Sampling sampling, const Sharing& sharing)
    : own_(std::make_shared<Discretization>(backend, std::move(problem), assembly, sampling, sharing)),
      sampling_(sampling),
      space_(own_->block().space()) {
  discretization_ = own_;
}

GridModel::GridModel(const Discretization& discretization)
    : discretization_(std::shared_ptr<void>(), &discretization), space_(discretization.block().space()) {}

void GridModel::update(GridData data) {
  if (!own_) throw std::logic_error("a model of a discretization that the caller owns cannot be updated");
  if (data.media) own_->set_media(std::move(data.media));
  const bool with_alpha =
      std::ranges::any_of(data.faces, [](const GridData::Face& face) { return face.alpha.has_value(); });
  if (!data.coefficient.empty() || data.reaction || with_alpha) {
    Problem problem = own_->problem();
    if (problem.media && !data.coefficient.empty())
      throw std::invalid_argument("the coefficient of a problem with materials comes from these");
    if (data.coefficient.size() > problem.coefficient.size())
      throw std::invalid_argument("the coefficient has at most three components on the diagonal");
    std::ranges::move(data.coefficient, problem.coefficient.begin());
    if (data.reaction) problem.reaction = std::move(*data.reaction);
    if (problem.media) use_media(problem, problem.media);
    for (GridData::Face& face : data.faces) {
      if (!face.alpha) continue;
      Boundary& b = problem.boundary.at(static_cast<std::size_t>(face.axis)).at(static_cast<std::size_t>(face.end));
      if (b.kind != BoundaryKind::robin || b.mixed_bc)
        throw std::invalid_argument("an alpha is for a Robin face with one condition");
      b.alpha = std::move(*face.alpha);
    }
    floating_modes_ = {};
    own_ = std::make_shared<Discretization>(own_->backend(), std::move(problem), own_->assembly(), sampling_,
                                            own_->sharing());
    discretization_ = own_;
  }
  for (GridData::Face& face : data.faces)
    if (face.value) own_->set_boundary_value(face.axis, face.end, std::move(*face.value));
  if (data.source) own_->set_source(std::move(*data.source));
  if (data.initial) own_->set_initial(std::move(data.initial));
  if (data.exact) own_->set_exact(std::move(data.exact));
}

Plan GridModel::plan(const Options& options) const {
  const Discretization& d = *discretization_;
  check_direct(d.problem(), parts_of(space_), options);
  Plan plan = choose_plan(d.problem(), options, d.assembly(), d.backend().on_gpu(), kappa(), d.sharing());
  plan.floating_bodies = FloatingModes::count(d);
  return plan;
}

void GridModel::count_bytes(Plan& plan) const {
  rehearse(plan, discretization_->problem(), discretization_->assembly(), kappa(), discretization_->sharing());
}

Traits GridModel::traits(const Options& options) const {
  const Discretization& d = *discretization_;
  const Problem& problem = d.problem();
  const double range = d.jumps().range;
  Traits traits;
  traits.row_shape = on_elements(problem.scheme) ? RowShape::box : RowShape::star;
  traits.range = range;
  traits.hides_smooth_errors = true;
  traits.rounding_growth = rounding_growth(problem);
  if (!has_mixed_bc(problem))
    traits.error_per_residual = error_per_residual(problem, d.rows().kappa) * std::max(1.0, range);
  const bool cells = problem.centering == Centering::cell;
  traits.starts_from_residual = cells && options.coarse_operator == CoarseOperator::galerkin;
  traits.uneven = range >= uneven_range || !problem.reaction.constant();
  traits.cancels = on_elements(problem.scheme);
  traits.homogeneous = [of = discretization_] { return has_zero_faces(of->problem()); };
  if (d.media() && options.coarse_operator != CoarseOperator::galerkin)
    traits.drives_by_walls = [of = discretization_] {
      return std::ranges::any_of(of->media()->media().materials,
                                 [](const Material& m) { return m.fixed.value_or(0) != 0; });
    };
  if (range >= unbalancing_range)
    traits.imbalance = [of = discretization_, enough = options.tolerance](const Operator& A, const Field& u,
                                                                          const Field& b, Field& work) {
      return imbalance(*of, A, u, b, work, enough);
    };
  if (cells)
    if (const GivenFaces given = faces_given_in_halo(problem); given != GivenFaces{})
      traits.energy = [given](const Operator& A, Field& u, Field& Au, Scalar& sum) {
        return cell_energy(A, given, u, Au, sum);
      };
  // Constrained nodes refer to data of the discretization.
  auto constrained = std::make_shared<std::pair<std::shared_ptr<const Discretization>, ConstrainedNodes>>(
      discretization_, ConstrainedNodes(d.context()));
  if (constrained->second.some()) traits.constrained = {constrained, &constrained->second};
  return traits;
}

Hierarchy GridModel::levels(const Plan& plan) const {
  // Plans of other problems count wide rows, as a discretization of the caller has them.
  if (plan.options.method == Method::multigrid && plan.options.precision == SolvePrecision::single && own_ &&
      (own_->media() || narrow_))
    return own_->make_narrow_hierarchy(plan.hierarchy);
  if (plan.options.method == Method::multigrid) return discretization_->make_hierarchy(plan.hierarchy);
  Hierarchy alone;
  alone.operators.push_back(discretization_->make_operator(plan.hierarchy.front().precision));
  return alone;
}

std::unique_ptr<Operator> GridModel::finest(const Plan&, Precision precision) const {
  return discretization_->make_operator(precision);
}

std::unique_ptr<FastDiagonalization> GridModel::direct(const Operator& A, const Options& options, bool requested,
                                                       Profile* profile) const {
  const Discretization& d = *discretization_;
  const Problem& problem = d.problem();
  const Block& block = d.block();
  const std::array<double, 3>& kappa = d.rows().kappa;
  const double scale = d.rows().scale;
  const bool solves = options.method == Method::direct;
  std::unique_ptr<AxisProducts> products;
  bool drops_mean = false;
  try {
    TensorInverse inverse;
    together(space_.processes(),
             [&] { inverse = tensor_inverse(problem, block, kappa, scale, !rehearses(d.backend())); });
    drops_mean = constant_line(inverse).has_value();
    together(space_.processes(),
             [&] { products = make_axis_products(d.backend(), A.space().part().layout(), A.precision(), inverse); });
    products->reserve_halo_buffers();
  } catch (const RunError&) {
    if (requested) throw;
    return nullptr;
  } catch (const std::bad_alloc&) {  // on one process; the others are stopped
    if (requested) throw;
    return nullptr;
  } catch (const StoppedElsewhere&) {
    if (requested) throw;
    return nullptr;
  }
  if (profile) products = profile->wrap(std::move(products));
  std::unique_ptr<DiagonalScaling> scaling;
  if (options.preconditioner == PreconditionerChoice::direct && scales_by_diagonal(d.jumps())) {
    Field diagonal(A.backend(), A.space(), A.precision());
    A.diagonal(diagonal);
    scaling = make_diagonal_scaling(tensor_diagonal(problem, block, kappa, scale), diagonal);
  }
  return std::make_unique<FastDiagonalization>(A.backend(), A.space(), A.precision(), std::move(products), solves,
                                               drops_mean, std::move(scaling));
}

std::unique_ptr<SweepPass> GridModel::sweep_pass(Precision precision) const {
  const Discretization& d = *discretization_;
  if (d.stored_assembly() != Assembly::partial || !is_pass_worth_it(d.backend(), d.scheme_rows(), precision))
    return nullptr;
  return make_sweep_pass(d.backend(), d.scheme_rows(), precision);
}

std::unique_ptr<Extrapolation> GridModel::extrapolation(Precision precision) const {
  return std::make_unique<Extrapolation>(*discretization_, precision);
}

double GridModel::fill(Field& b, Field& u) const {
  const double size = discretization_->assemble_rhs(b);
  discretization_->initialize(u);
  return size;
}

Result GridModel::solve(Solver& solver, bool given_guess, const Solver::Listener& listener, Data data) {
  const MediaSystem* media = discretization_->media();
  if (!media || !media->floating()) return solver.solve(given_guess, listener);
  if (!own_) throw std::logic_error("floating bodies need a model that owns its discretization");
  return floating_modes_.solve(*own_, solver, given_guess, listener, data == Data::of_problem, rise_);
}

std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& options, Profile* profile) {
  auto model = std::make_unique<const GridModel>(discretization);
  std::unique_ptr<Solver> solver = make_solver(*model, options, profile);
  solver->own(std::move(model));
  return solver;
}

}  // namespace poisson
