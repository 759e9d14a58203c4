#include "solver/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "backends/device/shared_launches.hpp"
#include "backends/lines/cut_lines.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/transforms/blas.hpp"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/levels/cut_line_operator.hpp"
#include "grids/levels/solved_along.hpp"
#include "grids/levels/strong_clusters.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/faces.hpp"
#include "grids/rows/box_stencil.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/row_scheme.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/direct/prediction.hpp"
#include "solver/extrapolation.hpp"
#include "solver/galerkin_choice.hpp"
#include "solver/matrix_model.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

// Returns the bytes of a device's buffers for sums. Large planes need more, by tiles of at least 128 values, rounded
// up.
std::size_t bytes_of_sums(const Layout& layout) {
  const auto [nx, ny, nz] = layout.n;
  const auto tiles = nz == 1 ? std::int64_t{nx / 128 + 2} * ny : std::int64_t{nx / 32 + 2} * (ny / 4 + 1) * nz;
  const std::size_t bytes = static_cast<std::size_t>(tiles) * sizeof(double), MiB = 1 << 20;
  return 3 * MiB + (bytes <= 2 * MiB ? 0 : std::min(3 * bytes, 24 * MiB));
}

// The tables of two operators, a transfer and the evaluation of data need less than 448 bytes per value of an axis. The
// constant covers the inverse of the coarsest level, scalars and the rounding of blocks.
std::size_t bytes_of_tables(const Layout& layout) {
  return 448 * static_cast<std::size_t>(layout.n[0] + layout.n[1] + layout.n[2]) + (std::size_t{192} << 10);
}

// A recorded solve holds a description of each verb that shares a launch: the functor, its box and its index
// (backends/cuda/sequence.cuh).
constexpr std::size_t bytes_of_step = 1040;
// Above this number of steps, as in cycles over planes, the host runs the iteration.
constexpr std::size_t most_steps = 32'000;

// How often the recordings of a solve visit a level: once a cycle of V, in full multigrid once more for each finer
// level; an F-cycle visits it from every finer one, a W-cycle twice from each. Two recordings may be stored at a time.
std::size_t recorded_visits(const Options& options, int level) {
  const auto l = static_cast<std::size_t>(level);
  const std::size_t cycle = options.cycle == Cycle::v   ? 1
                            : options.cycle == Cycle::f ? l + 1
                                                        : std::size_t{1} << std::min(level, 12);
  return 2 * cycle * (options.full_multigrid ? l + 1 : 1);
}

// Returns the largest number of verbs that a visit records. Halos of periodic axes and colours of Gauss–Seidel count
// separately.
std::size_t verbs_of_visit(const Options& options, const Layout& layout, bool box) {
  const auto wraps = static_cast<std::size_t>(std::ranges::count(layout.periodic, true));
  const auto passes = static_cast<std::size_t>(options.smoother.kind->passes(layout, box));
  const int sweeps = options.smoother.pre.value_or(0) + options.smoother.post.value_or(0);
  return (static_cast<std::size_t>(sweeps) * 2 * passes + 8) * (1 + wraps);
}

// Describes the stored data of the operators.
struct Finest {
  std::size_t kappas = 0, reactions = 0;  // fields of cells and of values, on all levels that are rediscretized
  bool elements = false;                  // reactions stand on cells; planes are stored as bands
  bool full = false;                      // assembly: bands take the place of the fields
  std::size_t row_bands = 0;              // of a row that is stored as bands
  RowCost cost;                           // of a row of all levels that are rediscretized
  RowCost recomputed_cost;                // of one whose κ comes from its expression
  std::size_t ends = 0;                   // bytes of κ and α at the Robin faces of cell-centred problems
  std::size_t bands = 0;                  // of a matrix: stored, without the row sums
  std::size_t probed = 0;                 // bands from which Galerkin operators begin
  std::size_t extrapolation = 0;          // bytes of the fields of extrapolation
  std::size_t direct = 0;                 // bytes of a direct solver
};

// u, Au, the row sums and the bands; of every neighbour a difference, a product and a sum.
RowCost cost_of_bands(std::size_t bands, std::size_t neighbours) {
  return {static_cast<double>(3 + bands), 3 * static_cast<double>(neighbours) + 2};
}

Precision outer_precision(const Options& options) {
  return options.precision == SolvePrecision::single ? Precision::fp32 : Precision::fp64;
}
Precision inner_precision(const Options& options) {
  return options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
}

