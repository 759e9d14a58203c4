#pragma once

#include <memory>

#include "grids/blocks/block_matrix.hpp"
#include "grids/blocks/block_operator.hpp"
#include "grids/blocks/device_blocks.hpp"
#include "grids/compact/aggregation_levels.hpp"
#include "grids/compact/row_levels.hpp"
#include "grids/compact/row_operator.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Levels of blocks are coarsened down to this number of unknowns, or to one cell for each block. Rows follow.
inline constexpr std::int64_t most_in_blocks = 300;

/// Returns the number of unknowns at which rows follow the levels of blocks: most_in_blocks, or all of them if κ jumps
/// between many cells inside blocks, or for long needles that no order of the axes coarsens across, or with sharp
/// angles. Coarse blocks interpolate linearly along all axes; algebraic multigrid follows κ, and coarsens along strong
/// couplings alone.
std::int64_t coarsest_in_blocks(const MeshData& data, const BlockMesh& mesh, const CellStretch& stretch);

/// Returns the options for blocks: conjugate gradients with multigrid, or with the diagonal (method: cg). `stretch` is
/// that of the cells, `dimension` that of the blocks. Throws InputError, which names the key, for
/// options that need a box.
Options resolve_block_options(const Options& options, const CellStretch& stretch, int dimension);

/// Returns how levels of blocks are smoothed for these options.
BlockSmoothing smoothing_of(const Options& options, double stretch);

/// Returns whether conjugate gradients on a GPU have directions in fp32 (ShortGradients). `range` is that of κ.
bool has_short_directions(const Options& options, double range);
/// Returns whether the residual on a GPU shares its entries in fp32 with the corrections. Other digits of fp64 are then
/// cut off, which the tolerance, the cells and κ must permit.
bool has_shared_entries(const Options& options, const CellStretch& stretch, bool isotropic, double range);

/// Returns whether a level stores its entries with 8 digits on a GPU, and those of its residual in two parts.
bool has_narrow_entries(const Options& options, const CellStretch& stretch, bool isotropic, std::int64_t unknowns);

/// Returns whether refinement stores no iterate that it may restore: on large levels, whose memory counts, and with
/// tolerances far above rounding.
bool keeps_last_iterate(const Options& options, const CellStretch& stretch, const BlockLevelSize& finest);

/// Returns the plan for blocks of these sizes, with bytes. See resolve_block_options. `computes_residual` is for a GPU
/// (BlocksModel::compute_residual). `range` is the ratio of the largest to the smallest κ.
Plan plan_blocks(const std::vector<BlockLevelSize>& sizes, const Options& options, const CellStretch& stretch,
                 int dimension, bool gpu = false, bool computes_residual = false, double range = 1);

/// Returns the bytes of the host that the set-up of algebraic multigrid below the finest level needs, also with a GPU:
/// elements and bands of the blocks of the process, and the rows of all blocks, which every process joins. 0: levels of
/// blocks follow.
double host_bytes_of_rows(const std::vector<BlockLevelSize>& sizes, const Options& options, int dimension);

/// Is the model of blocks. Everything that it gets must outlive it.
class BlocksModel final : public Model {
 public:
  /// `held` has the values of all nodes with a Dirichlet condition, and `guess` a starting guess at all nodes, or
  /// nothing. `device` makes operators on a device; null: that of the backend, or none on a CPU.
  BlocksModel(Backend& backend, const BlockSystem& system, const std::vector<double>& held,
              const std::vector<double>& guess, std::shared_ptr<DeviceBlocks> device = nullptr);

  Backend& backend() const override { return backend_; }
  const Space& space() const override { return finest_space().space; }
  const BlockSpace& finest_space() const { return *system_.levels.front().space; }
  /// Selects how operators on a device store the entries of the finest level, before any is made.
  void use(BlockModel model) { model_ = model; }
  /// Lets the residual compute its entries from corners where that is possible. It stores them otherwise, which is
  /// faster.
  void compute_residual() { residual_ = BlockModel::automatic; }
  /// Returns the data of a level's operator.
  BlockOperatorData data_of(std::size_t level, const Options& options) const;
  Plan plan(const Options& options) const override;
  void count_bytes(Plan&) const override {}  // plan() has counted them
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  double fill(Field& b, Field& u) const override;

 private:
  double scale() const;
  std::unique_ptr<Operator> make_operator(std::size_t level, const Options& options, Precision precision,
                                          BlockModel model, bool residual = false) const;
  std::unique_ptr<Transfer> make_transfer(std::size_t level, Precision precision) const;
  BlockModel stored_model(std::size_t level, const Options& options) const;
  double fill_on_device(Field& b, Field& u) const;
  BlockAssembly& assembly() const { return device_->assembly(finest_space().dimension()); }
  BlockLevel last_level() const;
  void add_rows(const BlockLevel& level, Precision precision, Hierarchy& to) const;
  void add_rows_on_gpu(const CsrMatrix& A, Precision precision, Hierarchy& to) const;

  Backend& backend_;
  std::shared_ptr<DeviceBlocks> device_;
  mutable std::unique_ptr<RowLevels> row_levels_;
  const BlockSystem& system_;
  const std::vector<double>&held_, &guess_;
  mutable double scale_ = 0;
  BlockModel model_ = BlockModel::automatic, residual_ = BlockModel::corrections;
};

}  // namespace poisson
