#include "solver/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/transforms/blas.hpp"
#include "grids/operators/bands.hpp"
#include "grids/problem/media.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/strong_bodies.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/cells/floating_bodies.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/direct/prediction.hpp"
#include "solver/galerkin_choice.hpp"
#include "solver/matrix_model.hpp"
#include "solver/rehearsal.hpp"

namespace poisson {
namespace {

// Contains the cost of a row: of all levels that are rediscretized, of the finest one if it recomputes κ, and of
// Galerkin levels.
struct RowCosts {
  RowCost stored, recomputed;
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

// Returns the levels for these options.
std::vector<LevelPlan> chosen_levels(const Block& block, LevelRules rules, const Options& options) {
  rules.precision = inner_precision(options);
  rules.allowed = *options.smoother.extent;
  rules.galerkin = options.coarse_operator == CoarseOperator::galerkin;
  rules.on_galerkin = options.on_galerkin;
  return options.method == Method::multigrid ? choose_levels(block, rules) : single_level(block, rules);
}

// Lists the levels for reports and predictions.
Plan plan_of(std::vector<LevelPlan> chosen, const Options& options, const RowCosts& costs, bool gpu) {
  const Precision outer = outer_precision(options), inner = inner_precision(options);
  Plan plan;
  for (std::size_t l = 0; l < chosen.size(); ++l) {
    const LevelPlan& from = chosen[l];
    const std::size_t box = box_offsets(from.block.layout()).size();
    const RowCost cost = from.assembly == LevelAssembly::bands && l > 0 ? cost_of_bands(box, 2 * box)
                         : from.assembly == LevelAssembly::recompute    ? costs.recomputed
                                                                        : costs.stored;
    const Precision own = l == 0 ? outer : inner;
    Plan::Level level;
    for (std::size_t d = 0; d < 3; ++d) level.cells[d] = from.block.axes[d].cells();
    level.unknowns = from.block.unknowns().size();
    level.relaxation = from.relaxation;
    level.assembly = name_of(from.assembly);
    level.row_bytes = cost.values * static_cast<double>(bytes_of(own));
    level.row_flops = cost.flops + cost.wide;
    level.seconds = static_cast<double>(level.unknowns) * predicted_seconds(cost, own, device_rate(gpu));
    plan.levels.push_back(level);
  }
  plan.gpu = gpu;
  plan.options = options;
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

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g s", seconds);
  return text.data();
}

// Chooses multigrid, or a direct solution if that is predicted to be faster.
Plan predicted_choice(const Problem& problem, Options options, Assembly assembly, bool gpu, const KappaSummary& kappa,
                      bool known, const Sharing& sharing) {
  const std::optional<KappaSummary> given = known ? std::optional(kappa) : std::nullopt;
  options.method = Method::multigrid;
  Plan plan = choose_plan(problem, options, assembly, gpu, given, sharing);
  if (!says_nothing_of_multigrid(options) || !no_direct_solution(problem).empty()) return plan;
  if (const std::string reason = no_direct_solution(problem, sharing.parts); !reason.empty()) {
    plan.choice = "multigrid: " + reason;
    return plan;
  }
  const MethodPrediction predicted = predict_method(problem, plan, kappa.mean, gpu, sharing.parts);
  if (predicted.takes_direct) {
    options.method = Method::direct;
    plan = choose_plan(problem, options, assembly, gpu, given, sharing);
  }
  plan.choice = "predicted: direct " + seconds_text(predicted.direct) + ", multigrid " +
                seconds_text(predicted.multigrid) + (predicted.as_one ? "; chosen as with one process" : "");
  return plan;
}

// Returns the number of floating regions. If there are more than the number of exact bodies, they conduct instead.
std::size_t floating_regions(const Problem& problem) {
  if (!problem.media) return 0;
  const Media& media = *problem.media;
  const auto floats = [&](const MediaRegion& r) { return media.materials[r.material].floating.has_value(); };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(media.regions, floats));
  return count > most_exact_bodies ? 0 : count;
}

}  // namespace

void Plan::take_bytes(const Plan& counted) {
  bytes = counted.bytes;
  setup = counted.setup;
  floating = counted.floating;
  whole = counted.whole;
  mailbox = counted.mailbox;
  in_parts = counted.in_parts;
  in_groups = counted.in_groups;
  for (std::size_t l = 0; l < levels.size(); ++l) levels[l].bytes = counted.levels[l].bytes;
}

bool same_choices(const Options& a, const Options& b) {
  const auto choices = [](const Options& o) {
    return std::tuple(o.method, o.krylov, o.preconditioner, o.coarse_operator, o.cycle, o.precision, o.full_multigrid,
                      o.smoother.kind, o.smoother.pre, o.smoother.post, o.smoother.extent, o.on_galerkin.relaxation,
                      o.on_galerkin.keeps_lines, o.on_galerkin.semicoarsens);
  };
  return choices(a) == choices(b);
}

bool same_set_up(const Plan& counted, const Plan& sampled, const Jumps& jumps, const Problem& problem,
                 const Block& block) {
  const auto clusters = [&](const Options& o) {
    return o.coarse_operator == CoarseOperator::galerkin && may_have_clusters(problem, jumps, block);
  };
  const auto of = [](const Plan& plan) {
    std::vector<std::tuple<std::array<int, 3>, Relaxation, LevelAssembly, std::size_t, std::size_t>> levels;
    for (std::size_t l = 0; l < plan.levels.size(); ++l) {
      const LevelPlan& level = plan.hierarchy[l];
      levels.emplace_back(plan.levels[l].cells, level.relaxation, level.assembly, level.planes.size(),
                          level.semicoarsened.size());
    }
    return levels;
  };
  return same_choices(counted.options, sampled.options) && counted.floating_bodies == sampled.floating_bodies &&
         !clusters(sampled.options) && of(counted) == of(sampled) &&
         sampled.options.preconditioner != PreconditionerChoice::direct;
}

Plan choose_plan(const Problem& problem, const Options& given, Assembly assembly, bool gpu,
                 const std::optional<KappaSummary>& known, const Sharing& sharing) {
  const KappaSummary kappa = known.value_or(known_kappa(problem));
  if (given.method == Method::automatic)
    return predicted_choice(problem, given, assembly, gpu, kappa, known.has_value(), sharing);
  const Options options = resolve_options(given, problem, known, sharing.parts);
  const Assembly mode = chosen_assembly(assembly, problem, gpu);
  const bool variable = stores_coefficients(problem, mode);
  const bool recomputed = variable && mode == Assembly::recompute;
  RowCosts costs{row_cost(problem, recomputed ? Assembly::partial : mode, gpu), {}};
  costs.recomputed = recomputed ? row_cost(problem, mode, gpu) : costs.stored;
  const LevelRules rules = level_rules(problem, mode, variable, kappa.mean, kappa.jumps);
  Plan plan = plan_of(chosen_levels(make_block(problem), rules, options), options, costs, gpu);
  const bool direct = options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct;
  if (direct && !gpu && direct_shape(problem, kappa.mean, sharing.parts).multiplies())
    plan.addresses = Blas::addresses();
  plan.floating_bodies = floating_regions(problem);
  return plan;
}

Plan make_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu,
               std::optional<KappaSummary> kappa, const Sharing& sharing) {
  Plan plan = choose_plan(problem, options, assembly, gpu, kappa, sharing);
  rehearse(plan, problem, assembly, kappa.value_or(known_kappa(problem)), sharing);
  return plan;
}

Plan choose_plan(const BandedMatrix& matrix, const Options& given, bool gpu) {
  std::size_t neighbours = 0, bands = 0;
  for (const Offset& o : matrix.offsets) {
    neighbours += o != Offset{};
    bands += matrix.symmetric() ? is_forward(o) : o != Offset{};
  }
  const Options options = resolve_options(given, matrix);
  LevelRules rules;
  rules.kappa = matrix.strengths;
  rules.assembly = LevelAssembly::bands;
  return plan_of(chosen_levels(make_block(matrix), rules, options), options, {cost_of_bands(bands, neighbours), {}},
                 gpu);
}

Plan make_plan(const BandedMatrix& matrix, const Options& options, bool gpu, const Sharing& sharing) {
  Plan plan = choose_plan(matrix, options, gpu);
  rehearse(plan, matrix, sharing);
  return plan;
}

}  // namespace poisson