std::size_t bytes(const Layout& layout, Precision precision) {
  return static_cast<std::size_t>(layout.allocated(precision)) * bytes_of(precision);
}

// Tables of strong clusters have measured at most 22 bytes per unknown (κ over six decades from cell to cell, 256³).
std::size_t bytes_of_strong_clusters(const Layout& layout) {
  return 3 * bytes(layout, Precision::fp64);
}

// The coarsest Galerkin level may be a bundle of lines, whose inverse is stored. bytes_of_tables covers small inverses.
std::size_t bytes_of_inverse(const Block& block) {
  const auto rows = static_cast<std::size_t>(block.unknowns().size());
  return rows <= 128 ? 0 : rows * rows * sizeof(double);
}

bool takes_galerkin(const Options& options) {
  return options.method == Method::multigrid && options.coarse_operator == CoarseOperator::galerkin;
}

// Returns the levels for these options.
std::vector<LevelPlan> chosen_levels(const Block& block, LevelRules rules, const Options& options) {
  rules.precision = inner_precision(options);
  rules.allowed = *options.smoother.extent;
  rules.galerkin = options.coarse_operator == CoarseOperator::galerkin;
  rules.on_galerkin = options.on_galerkin;
  return options.method == Method::multigrid ? choose_levels(block, rules) : single_level(block, rules);
}

// Returns the bytes of lines across cuts and of the field in which they are solved, for all processes together.
std::size_t bytes_of_cut_lines(const Layout& whole, Precision precision, const Parts& parts, int axis, bool gpu) {
  Layout part = whole;
  for (std::size_t d = 0; d < 3; ++d) part.n[d] = divide_up(whole.n[d], parts[d]);
  const std::size_t field = bytes(part, precision);
  return static_cast<std::size_t>(parts[0] * parts[1] * parts[2]) *
         (field + cut_lines_bytes(part, precision, parts, axis, gpu));
}

// Returns the number of axes along which lines are relaxed.
std::size_t lines_axes(const Relaxation& relaxed, const Layout& layout) {
  return relaxed.extent == Extent::line ? 1 : layout.n[2] == 1 ? 2 : 3;
}

// Returns the number of prolongation weights of a coarse value: three per coarsened axis, without the value itself.
std::size_t weights_of(const CoarseBlock& coarse) {
  std::size_t weights = 1;
  for (const bool coarsened : coarse.coarsened) weights *= coarsened ? 3 : 1;
  return weights - 1;
}

// Counts bytes: stored data, temporary data of set-up, data that every process replicates, and tables; and verbs.
struct SideBytes {
  std::size_t stored = 0, passing = 0, whole = 0, tables = 0, verbs = 0;
};

// Counts the levels that each keep one axis, below a level with `bands` bands. `part` is this process's block of it.
SideBytes bytes_of_semicoarsened(const std::vector<LevelPlan>& levels, std::size_t bands, Block part,
                                 const Options& options, const Sharing& sharing, bool gpu) {
  SideBytes side;
  const Precision inner = inner_precision(options);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const CoarseBlock& coarse = *levels[l - 1].coarser;
    part = sharing.below(part_of(coarse, part).block, !levels[l].coarser);
    const Layout above = levels[l - 1].block.layout(), layout = levels[l].block.layout();
    const std::size_t box = box_offsets(layout).size(), weights = weights_of(coarse);
    // Bands, row sums, a field of zeros and weights; b, u and v.
    std::size_t stored = (box + 2 + weights + (levels[l].coarser ? 3 : 2)) * bytes(layout, inner);
    const Relaxation relaxed = levels[l].smoothed();
    const std::vector<int> cut = axes_of_cut_lines(part, relaxed);
    for (const int axis : cut) stored += bytes_of_cut_lines(layout, inner, parts_of(part.space()), axis, gpu);
    if (gpu && relaxed.extent != Extent::point)
      stored += (lines_axes(relaxed, layout) - cut.size()) * 3 * bytes(layout, inner);
    side.passing = std::max(side.passing, (bands + 1) * bytes(above, Precision::fp64) +
                                              (box + 1 + weights) * bytes(layout, Precision::fp64));
    side.stored += stored;
    if (!levels[l].coarser) stored += bytes_of_inverse(levels[l].block);
    if (!part.share) side.whole += stored;
    side.tables += bytes_of_tables(layout);
    if (gpu && layout.size() <= most_shared_values) side.verbs += 2 * verbs_of_visit(options, layout, true);
    bands = box;
  }
  return side;
}

