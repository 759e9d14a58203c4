#include "solver/matrix_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/galerkin.hpp"
#include "grids/results/gather.hpp"
#include "grids/sampling/sampling.hpp"
#include "solver/rehearsal.hpp"

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

// Multiplies each value by `factor` of its index and stores it in the sub-block of this process. `values` belong to the
// points of `points`, which include the ones shared with the next processes.
template <class Factor>
void put(const std::vector<double>& values, const Box& points, const Factor& factor, Field& field) {
  const auto host = make_cpu_backend();
  Field staging(*host, field.space(), field.precision());
  const std::int64_t nx = points.last[0] - points.first[0], ny = points.last[1] - points.first[1];
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = staging.view<T>();
    for_each_place(field.layout().box(), [&](int i, int j, int k) {
      const auto n = static_cast<std::size_t>((k * ny + j) * nx + i);
      view(i, j, k) = static_cast<T>(factor(n) * values[n]);
    });
  });
  transfer(staging, field);
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
    if (part.space().part().cuts().count(d) > 1 && far[d] > cut_halo)
      throw InputError("the matrix couples points that are " + std::to_string(far[d]) + " apart along " + "xyz"[d] +
                       ", but several processes support couplings of at most " + std::to_string(cut_halo) +
                       " across a cut: cut another axis (backend.blocks), or start one process without mpirun");
}

MatrixModel::MatrixModel(Backend& backend, const BandedMatrix& matrix, const Sharing& sharing, Quantity source,
                         std::optional<Quantity> initial)
    : backend_(backend),
      matrix_(matrix),
      sharing_(sharing),
      source_(std::move(source)),
      initial_(std::move(initial)),
      block_(sharing.part_of(make_block(matrix))),
      space_(block_.space()),
      points_(shown_places(block_, Location::node)) {}

Plan MatrixModel::plan(const Options& options) const {
  Plan plan = choose_plan(matrix_, options, backend_.on_gpu());
  check_couplings(matrix_, block_);
  return plan;
}

void MatrixModel::count_bytes(Plan& plan) const {
  rehearse(plan, matrix_, sharing_);
}

Traits MatrixModel::traits(const Options&) const {
  Traits traits;
  traits.row_shape = std::ranges::max(matrix_.reach()) > 1 ? RowShape::far
                     : reaches_corners(matrix_)            ? RowShape::box
                                                           : RowShape::star;
  return traits;
}

Hierarchy MatrixModel::levels(const Plan& plan) const {
  bands_ = bands();
  const bool once = plan.options.precision != SolvePrecision::mixed;
  Bands bands = *bands_;
  std::shared_ptr<const Operator> A = finest(plan, plan.hierarchy.front().precision);
  if (!once) bands_ = bands;
  if (plan.options.method == Method::multigrid)
    return make_galerkin_hierarchy(std::move(A), std::move(bands), block_, plan.hierarchy, 0, sharing_);
  Hierarchy alone;
  alone.operators.push_back(std::move(A));
  return alone;
}

// Multigrid on several processes needs rows of a fixed shape, as on its coarser levels. Their colours are those of the
// bands.
std::unique_ptr<Operator> MatrixModel::finest(const Plan& plan, Precision precision) const {
  const Bands bands = bands_ ? *std::exchange(bands_, std::nullopt) : this->bands();
  if (block_.share && plan.options.method == Method::multigrid)
    return grid_kernels(backend_).make_box_operator(backend_, counted_alike(block_), bands, precision);
  return grid_kernels(backend_).make_banded_operator(backend_, bands, precision);
}

Bands MatrixModel::bands() const {
  Bands bands = make_bands(backend_, matrix_, block_);
  scale_ = bands.scale;
  return bands;
}

double MatrixModel::fill(Field& b, Field& u) const {
  if (scale_ == 0) bands();
  const std::vector<double> factors = this->factors();
  const auto factor = [&](std::size_t n) { return factors.empty() ? 1 : factors[n]; };
  put(
      rhs(), points_, [&](std::size_t n) { return scale_ * factor(n); }, b);
  if (!initial_) u.backend().fill(u, 0);
  if (initial_)
    put(
        sample_points(*initial_, "initial", block_.global(), points_), points_,
        [&](std::size_t n) { return 1 / factor(n); }, u);
  double size = 0;
  for_each_own(b, [&](double value, int i, int j, int k) { size += std::abs(value / scale_ / factor_at(i, j, k)); });
  return sharing_.processes->sum(size);
}

std::vector<double> MatrixModel::rhs() const {
  if (matrix_.rhs.empty()) return sample_points(source_, "source", block_.global(), points_);
  std::vector<double> values;
  for_each_place(points_, [&](int x, int y, int z) { values.push_back(matrix_.rhs[matrix_.place(x, y, z)]); });
  return values;
}

std::vector<double> MatrixModel::factors() const {
  std::vector<double> values;
  if (!matrix_.exponents.empty())
    for_each_place(points_, [&](int x, int y, int z) { values.push_back(matrix_.factor(matrix_.place(x, y, z))); });
  return values;
}

double MatrixModel::factor_at(int i, int j, int k) const {
  const auto& first = space_.part().origin();
  return matrix_.factor(matrix_.place(first[0] + i, first[1] + j, first[2] + k));
}

std::vector<double> sample_points(const Quantity& quantity, std::string_view name, const Block& whole, const Box& box) {
  try {
    return sample(quantity, name, Sign::any, {whole}, Location::node, box);
  } catch (const ValueError& error) {
    throw ValueErrors({error});
  }
}

}  // namespace poisson
