// Chooses options for blocks, and counts the memory that their levels need.

#include <cmath>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/operators/relaxation.hpp"
#include "solver/blocks_model.hpp"
#include "solver/rows_model.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

// Cells whose widths differ by more than this need lines.
constexpr double round_cells = 2;
// Entries with 8 digits change A by at most a part of the energy that depends on the shape of cells and on κ.
constexpr double least_angle_of_narrow = 40;
constexpr std::int64_t least_unknowns_of_narrow = 100'000;  // on smaller levels launches take the time
// Residuals with entries of 32 digits belong to a matrix whose energy differs by at most 2.4e-10.
constexpr double least_tolerance_of_narrow = 1e-10;
// With corrections in fp32, A on a thin block that floats loses digits: from about this stretching on in blocks of thin
// cells alone (ε a² ≪ 1), and where the couplings along a line exceed those that hold it by the second number.
constexpr double most_stretched_in_fp32 = 1e3, most_floating_in_fp32 = 1e4;
// Entries of ShortRest have this error. What holds a thin line is weaker than couplings along it by the number above.
constexpr double cut_off_entries = 1.4e-12;
// Up to this range of κ the error of u needs no estimate in energy, which takes a field in fp64 (Traits::uneven).
constexpr double even_kappa = 10;

}  // namespace

BlockSmoothing smoothing_of(const Options& options, double stretch) {
  if (options.smoother.extent == RelaxationChoice::lines) return BlockSmoothing::lines;
  return options.smoother.extent || stretch <= round_cells ? BlockSmoothing::points : BlockSmoothing::lines;
}

bool has_short_directions(const Options& options, double range) {
  return options.method == Method::multigrid && options.precision == SolvePrecision::mixed &&
         options.krylov == Krylov::cg && range <= even_kappa;
}

bool has_shared_entries(const Options& options, const CellStretch& stretch, bool isotropic, double range) {
  return options.method == Method::multigrid && options.precision == SolvePrecision::mixed && isotropic &&
         cut_off_entries * range * std::max(1.0, stretch.floating) <= options.tolerance;
}

Options resolve_block_options(const Options& given, const CellStretch& stretch, int dimension) {
  if (given.amg == Amg::hypre)
    throw InputError("solver.amg: hypre solves meshes and matrices, but blocks have multigrid of their own: remove it");
  Options rows = given;
  if (rows.smoother.extent == RelaxationChoice::planes)
    throw InputError("solver.smoother.type: plane needs a box, but blocks have no planes in common: write line");
  rows.smoother.extent = {};
  if (rows.coarse_operator == CoarseOperator::rediscretized) rows.coarse_operator = CoarseOperator::automatic;
  Options options = resolve_row_options(rows);
  options.smoother.extent = given.smoother.extent;
  if (!given.smoother.kind) {
    const bool lines = smoothing_of(given, stretch) == BlockSmoothing::lines;
    options.smoother.given.insert_or_assign("interval", lines ? (dimension == 2 ? 10.0 : 16.0) : 6.0);
  }
  if (!given.smoother.pre) options.smoother.pre = 0;
  if (!given.smoother.post) options.smoother.post = 5;
  if (options.precision == SolvePrecision::mixed && stretch.largest > most_stretched_in_fp32 &&
      stretch.floating > most_floating_in_fp32)
    options.precision = SolvePrecision::double_;
  return options;
}

