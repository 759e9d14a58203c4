#include "solver/patched_model.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/patches/patched_fields.hpp"
#include "grids/sampling/mixed_bc_face.hpp"

namespace poisson {
namespace {

void check(const Problem& problem) {
  if (problem.media) throw InputError("several patches support no materials: use one patch");
  if (has_mixed_bc(problem)) throw InputError("several patches support one condition a face: use one patch");
}

// Returns how members share the grid, apart from their processes.
Sharing sharing_of(const Problem& problem, const PatchedModel::Widths& widths, std::int64_t least_patched) {
  Sharing sharing;
  sharing.least_shared = least_patched;
  const std::array<int, 3> n = make_block(problem).layout().n;
  for (std::size_t d = 0; d < 3; ++d) {
    if (widths[d].size() <= 1) continue;
    const std::string axis = std::string("the parts along ") + "xyz"[d];
    const int all = std::accumulate(widths[d].begin(), widths[d].end(), 0);
    if (all != n[d])
      throw InputError(axis + " have " + std::to_string(all) + " values, and the grid has " + std::to_string(n[d]));
    if (std::ranges::min(widths[d]) < least_part)
      throw InputError(axis + " have at least " + std::to_string(least_part) + " values each");
    sharing.parts[d] = static_cast<int>(widths[d].size());
    std::exclusive_scan(widths[d].begin(), widths[d].end(), std::back_inserter(sharing.first[d]), 0);
  }
  return sharing;
}

}  // namespace

PatchedModel::PatchedModel(Backend& backend, const Problem& problem, const Widths& widths,
                           const std::shared_ptr<const Processes>& processes, std::int64_t least_patched)
    : space_(Layout{}) {
  check(problem);
  const Sharing sharing = sharing_of(problem, widths, least_patched);
  const Parts& parts = sharing.parts;
  team_ = std::make_shared<const PatchTeam>(backend, processes, parts[0] * parts[1] * parts[2]);
  models_.resize(static_cast<std::size_t>(team_->size()));
  team_->run([&](int member) {
    const auto m = static_cast<std::size_t>(member);
    Sharing own = sharing;
    own.processes = team_->team().processes(member);
    models_[m] =
        std::make_unique<GridModel>(team_->backend(member), problem, Assembly::automatic, Sampling::automatic, own);
  });
  const Space& part = models_.front()->space();
  space_ = part.is_global() ? part : space_of_patches(part, processes);
}

PatchedModel::~PatchedModel() = default;

Plan PatchedModel::plan(const Options& options) const {
  Options asked = options;
  if (asked.method == Method::automatic) asked.method = Method::multigrid;
  if (asked.method == Method::direct || asked.preconditioner == PreconditionerChoice::direct)
    throw InputError("several patches have no direct solution: use multigrid");
  if (asked.method == Method::jacobi)
    throw InputError("several patches have no passes of Jacobi's method: use multigrid");
  if (asked.extrapolate) throw InputError("several patches have no extrapolation: leave it out");
  asked.fallback = Fallback::never;
  std::vector<Plan> plans(models_.size());
  team_->run([&](int m) { plans[static_cast<std::size_t>(m)] = models_[static_cast<std::size_t>(m)]->plan(asked); });
  return std::move(plans.front());
}

std::size_t PatchedModel::bytes() const {
  std::size_t all = 0;
  for (const auto& model : models_) all += model->bytes();
  return all;
}

// The functions of a part's traits read fields of the part, so that only its numbers are used.
Traits PatchedModel::traits(const Options& options) const {
  std::vector<Traits> found(models_.size());
  team_->run(
      [&](int m) { found[static_cast<std::size_t>(m)] = models_[static_cast<std::size_t>(m)]->traits(options); });
  Traits traits;
  const Traits& own = found.front();
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

Hierarchy PatchedModel::levels(const Plan& plan) const {
  std::vector<Hierarchy> parts(models_.size());
  team_->run([&](int m) { parts[static_cast<std::size_t>(m)] = models_[static_cast<std::size_t>(m)]->levels(plan); });
  return make_patched_hierarchy(team_, std::move(parts));
}

std::unique_ptr<Operator> PatchedModel::finest(const Plan& plan, Precision precision) const {
  if (models_.front()->space().is_global()) return models_.front()->finest(plan, precision);
  std::vector<std::shared_ptr<const Operator>> parts(models_.size());
  team_->run([&](int m) {
    parts[static_cast<std::size_t>(m)] = models_[static_cast<std::size_t>(m)]->finest(plan, precision);
  });
  return make_patched_operator(team_, std::move(parts));
}

double PatchedModel::fill(Field& b, Field& u) const {
  double size = 0;
  team_->run([&](int m) {
    const GridModel& model = *models_[static_cast<std::size_t>(m)];
    FieldsOfPatch fields(*team_, model.space(), m);
    const double found = model.fill(fields[b], fields[u]);
    if (m == 0) size = found;
  });
  return size;
}

}  // namespace poisson