Plan count(std::vector<LevelPlan> chosen, const Options& options, const Finest& finest, bool gpu,
           const Sharing& sharing = {}) {
  const Precision outer = outer_precision(options), inner = inner_precision(options);
  const bool multigrid = options.method == Method::multigrid;
  const bool galerkin = takes_galerkin(options);
  const bool variable = finest.kappas > 0, matrix = finest.bands > 0;

  const auto reactions = [&](const Block& of, Precision p) {
    return finest.reactions * bytes(finest.elements ? of.cell_layout() : of.layout(), p);
  };
  const auto coefficients = [&](const Block& of, Precision p) {
    return finest.kappas * bytes(of.cell_layout(), p) + reactions(of, p);
  };
  // Passes of Jacobi sweeps store their own copy of the data of rows.
  const auto has_pass = [&](const Space& space, const Plan::Level& level) {
    const bool at_hand = !variable || level.assembly == name_of(LevelAssembly::partial);
    return !finest.elements && at_hand && has_sweep_pass(space, gpu, variable);
  };
  Plan plan;
  std::size_t steps = 0;                   // of shared launches
  std::size_t stored = 0, setup_peak = 0;  // bytes of the Galerkin hierarchy so far, and the most while it is made
  // The bands as they came, in both precisions with their diagonals.
  const auto add_matrix = [&](const Layout& layout, Plan::Level& level) {
    const std::size_t came = (finest.bands + 1) * bytes(layout, Precision::fp64);
    level.bytes += bytes(layout, inner);
    if (inner == Precision::fp32) level.bytes += (finest.bands + 1) * bytes(layout, inner);
    if (outer == Precision::fp64) level.bytes += came;
    if (outer != inner) level.bytes += bytes(layout, outer);
    if (outer == Precision::fp32) setup_peak = level.bytes + came;
  };
  // A level stores bands and row sums. If an axis of a single value has no bands, one field of zeros replaces them. The
  // coarser level stores the weights of the prolongation.
  const auto add_galerkin = [&](const Layout& layout, int l, const std::optional<CoarseBlock>& coarse,
                                Plan::Level& level) {
    const std::size_t bands = l == 0 ? finest.probed : box_offsets(layout).size();
    const bool zeros = bands < static_cast<std::size_t>(layout.n[2] == 1 ? box_centre<2> : box_centre<3>);
    if (l > 0) level.bytes += (bands + 1 + (zeros ? 1 : 0)) * bytes(layout, inner);
    stored += level.bytes;
    // The data of the outer operator alone are counted later: the diagonal of a matrix, the bands of full assembly.
    if (l == 0 && outer != inner) stored -= (matrix ? 1 : finest.full ? finest.row_bands : 0) * bytes(layout, outer);
    if (!coarse) return;
    const Layout below = coarse->block.layout();
    const std::size_t weights = weights_of(*coarse);
    // In fp64 while the product is computed: the bands of both levels, unless an operator has them, and P.
    std::size_t passing = (box_offsets(below).size() + 1 + weights) * bytes(below, Precision::fp64);
    if (l == 0 ? !matrix || outer == Precision::fp32 : inner != Precision::fp64)
      passing += (bands + 1) * bytes(layout, Precision::fp64);
    if (inner != Precision::fp64) passing += bytes(below, inner);  // the first weight that is rounded
    setup_peak = std::max(setup_peak, stored + passing);
    level.bytes += weights * bytes(below, inner);
    stored += weights * bytes(below, inner);
  };
  // The levels of the problem, or of the planes of one of them; `part`: what this process has of the first one.
  const auto add_levels = [&](const auto& self, const std::vector<LevelPlan>& levels, bool outermost, std::size_t calls,
                              Block part) -> void {
    for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
      const LevelPlan& chosen_level = levels[static_cast<std::size_t>(l)];
      const Block& block = chosen_level.block;
      const std::optional<CoarseBlock>& coarse = chosen_level.coarser;
      const Layout layout = block.layout();
      Plan::Level level;
      for (std::size_t d = 0; d < 3; ++d) level.cells[d] = block.axes[d].cells();
      level.unknowns = block.unknowns().size();
      level.relaxation = chosen_level.relaxation;
      level.assembly = name_of(chosen_level.assembly);
      const bool banded = chosen_level.assembly == LevelAssembly::bands;
      const bool as_bands = chosen_level.assembly == LevelAssembly::full;
      const bool recomputed = variable && chosen_level.assembly == LevelAssembly::recompute;
      const std::size_t box = box_offsets(layout).size();
      const RowCost cost = banded && l > 0 ? cost_of_bands(box, 2 * box)
                           : recomputed    ? finest.recomputed_cost
                                           : finest.cost;
      const Precision own = l == 0 ? outer : inner;
      level.row_bytes = cost.values * static_cast<double>(bytes_of(own));
      level.row_flops = cost.flops + cost.wide;
      level.seconds = static_cast<double>(level.unknowns) * predicted_seconds(cost, own, device_rate(gpu));
      if (l == 0 || !galerkin) {
        // The finest level has κ, σ and α in fp64 as they were sampled, each level's own operator in the inner
        // precision. Bands replace them. If both are fp64, the bands are filled from the level's own data, and
        // both exist only while the next level is made.
        const bool sampled = l == 0 ? outermost : inner == Precision::fp64 && !as_bands;
        if (sampled) level.bytes += coefficients(block, Precision::fp64);
        if (as_bands)
          level.bytes += finest.row_bands *
                         (bytes(layout, inner) + (l == 0 && outermost && outer != inner ? bytes(layout, outer) : 0));
        else if (inner == Precision::fp32)
          level.bytes += recomputed ? reactions(block, inner) : coefficients(block, inner);
      }
      if (l == 0 && outermost) level.bytes += finest.ends + finest.extrapolation;
      if (matrix && l == 0) add_matrix(layout, level);
      // Lines on a GPU: the residual, and where κ varies or elements couple the two bands along them.
      const Relaxation relaxed = chosen_level.smoothed();
      const std::vector<int> cut = axes_of_cut_lines(part, relaxed);
      for (const int axis : cut) level.bytes += bytes_of_cut_lines(layout, inner, parts_of(part.space()), axis, gpu);
      if (gpu && (relaxed.extent == Extent::line || relaxed.extent == Extent::alternating_lines))
        level.bytes += (lines_axes(relaxed, layout) - cut.size()) *
                       (finest.elements || finest.full || variable || banded ? 3 : 1) * bytes(layout, inner);
      std::size_t passing = 0;
      for (const std::vector<LevelPlan>& list : chosen_level.semicoarsened) {
        const SideBytes side = bytes_of_semicoarsened(list, finest.probed, part, options, sharing, gpu);
        level.bytes += side.stored;
        level.whole_in_planes += side.whole;
        plan.tables += side.tables;
        steps += calls * recorded_visits(options, l) * side.verbs;
        passing = std::max(passing, side.passing);
      }
      if (galerkin) add_galerkin(layout, l, coarse, level);
      if (galerkin && !coarse) level.bytes += bytes_of_inverse(block);
      if (passing > 0) setup_peak = std::max(setup_peak, stored + passing);
      // Multigrid: b, u, v (no v on the coarsest), and on coarser levels the solution of full multigrid. Else: e and r.
      const bool start = l > 0 && outermost && options.full_multigrid;
      // A W-cycle under conjugate gradients may store the first visit's correction.
      const bool kept = multigrid && l > 0 && outermost && coarse && options.krylov == Krylov::cg &&
                        (options.cycle == Cycle::w || options.cycle == Cycle::automatic);
      // Direct: u, b and the field that is solved in place. Sweeps: u, what they are ahead, b and where they began.
      const bool direct = options.method == Method::direct, preconditions = finest.direct > 0 && !direct;
      const bool sweeps = options.method == Method::jacobi;
      const std::size_t fields = multigrid ? (coarse ? 3 : 2) + (start ? 1 : 0) + (kept ? 1 : 0)
                                 : direct || preconditions || sweeps ? std::size_t{0}
                                                                     : 2;
      level.bytes += fields * bytes(layout, inner);
      if (direct)
        level.bytes += (options.extrapolate ? 4 : 3) * bytes(layout, outer) + finest.direct;
      else if (preconditions)
        level.bytes += 7 * bytes(layout, outer) + finest.direct;
      else if (sweeps)
        level.bytes += 4 * bytes(layout, outer) +
                       (outer == Precision::fp32 && has_pass(part.space(), level) ? coefficients(block, outer) : 0);
      else if (l == 0 && outermost)
        level.bytes += (options.krylov == Krylov::cg ? 6 : 3) * bytes(layout, outer);  // u, b, best; r, p, q
      plan.tables += bytes_of_tables(layout) + (gpu && l == 0 && outermost ? bytes_of_sums(layout) : 0);
      const std::size_t visits = calls * (outermost ? recorded_visits(options, l) : 1);
      const std::size_t verbs = verbs_of_visit(options, layout, finest.elements || galerkin);
      if (gpu && multigrid && layout.size() <= most_shared_values) steps += visits * verbs;
      if (outermost) plan.levels.push_back(level);
      plan.bytes += level.bytes;
      if (!outermost) plan.levels.back().bytes += level.bytes;
      if (!outermost && !part.share) plan.levels.back().whole_in_planes += level.bytes;
      self(self, chosen_level.planes, false, visits * verbs, part);
      if (coarse) part = sharing.below(part_of(*coarse, part).block, !levels[static_cast<std::size_t>(l) + 1].coarser);
    }
  };
  add_levels(add_levels, chosen, true, 1, sharing.part_of(chosen.front().block));
  plan.tables += std::min(steps, most_steps) * bytes_of_step;
  plan.setup = std::max(setup_peak, plan.bytes) - plan.bytes;
  plan.hierarchy = std::move(chosen);
  return plan;
}

