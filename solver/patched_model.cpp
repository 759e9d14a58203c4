#include "solver/patched_model.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/kernels/stacked_operator.hpp"
#include "grids/patches/patched_hierarchy.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "solver/rehearsal.hpp"

namespace poisson {
namespace {

void check(const Problem& problem) {
  if (problem.media) throw InputError("several patches support no materials: use one patch");
  if (has_mixed_bc(problem)) throw InputError("several patches support one condition a face: use one patch");
}

// Returns how the grid is cut into patches.
Cuts cuts_of(const Problem& problem, const PatchedModel::Widths& widths) {
  const Layout layout = make_block(problem).layout();
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    if (widths[d].size() <= 1 && (widths[d].empty() || widths[d].front() == cuts.n[d])) continue;
    const std::string axis = std::string("the parts along ") + "xyz"[d];
    const int all = std::accumulate(widths[d].begin(), widths[d].end(), 0);
    if (all != cuts.n[d])
      throw InputError(axis + " have " + std::to_string(all) + " values, and the grid has " +
                       std::to_string(cuts.n[d]) + ": give widths that add up to it");
    if (std::ranges::min(widths[d]) < least_part)
      throw InputError(axis + " have as few as " + std::to_string(std::ranges::min(widths[d])) +
                       " values: give each at least " + std::to_string(least_part));
    cuts.first[d].clear();
    std::exclusive_scan(widths[d].begin(), widths[d].end(), std::back_inserter(cuts.first[d]), 0);
  }
  return cuts;
}

// Returns the number of processes along each axis. None has fewer than one patch.
Parts parts_among(int processes, const Cuts& cuts) {
  for (int z = std::min(processes, cuts.count(2)); z >= 1; --z)
    for (int y = std::min(processes, cuts.count(1)); y >= 1; --y)
      if (processes % (z * y) == 0 && processes / (z * y) <= cuts.count(0)) return {processes / (z * y), y, z};
  throw InputError(std::to_string(processes) + " processes cannot share " + std::to_string(cuts.count(0)) + " x " +
                   std::to_string(cuts.count(1)) + " x " + std::to_string(cuts.count(2)) +
                   " patches as boxes: use a divisor of the patches along the last axis");
}

}  // namespace

PatchedModel::PatchedModel(Backend& backend, const Problem& problem, const Widths& widths,
                           const std::shared_ptr<const Processes>& processes, const std::vector<Orientation>& turns)
    : widths_(widths), turns_(turns) {
  check(problem);
  const Cuts cuts = cuts_of(problem, widths);
  Sharing sharing;
  sharing.processes = processes;
  sharing.parts = parts_among(processes->count(), cuts);
  const auto part_of = [&](std::size_t d, int patch) { return patch * sharing.parts[d] / cuts.count(d); };
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 0; p < cuts.count(d); ++p)
      if (p == 0 || part_of(d, p) != part_of(d, p - 1))
        sharing.first[d].push_back(cuts.first[d][static_cast<std::size_t>(p)]);
  part_ = std::make_unique<GridModel>(backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  if (cuts.patches() == 1) return;
  std::vector<int> owners;
  for (int p = 0; p < cuts.patches(); ++p) {
    const std::array<int, 3> at = cuts.place(p);
    owners.push_back(part_of(0, at[0]) + sharing.parts[0] * (part_of(1, at[1]) + sharing.parts[1] * part_of(2, at[2])));
  }
  of_ = make_patched_box(backend, part_->space(), cuts, owners, processes, !on_elements(problem.scheme), turns);
}

Plan PatchedModel::plan(const Options& options) const {
  Options asked = options;
  if (asked.method == Method::automatic) asked.method = Method::multigrid;
  if (asked.method == Method::direct || asked.preconditioner == PreconditionerChoice::direct)
    throw InputError("several patches have no direct solution: use multigrid");
  if (asked.method == Method::jacobi)
    throw InputError("several patches have no passes of Jacobi's method: use multigrid");
  if (asked.extrapolate) throw InputError("several patches have no extrapolation: leave it out");
  asked.fallback = Fallback::never;
  return part_->plan(asked);
}

void PatchedModel::count_bytes(Plan& plan) const {
  const Discretization& d = part_->discretization();
  rehearse(plan, d.problem(), part_->kappa(), d.sharing(),
           [&](Backend& backend, const Problem& problem, const std::shared_ptr<const Processes>& processes) {
             return std::make_unique<PatchedModel>(backend, problem, widths_, processes, turns_);
           });
}

// The functions of the part's traits read fields of the part, so that only its numbers are used.
Traits PatchedModel::traits(const Options& options) const {
  const Traits own = part_->traits(options);
  Traits traits;
  traits.row_shape = own.row_shape;
  traits.range = own.range;
  traits.error_per_residual = own.error_per_residual;
  traits.rounding_growth = own.rounding_growth;
  traits.starts_from_residual = own.starts_from_residual;
  traits.uneven = own.uneven;
  traits.cancels = own.cancels;
  traits.homogeneous = own.homogeneous;
  return traits;
}

std::unique_ptr<Operator> PatchedModel::on_patches(std::shared_ptr<const Operator> part) const {
  const Discretization& d = part_->discretization();
  return make_stacked_operator(d.scheme_rows(), d.stored_assembly(), std::move(part), of_);
}

Hierarchy PatchedModel::levels(const Plan& plan) const {
  Hierarchy levels = part_->levels(plan);
  if (!of_) return levels;
  auto finest = on_patches(levels.operators.front());
  if (plan.options.method == Method::multigrid)
    return make_patched_hierarchy(std::move(levels), std::move(finest), of_);
  levels.operators.front() = std::move(finest);
  return levels;
}

std::unique_ptr<Operator> PatchedModel::finest(const Plan& plan, Precision precision) const {
  auto part = part_->finest(plan, precision);
  return of_ ? on_patches(std::move(part)) : std::move(part);
}

double PatchedModel::fill(Field& b, Field& u) const {
  if (!of_) return part_->fill(b, u);
  Field rhs(backend(), part_->space(), b.precision()), solution(backend(), part_->space(), u.precision());
  const double size = part_->fill(rhs, solution);
  backend().run_exchange(of_->to_patches, rhs, b);
  backend().run_exchange(of_->to_patches, solution, u);
  return size;
}

}  // namespace poisson
