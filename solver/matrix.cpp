#include "solver/matrix.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/error.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/galerkin.hpp"
#include "solver/jacobi.hpp"

namespace poisson {

Options resolve_options(const Options& given, const BandedMatrix& matrix) {
  if (given.method == Method::direct || given.preconditioner == PreconditionerChoice::direct)
    throw InputError("a matrix has no axes to be separated into, and no direct solution: use multigrid or cg");
  Options options = given;
  const auto far = matrix.reach();
  if (options.method == Method::automatic && !matrix.symmetric())
    options.method = Method::jacobi;
  else if (options.method == Method::automatic && std::max({far[0], far[1], far[2]}) > 1)
    options.method = Method::cg;
  if (options.method == Method::automatic || options.method == Method::multigrid)
    options.coarse_operator = CoarseOperator::galerkin;
  return options.choose(std::numeric_limits<double>::infinity());
}

std::unique_ptr<Solver> make_solver(Backend& backend, const BandedMatrix& matrix, const Options& given,
                                    Profile* profile) {
  const Plan plan = make_plan(matrix, given, backend.on_gpu());
  const Options& options = plan.options;
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  backend.reserve(plan.most());
  Bands bands = make_bands(backend, matrix);
  std::shared_ptr<const Operator> A = grid_kernels(backend).make_banded_operator(backend, bands, inner);
  Hierarchy hierarchy;
  if (options.method == Method::multigrid)
    hierarchy = make_galerkin_hierarchy(A, outer == inner ? std::exchange(bands, {}) : bands,
                                        plan.hierarchy.front().block, plan.hierarchy, true);
  else
    hierarchy.operators.push_back(A);
  if (outer == inner) bands = {};  // the operator has what it needs
  if (profile) {
    hierarchy = profile->wrap(std::move(hierarchy));
    A = hierarchy.operators.front();
  }
  if (outer != inner) {
    A = grid_kernels(backend).make_banded_operator(backend, bands, outer);
    if (profile) A = profile->wrap(std::move(A));
  }
  std::unique_ptr<Preconditioner> own;
  if (options.method == Method::jacobi) own = std::make_unique<JacobiSweeps>(A, nullptr, options.smoother);
  return std::make_unique<Solver>(std::move(A), std::move(hierarchy), options, nullptr, Ladder{}, Traits{},
                                  std::move(own));
}

}  // namespace poisson