// Returns whether no option of multigrid is set, so that another method may replace it.
bool says_nothing_of_multigrid(const Options& o) {
  const SmootherOptions& s = o.smoother;
  return !s.kind && !s.extent && !s.pre && !s.post && o.cycle == Cycle::automatic && o.full_multigrid &&
         !o.extrapolate && o.krylov == Krylov::automatic && o.coarse_operator == CoarseOperator::automatic &&
         o.preconditioner == PreconditionerChoice::automatic;
}

// Of all processes.
std::size_t bytes_of_products(const Block& block, Precision precision, const TensorInverse& shape, bool gpu) {
  Layout largest = block.layout();
  int& values = largest.n[static_cast<std::size_t>(shape.solved)];
  values = divide_up(values, shape.slabs);
  return static_cast<std::size_t>(shape.slabs) * axis_products_bytes(largest, precision, shape, gpu);
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g s", seconds);
  return text.data();
}

// Chooses multigrid, or a direct solution if that is predicted to be faster.
Plan chosen_plan(const Problem& problem, Options options, Assembly assembly, bool gpu,
                 const std::optional<KappaSummary>& known, const Sharing& sharing) {
  const Parts& parts = sharing.parts;
  options.method = Method::multigrid;
  Plan plan = make_plan(problem, options, assembly, gpu, known, sharing);
  if (!says_nothing_of_multigrid(options) || !no_direct_solution(problem).empty()) return plan;
  if (const std::string reason = no_direct_solution(problem, parts); !reason.empty()) {
    plan.choice = "multigrid: " + reason;
    return plan;
  }
  const MethodPrediction predicted =
      predict_method(problem, plan, known.value_or(known_kappa(problem)).mean, gpu, parts);
  if (predicted.takes_direct) {
    options.method = Method::direct;
    plan = make_plan(problem, options, assembly, gpu, known, sharing);
  }
  plan.choice = "predicted: direct " + seconds_text(predicted.direct) + ", multigrid " +
                seconds_text(predicted.multigrid) + (predicted.as_one ? "; chosen as with one process" : "");
  return plan;
}

}  // namespace