namespace {

// Describes what a solve on a GPU stores.
struct StoredOnGpu {
  bool multigrid, lines, mixed, single, directions, short_directions, shared, computes, restores;
  double value;  ///< bytes of a correction
};

// Returns the bytes of lines: a field of points and one of the residual, factors, a memory for what the first half of
// the recursion finds, and lists of values at interfaces. Lines along several axes need a field for their sum. Those
// that cross interfaces need two more fields, weights, and lists of their ends.
double bytes_of_lines(const BlockLevelSize& size, double value, double field) {
  const BlockLevelSize::Lines& of = size.lines;
  double bytes = 2 * field + value * (2 * of.factors + of.listed) + 8 * of.slots;
  if (of.several || of.ends > 0) bytes += field;
  if (of.ends > 0) bytes += 2 * field + value * of.weights + 36 * of.ends + 4 * size.slots;
  return bytes;
}

// Returns the bytes of a level on a GPU. Corrections have entries, the inverse diagonal, slots and three fields; tables
// of interfaces have places of 8 bytes. The finest level also has entries of the residual, its slots and fields.
double bytes_on_gpu(const BlockLevelSize& size, bool finest, const StoredOnGpu& of, bool narrow) {
  const double field = size.field[of.value == 8 ? 1 : 0], wide = size.field[1], nodes = static_cast<double>(size.nodes),
               sums = size.sums ? nodes : 0;
  double bytes = size.slots * 4 + size.interfaces * (2 * 8 + 4) + 4;
  // Transfers use the owners of slots, steps at points the copies, and restrictions slots of their own.
  const bool lines = of.lines && size.lines.factors > 0;
  if (of.multigrid)
    bytes += size.slots * (16 + (finest ? 1 : 2) * of.value) + of.value * sums + 4 * field +
             (narrow ? 2 : of.value) * size.bands;
  if (of.multigrid && lines) bytes += bytes_of_lines(size, of.value, field);
  if (!finest) return bytes;
  // Refinement has the solution, the loads and perhaps the best iterate; conjugate gradients have four more fields, or
  // two short directions.
  if (!of.multigrid || of.mixed) {
    const double rest = narrow ? 3 : of.shared ? 2 : 8;
    bytes += of.computes && size.computed > 0 ? size.computed * nodes : rest * size.bands + 8 * sums;
    bytes += 8 * size.slots + (of.multigrid ? 0 : wide);
  }
  if (of.short_directions) return bytes + 2 * (wide + field);
  return bytes + (of.directions ? 6 : of.restores ? 3 : 2) * (of.single ? size.field[0] : wide);
}

}  // namespace

bool has_narrow_entries(const Options& options, const CellStretch& stretch, bool isotropic, std::int64_t unknowns) {
  return options.precision == SolvePrecision::mixed && options.tolerance >= least_tolerance_of_narrow &&
         smoothing_of(options, stretch) == BlockSmoothing::points && isotropic && stretch.largest <= round_cells &&
         stretch.sharpest >= least_angle_of_narrow && unknowns > least_unknowns_of_narrow;
}

// Returns whether cycles alone take less time than conjugate gradients around them: cells are round, κ jumps little,
// and no node inside a block has a given value. Each of these leaves errors that cycles reduce slowly.
static bool cycles_suffice(const Options& options, const BlockLevelSize& finest, const CellStretch& stretch,
                           double range) {
  return options.method == Method::multigrid && range < steep_jump && !finest.pinned &&
         has_narrow_entries(options, stretch, finest.isotropic, finest.unknowns);
}

bool keeps_last_iterate(const Options& options, const CellStretch& stretch, const BlockLevelSize& finest) {
  return options.krylov == Krylov::none && has_narrow_entries(options, stretch, finest.isotropic, finest.unknowns);
}

