#pragma once

#include <array>
#include <memory>
#include <vector>

#include "grids/operators/patched_operator.hpp"
#include "solver/grid_model.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Is the model of a problem on a grid that is cut into patches. The patches of a process tile its part of the grid,
/// whose model provides the coefficients and all levels. Fields of the solver consist of patches, and a verb on them is
/// one launch for each group of patches. A multigrid cycle copies its right-hand side to the part and the correction
/// back.
///
/// If the grid is cut across the last axis alone, solutions and residuals of finite volumes have the bits of the uncut
/// grid. With other cuts, sums and thus solutions differ by rounding.
///
/// Patches support multigrid and conjugate gradients. They have no direct solutions, no fallbacks, no faces with
/// several conditions and no materials.
class PatchedModel final : public Model {
 public:
  /// Lists how many values (nodes or cells) the parts along each axis have; an axis without a list is not cut.
  using Widths = std::array<std::vector<int>, 3>;

  /// Discretizes the problem on patches. Each process gets a box of them: processes cut the last axis first. Throws
  /// InputError if widths do not add up to the values of an axis, if a part has fewer than 4 values, if the processes
  /// cannot share the patches in this way, or if patches do not support the problem. `turns` are the orientations of
  /// the patches (make_patched_box). Collective.
  PatchedModel(Backend& backend, const Problem& problem, const Widths& widths,
               const std::shared_ptr<const Processes>& processes = one_process(),
               const std::vector<Orientation>& turns = {});

  Backend& backend() const override { return part_->backend(); }
  const Space& space() const override { return of_ ? of_->patches : part_->space(); }
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override;
  std::size_t bytes() const override { return part_->bytes(); }
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  double fill(Field& b, Field& u) const override;
  /// Returns the model of the part that the patches of this process tile.
  const GridModel& part() const { return *part_; }
  /// Returns how they tile it; null if the grid is one patch.
  const std::shared_ptr<const PatchedBox>& patches() const { return of_; }

 private:
  std::unique_ptr<Operator> on_patches(std::shared_ptr<const Operator> part) const;

  Widths widths_;
  std::vector<Orientation> turns_;
  std::unique_ptr<GridModel> part_;
  std::shared_ptr<const PatchedBox> of_;  // null if the grid is one patch
};

}  // namespace poisson