Plan make_plan(const Problem& problem, const Options& given, Assembly assembly, bool gpu,
               std::optional<KappaSummary> known, const Sharing& sharing) {
  if (given.method == Method::automatic) return chosen_plan(problem, given, assembly, gpu, known, sharing);
  const Parts& parts = sharing.parts;
  const KappaSummary kappa = known.value_or(known_kappa(problem));
  const Options options = resolve_options(given, problem, kappa, parts);
  const Assembly mode = chosen_assembly(assembly, problem, gpu);
  const bool variable = stores_coefficients(problem, mode);
  const bool on_faces = problem.centering == Centering::cell;
  const auto dimension = static_cast<std::size_t>(problem.dimension);
  const Block block = make_block(problem);
  Finest finest;
  if (variable) finest.kappas = static_cast<std::size_t>(row_scheme(problem).counts(problem, gpu).kappa);
  if (variable && needs_reaction_field(problem)) finest.reactions = 1;
  finest.elements = on_elements(problem.scheme);
  finest.full = mode == Assembly::full;
  const bool recomputed = variable && mode == Assembly::recompute;
  finest.row_bands = bands_of_row(problem);
  finest.cost = row_cost(problem, recomputed ? Assembly::partial : mode, gpu);
  if (recomputed) finest.recomputed_cost = row_cost(problem, mode, gpu);
  if (variable && on_faces)
    for (std::size_t d = 0; d < dimension; ++d)
      if (std::ranges::any_of(problem.boundary[d], [](const Boundary& b) { return b.kind == BoundaryKind::robin; }))
        finest.ends += bytes(ends_space(block, d).layout(), Precision::fp64);
  finest.probed = finest.row_bands - 1;
  if (options.extrapolate) finest.extrapolation = extrapolation_bytes(problem, assembly, outer_precision(options));
  bool takes_blas = false;
  std::size_t message = 0;
  if (options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct) {
    const TensorInverse shape = direct_shape(problem, kappa.mean, parts);
    finest.direct = bytes_of_products(block, outer_precision(options), shape, gpu);
    if (gpu) message = axis_products_message_bytes(outer_precision(options), shape, gpu);
    takes_blas = shape.multiplies() && !gpu;
  }
  // The diagonal exists temporarily.
  if (options.preconditioner == PreconditionerChoice::direct && scales_by_diagonal(kappa.jumps))
    finest.direct += diagonal_scaling_bytes(block.layout()) + bytes(block.layout(), outer_precision(options));
  const LevelRules rules = level_rules(problem, mode, variable, kappa.mean, kappa.jumps);
  Plan plan = count(chosen_levels(block, rules, options), options, finest, gpu, sharing);
  if (takes_blas) plan.addresses = Blas::addresses();
  plan.message = message;
  const bool may_jump = known ? kappa.jumps.largest >= Jumps::large : variable;
  if (may_jump && takes_galerkin(options)) {
    plan.tables += bytes_of_strong_clusters(block.layout());
    if (gpu) plan.message = std::max(plan.message, CrossingClusters::bytes_of_message());
  }
  plan.gpu = gpu;
  plan.options = options;
  if (options.extrapolate) plan.tables += bytes_of_tables(block.layout());
  if (gpu) plan.tables += staging_bytes(block.layout());
  // The balance with constrained nodes needs σ and α without penalties, and b with natural boundaries. Rows of elements
  // with constrained nodes are probed for each operator: bands, row sums with and without penalties, two vectors.
  if (has_mixed_bc(problem))
    plan.tables += (finest.elements ? finest.row_bands + 3 : 2) * bytes(block.layout(), Precision::fp64);
  // Elements need one more field while b is assembled (on cells if the source is an expression), and another one if b
  // is in fp32.
  if (finest.elements) {
    const std::size_t fields = outer_precision(options) == Precision::fp64 ? 1 : 2;
    const std::size_t most = fields * bytes(block.layout(), Precision::fp64);
    const std::size_t least = std::min(most, fields * bytes(block.cell_layout(), Precision::fp64));
    plan.tables += most - least;
    plan.setup = std::max(plan.setup, least);
  }
  return plan;
}

Plan make_plan(const BandedMatrix& matrix, const Options& given, bool gpu) {
  Finest finest;
  std::size_t neighbours = 0;
  for (const Offset& o : matrix.offsets) {
    neighbours += o != Offset{};
    finest.bands += matrix.symmetric() ? is_forward(o) : o != Offset{};
  }
  finest.probed = finest.bands;
  finest.cost = cost_of_bands(finest.bands, neighbours);
  const Options options = resolve_options(given, matrix);
  LevelRules rules;
  rules.kappa = matrix.strengths;
  rules.assembly = LevelAssembly::bands;
  Plan plan = count(chosen_levels(make_block(matrix), rules, options), options, finest, gpu);
  if (takes_galerkin(options)) plan.tables += bytes_of_strong_clusters(make_block(matrix).layout());
  if (gpu && takes_galerkin(options)) plan.message = CrossingClusters::bytes_of_message();
  plan.gpu = gpu;
  plan.options = options;
  return plan;
}

}  // namespace poisson
