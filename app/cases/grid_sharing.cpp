#include "app/cases/grid_sharing.hpp"

#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/cases/case.hpp"
#include "backends/memory/error.hpp"
#include "grids/levels/solved_along.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/plan.hpp"

namespace poisson {
namespace {

bool asks_for_direct(const Options& options) {
  return options.method == Method::direct || options.preconditioner == PreconditionerChoice::direct;
}

// Returns the requested parts. Throws InputError if they suit neither the processes nor a direct solver.
Parts parts_asked_for(const Config& config, int processes) {
  const Problem& problem = config.problem;
  if (config.blocks.size() < static_cast<std::size_t>(problem.dimension))
    throw InputError(config.describe("backend.blocks") +
                     fmt::format(": these are {} numbers: give one for each of the {} axes", config.blocks.size(),
                                 problem.dimension));
  const Parts parts = given_parts(config, make_block(problem), processes);
  const std::string reason = asks_for_direct(config.options) ? no_direct_preconditioner(problem, parts) : "";
  if (!reason.empty())
    throw InputError(config.describe("backend.blocks") +
                     fmt::format(": a direct solver needs slabs ({}): omit blocks, or use multigrid", reason));
  return parts;
}

// Returns slabs across lines if the solver is direct or is predicted to be direct.
std::optional<Parts> parts_of_direct(const Config& config, const std::shared_ptr<const Processes>& processes) {
  const Problem& problem = config.problem;
  const bool asked = asks_for_direct(config.options);
  if (!asked && config.options.method != Method::automatic) return {};
  const auto parts = direct_parts(problem, known_kappa(problem).mean, processes->count());
  if (!parts && asked)
    throw InputError(
        fmt::format("{} processes cannot share a direct solver (each slab must be at least {} values thick, and axes "
                    "that are not cut have limits): use fewer processes or multigrid",
                    processes->count(), least_part));
  if (!parts || asked) return parts;
  const bool direct =
      choose_plan(problem, config.options, config.assembly, false, {}, {processes, *parts}).options.method ==
      Method::direct;
  return direct ? parts : std::nullopt;
}

}  // namespace

Sharing share_grid(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (processes->alone()) return {};
  const Problem& problem = config.problem;
  const int count = processes->count();
  if (!config.blocks.empty()) return in_groups(processes, parts_asked_for(config, count));
  if (const auto parts = parts_of_direct(config, processes)) return {processes, *parts};
  Options options = config.options;
  if (options.method == Method::automatic) options.method = Method::multigrid;
  const Plan plan = choose_plan(problem, options, config.assembly, false);
  std::array<bool, 3> finest{}, any{};
  for (const LevelPlan& level : plan.hierarchy)
    for (std::size_t d = 0; d < 3; ++d) {
      const bool along = solved_along(level.smoothed(), static_cast<int>(d));
      finest[d] = finest[d] || (along && &level == &plan.hierarchy.front());
      any[d] = any[d] || along;
    }
  const Parts parts = choose_parts(make_block(problem), count, any);
  for (std::size_t d = 0; d < 3; ++d)
    if (parts[d] > 1 && any[d]) return in_groups(processes, choose_parts(make_block(problem), count, finest));
  return in_groups(processes, parts);
}

}  // namespace poisson
