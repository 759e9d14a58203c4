#pragma once

#include <array>
#include <memory>
#include <vector>

#include "grids/patches/patched.hpp"
#include "solver/grid_model.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Is the model of a problem on a grid that is cut into patches. A process has several of them, which are the members
/// of a team (PatchTeam). Its fields have a patch for each, and its operators are those of a box.
///
/// If the grid is cut across the last axis alone, solutions and residuals of finite volumes have the bits of the uncut
/// grid. With other cuts, sums and thus solutions differ by rounding.
///
/// Patches support multigrid and conjugate gradients. They have no direct solutions, no fallbacks, no faces with
/// several conditions and no materials. On a GPU they are slow: each verb waits for the messages between patches, which
/// pass through the host.
class PatchedModel final : public Model {
 public:
  /// Lists how many values (nodes or cells) the parts along each axis have; an axis without a list is not cut.
  using Widths = std::array<std::vector<int>, 3>;

  /// Discretizes the problem on patches, of which process p of `processes` gets a contiguous share. Levels with fewer
  /// than `least_patched` unknowns are boxes. Throws InputError if widths do not add up to the
  /// values of an axis, if a part has fewer than 4 values, or if patches do not support the problem. Collective.
  PatchedModel(Backend& backend, const Problem& problem, const Widths& widths,
               const std::shared_ptr<const Processes>& processes = one_process(),
               std::int64_t least_patched = Sharing{}.least_shared);
  ~PatchedModel() override;

  Backend& backend() const override { return team_->backend(); }
  const Space& space() const override { return space_; }
  Plan plan(const Options& options) const override;
  /// Leaves the bytes zero: the levels of patches are not rehearsed.
  void count_bytes(Plan&) const override {}
  std::size_t bytes() const override;
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  double fill(Field& b, Field& u) const override;

 private:
  std::shared_ptr<const PatchTeam> team_;
  std::vector<std::unique_ptr<GridModel>> models_;  // of the members
  Space space_;
};

}  // namespace poisson
