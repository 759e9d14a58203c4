#include "solver/matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/galerkin.hpp"
#include "solver/jacobi.hpp"

namespace poisson {
namespace {

// Returns a block on which all points of a matrix have equal weights in sums, like cells of equal widths. Nodes at the
// ends of axes would have other weights.
Block counted_alike(const Block& block) {
  Block cells;
  for (std::size_t d = 0; d < 3; ++d)
    if (const int n = block.axes[d].global().size(); n > 1)
      cells.axes[d] = Axis(uniform_nodes(0, n, n), BoundaryKind::neumann, BoundaryKind::neumann, {}, Centering::cell);
  return block.share ? cells.part(block.share) : cells;
}

// Returns whether rows couple more than the nearest neighbours along axes.
bool reaches_corners(const BandedMatrix& matrix) {
  return std::ranges::any_of(matrix.offsets,
                             [](const Offset& o) { return std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]) > 1; });
}

}  // namespace

Options resolve_options(const Options& given, const BandedMatrix& matrix) {
  if (given.method == Method::direct || given.preconditioner == PreconditionerChoice::direct)
    throw InputError("a matrix has no axes for a direct solver: use multigrid or cg");
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

void check_couplings(const BandedMatrix& matrix, const Block& part) {
  const auto far = matrix.reach();
  for (std::size_t d = 0; d < 3; ++d)
    if (part.space().cuts().count(d) > 1 && far[d] > cut_halo)
      throw InputError("the matrix couples points that are " + std::to_string(far[d]) + " apart along " + "xyz"[d] +
                       ", but several processes support couplings of at most " + std::to_string(cut_halo) +
                       " across a cut: cut another axis (backend.blocks), or start one process without mpirun");
}

std::unique_ptr<Solver> make_solver(Backend& backend, const BandedMatrix& matrix, const Options& given,
                                    Profile* profile, const Sharing& sharing) {
  const Plan plan = make_plan(matrix, given, backend.on_gpu());
  const Options& options = plan.options;
  const Precision outer = options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
  const Precision inner = options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  const Block block = sharing.part_of(make_block(matrix));
  check_couplings(matrix, block);
  const auto part = static_cast<double>(block.layout().size()) / static_cast<double>(block.space().size());
  backend.reserve(static_cast<std::size_t>(part * static_cast<double>(plan.most())));
  Bands bands = make_bands(backend, matrix, block);
  // Multigrid on several processes needs rows of a fixed shape, as on its coarser levels. Their colours are those of
  // the bands.
  const auto operator_in = [&](Precision precision) -> std::shared_ptr<const Operator> {
    if (block.share && options.method == Method::multigrid)
      return grid_kernels(backend).make_box_operator(backend, counted_alike(block), bands, precision);
    return grid_kernels(backend).make_banded_operator(backend, bands, precision);
  };
  std::shared_ptr<const Operator> A = operator_in(inner), plain = A;
  Hierarchy hierarchy;
  if (options.method == Method::multigrid)
    hierarchy = make_galerkin_hierarchy(A, outer == inner ? std::exchange(bands, {}) : bands, block, plan.hierarchy,
                                        true, sharing);
  else
    hierarchy.operators.push_back(A);
  if (outer == inner) bands = {};  // the operator has its own copy
  if (profile) {
    hierarchy = profile->wrap(std::move(hierarchy));
    A = hierarchy.operators.front();
  }
  if (outer != inner) {
    A = plain = operator_in(outer);
    if (profile) A = profile->wrap(std::move(A));
  }
  FallbackChain chain;
  const auto far = matrix.reach();
  if (options.tolerance > 0 && options.method == Method::multigrid && std::max({far[0], far[1], far[2]}) <= 1)
    chain = make_fallback_chain(plain, reaches_corners(matrix), options.fallback);
  std::unique_ptr<Preconditioner> own;
  if (options.method == Method::jacobi) own = std::make_unique<JacobiSweeps>(A, nullptr, options.smoother);
  return std::make_unique<Solver>(std::move(A), std::move(hierarchy), options, nullptr, std::move(chain), Traits{},
                                  std::move(own));
}

}  // namespace poisson