// Each level has bands in fp64, which stay for the next solver, and a copy in the precision of corrections with three
// fields of its operator, three of its cycle and factors of lines. The finest level also has loads and the fields of
// the outer iteration. Factors are computed from twelve values a node.
Plan plan_blocks(const std::vector<BlockLevelSize>& sizes, const Options& asked, const CellStretch& stretch,
                 int dimension, bool gpu, bool computes_residual, double range) {
  Plan plan;
  plan.options = resolve_block_options(asked, stretch, dimension);
  if (asked.krylov == Krylov::automatic && cycles_suffice(plan.options, sizes.front(), stretch, range)) {
    plan.options.krylov = Krylov::none;
    if (!asked.smoother.kind && dimension == 3) {
      plan.options.smoother.kind = &smoother_kind("chebyshev", "elements");
      plan.options.smoother.given.erase("interval");
    } else if (!asked.smoother.kind) {
      plan.options.smoother.given.insert_or_assign("interval", 8.0);
    }
    if (!asked.smoother.post) plan.options.smoother.post = dimension == 3 ? 5 : 6;
  }
  const bool multigrid = plan.options.method == Method::multigrid,
             lines = multigrid && smoothing_of(plan.options, stretch) == BlockSmoothing::lines;
  const double entries = dimension == 2 ? 5 : 14, value = plan.options.precision == SolvePrecision::double_ ? 8 : 4;
  const StoredOnGpu stored{
      multigrid,
      lines,
      plan.options.precision == SolvePrecision::mixed,
      plan.options.precision == SolvePrecision::single,
      plan.options.krylov != Krylov::none,
      has_short_directions(plan.options, range),
      has_shared_entries(plan.options, stretch, sizes.front().isotropic, range),
      computes_residual,
      plan.options.krylov == Krylov::none && !keeps_last_iterate(plan.options, stretch, sizes.front()),
      value};
  double all = 0;
  for (const BlockLevelSize& size : sizes) {
    LevelPlan level;
    level.precision = value == 8 ? Precision::fp64 : Precision::fp32;
    const auto nodes = static_cast<double>(size.nodes);
    double bytes = nodes * (8 * entries + value * entries);
    if (multigrid) bytes += nodes * value * (6 + (lines ? 2 * dimension : 0));
    if (plan.levels.empty()) bytes += nodes * (16 + 8 * (entries + 3) + 8 * 6);
    if (gpu)
      bytes = bytes_on_gpu(size, plan.levels.empty(), stored,
                           has_narrow_entries(plan.options, stretch, size.isotropic, size.unknowns));
    Plan::Level printed;
    printed.cells = {static_cast<int>(size.unknowns), 1, 1};
    printed.unknowns = size.unknowns;
    printed.assembly = "blocks";
    printed.bytes = static_cast<std::size_t>(bytes);
    plan.hierarchy.push_back(level);
    plan.levels.push_back(printed);
    all += bytes;
    if (!multigrid) break;
  }
  // Algebraic multigrid follows: entries of 12 bytes on all levels and their transfers.
  if (multigrid && sizes.size() == 1 && sizes[0].unknowns > most_in_blocks)
    all += static_cast<double>(sizes[0].unknowns) * (dimension == 2 ? 9 : 27) * 12 * 2;
  plan.bytes = static_cast<std::size_t>(all);
  const BlockLevelSize& finest = sizes.front();
  if (gpu)  // places, elements of the finest level and of the next one, and a field
    plan.setup = static_cast<std::size_t>(256e6 + finest.field[1] + 24.0 * static_cast<double>(finest.nodes) +
                                          (sizes.size() > 1 ? 8.0 * 36 * static_cast<double>(sizes[1].nodes) : 0));
  else
    plan.setup = static_cast<std::size_t>((lines ? 8.0 * 12 * static_cast<double>(finest.nodes) : 0) +
                                          host_bytes_of_rows(sizes, plan.options, dimension));
  return plan;
}

double host_bytes_of_rows(const std::vector<BlockLevelSize>& sizes, const Options& options, int dimension) {
  if (options.method != Method::multigrid || sizes.size() > 1 || sizes[0].unknowns <= most_in_blocks) return 0;
  const double nodes = static_cast<double>(sizes[0].nodes), rows = static_cast<double>(sizes[0].unknowns);
  const double neighbours = dimension == 2 ? 8 : 26, record = static_cast<double>(BlockElements::record(dimension));
  const double matrix = 12 * (neighbours + 1),
               listed = 16 * neighbours;  // of a row, and its parts before they are joined
  const double own = nodes * 8 * (record + neighbours / 2 + 1);
  const bool shared = nodes < 0.9 * rows;  // processes send each other entries with their rows
  return own + rows * (matrix + listed) +
         (shared ? nodes * (matrix + 24 * (neighbours + 1)) + rows * 24 * (neighbours + 1) : 0);
}

}  // namespace poisson
