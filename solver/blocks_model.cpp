#include "solver/blocks_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_lines.hpp"
#include "grids/blocks/stacked_tables.hpp"
#include "grids/compact/host_rows.hpp"

namespace poisson {
namespace {

// Algebraic multigrid solves blocks if κ changes by more than the first number at more than the second share of faces,
// or within more than the third share of groups of cells, each a sixteenth of a block wide.
constexpr double large_jump = 10, most_jumps = 0.02, most_uneven = 0.25;
// It solves needles of several directions, and of cells with sharp angles (in degrees), if one is longer than this in
// relation to its other widths.
constexpr double long_needle = 10, sharp_angle = 3;

// Counts faces or groups of cells, and those where κ changes much.
struct JumpCount {
  std::int64_t count = 0, large = 0;
  void add(double least, double largest) {
    ++count;
    large += largest > large_jump * least ? 1 : 0;
  }
  bool exceed(double share) const { return static_cast<double>(large) > share * static_cast<double>(count); }
};

// Counts those of a block. `kappa` returns κ of a cell of the block.
template <class Kappa>
void count_jumps(const std::array<int, 3>& n, const Kappa& kappa, JumpCount& faces, JumpCount& groups) {
  const std::array<std::int64_t, 3> stride{1, n[0], std::int64_t{n[0]} * n[1]};
  std::array<int, 3> width{}, all{};
  for (std::size_t d = 0; d < 3; ++d) {
    width[d] = n[d] < 2 ? 1 : std::max(2, n[d] / 16);
    all[d] = (n[d] + width[d] - 1) / width[d];
  }
  const int count = all[0] * all[1] * all[2];
#pragma omp parallel
  {
    JumpCount own_faces, own_groups;
#pragma omp for schedule(static)
    for (int g = 0; g < count; ++g) {
      const std::array<int, 3> at{g % all[0], g / all[0] % all[1], g / all[0] / all[1]};
      std::array<int, 3> first{}, last{};
      for (std::size_t d = 0; d < 3; ++d) {
        first[d] = at[d] * width[d];
        last[d] = std::min(n[d], first[d] + width[d]);
      }
      double least = std::numeric_limits<double>::max(), largest = 0;
      for (int k = first[2]; k < last[2]; ++k)
        for (int j = first[1]; j < last[1]; ++j)
          for (int i = first[0]; i < last[0]; ++i) {
            const std::int64_t cell = i + stride[1] * j + stride[2] * k;
            const double here = kappa(cell);
            least = std::min(least, here);
            largest = std::max(largest, here);
            const std::array<int, 3> place{i, j, k};
            for (std::size_t d = 0; d < 3; ++d) {
              if (place[d] + 1 == n[d]) continue;
              const double there = kappa(cell + stride[d]);
              own_faces.add(std::min(here, there), std::max(here, there));
            }
          }
      own_groups.add(least, largest);
    }
#pragma omp critical
    for (const auto& [own, sum] : {std::pair{own_faces, &faces}, {own_groups, &groups}}) {
      sum->count += own.count;
      sum->large += own.large;
    }
  }
}

// Returns whether coarse levels of blocks represent all needles, or they are short.
bool suit_levels(const MeshData& data, const BlockMesh& mesh, const CellStretch& stretch) {
  if (stretch.needle <= long_needle) return true;
  if (stretch.sharpest < sharp_angle) return false;
  return find_needles(mesh, data, all_nodes(mesh)).agree;
}

}  // namespace

std::int64_t coarsest_in_blocks(const MeshData& data, const BlockMesh& mesh, const CellStretch& stretch) {
  if (!suit_levels(data, mesh, stretch)) return std::numeric_limits<std::int64_t>::max();
  if (data.range <= large_jump) return most_in_blocks;
  const std::size_t entries = std::min<std::size_t>(data.kappa_entries, 3);  // of the diagonal
  std::array<JumpCount, 3> faces, groups;
  for (int b = 0; b < mesh.numbers->topology().blocks(); ++b) {
    std::array<int, 3> n = mesh.numbers->cells_of(b);
    n[2] = std::max(1, n[2]);
    const std::int64_t first = mesh.first_cell[static_cast<std::size_t>(b)];
    for (std::size_t e = 0; e < entries; ++e)
      count_jumps(
          n,
          [&](std::int64_t cell) {
            return data.kappa[static_cast<std::size_t>(first + cell) * data.kappa_entries + e];
          },
          faces[e], groups[e]);
  }
  for (std::size_t e = 0; e < entries; ++e)
    if (faces[e].exceed(most_jumps) || groups[e].exceed(most_uneven)) return std::numeric_limits<std::int64_t>::max();
  return most_in_blocks;
}

BlocksModel::BlocksModel(Backend& backend, const BlockSystem& system, const std::vector<double>& held,
                         const std::vector<double>& guess, std::shared_ptr<DeviceBlocks> device)
    : backend_(backend), device_(std::move(device)), system_(system), held_(held), guess_(guess) {
  if (backend.on_gpu() && !device_) device_ = make_device_blocks(backend);
}

Plan BlocksModel::plan(const Options& asked) const {
  return plan_blocks(system_.sizes, asked, system_.stretch, finest_space().dimension(), device_ != nullptr,
                     residual_ == BlockModel::automatic, system_.range);
}

Traits BlocksModel::traits(const Options& options) const {
  Traits traits;
  traits.short_directions = device_ && has_short_directions(options, system_.stretch, system_.range);
  traits.keeps_last = traits.short_directions || keeps_last_iterate(options, system_.stretch, system_.sizes.front());
  traits.row_shape = RowShape::far;
  traits.range = system_.range;
  traits.cancels = true;
  traits.uneven = system_.range > 10;
  return traits;
}

double BlocksModel::scale() const {
  if (scale_ == 0 && device_) {
    const auto [sum, count] = device_->sum_logarithms(assembly().inverse_diagonal(system_.levels.front(), 1));
    scale_ = std::exp2(std::round(sum / std::max(1.0, count)));
  }
  if (scale_ == 0) {
    const std::vector<double> diagonal =
        get_nodes(assembled_diagonal(backend_, system_.levels.front(), 1), finest_space());
    double logarithms = 0;
    std::int64_t count = 0;
    for (const double d : diagonal)
      if (d > 0 && std::isfinite(d)) {
        logarithms += std::log2(d);
        ++count;
      }
    scale_ = std::exp2(-std::round(logarithms / static_cast<double>(std::max<std::int64_t>(1, count))));
  }
  return scale_;
}

BlockOperatorData BlocksModel::data_of(std::size_t level, const Options& options) const {
  BlockOperatorData data;
  data.level = system_.levels[level];
  data.scale = scale();
  data.singular = system_.singular;
  data.smoothing = smoothing_of(options, system_.stretch);
  data.model = model_;
  if (level == 0 && system_.singular && !device_)
    data.volume = std::make_shared<const std::vector<std::vector<double>>>(system_.volume);
  return data;
}

std::unique_ptr<Operator> BlocksModel::make_operator(std::size_t level, const Options& options, Precision precision,
                                                     BlockModel model, bool residual) const {
  BlockOperatorData data = data_of(level, options);
  if (model_ == BlockModel::automatic) data.model = model;
  data.residual = residual;
  return device_ ? device_->make_operator(data, precision) : make_block_operator(backend_, data, precision);
}

Hierarchy BlocksModel::levels(const Plan& plan) const {
  const Precision precision = plan.hierarchy.front().precision;
  Hierarchy hierarchy;
  const std::size_t count = plan.levels.size();
  for (std::size_t l = 0; l < count; ++l) {
    hierarchy.operators.push_back(make_operator(l, plan.options, precision, stored_model(l, plan.options)));
    if (l == 0) continue;
    hierarchy.transfers.push_back(make_transfer(l, precision));
  }
  if (plan.options.method != Method::multigrid) return hierarchy;
  add_rows(last_level(), precision, hierarchy);
  hierarchy.relaxations.resize(hierarchy.operators.size());
  hierarchy.nested.resize(hierarchy.transfers.size());
  return hierarchy;
}

// Makes the transfer to a level of blocks from the one above.
std::unique_ptr<Transfer> BlocksModel::make_transfer(std::size_t level, Precision precision) const {
  const std::shared_ptr<const BlockSpace>&fine = system_.levels[level - 1].space, &coarse = system_.levels[level].space,
                              &shares = system_.levels[level].shares;
  const auto make = [&](const std::shared_ptr<const BlockSpace>& to) {
    return device_ ? device_->make_transfer(fine, to, precision) : make_block_transfer(backend_, fine, to, precision);
  };
  if (!shares) return make(coarse);
  auto down = make(shares), up = make(coarse);
  Replicate replicate =
      device_ ? device_->make_replication(*shares, *coarse, precision) : make_replication(shares, coarse);
  return make_replicating_transfer(backend_, std::move(down), std::move(up), std::move(replicate), *shares, precision);
}

// Returns the last level of blocks with its matrix on the host.
BlockLevel BlocksModel::last_level() const {
  const BlockLevel& last = system_.levels.back();
  if (!device_) return last;
  return {last.space, std::make_shared<const BlockMatrix>(assembly().on_host(last))};
}

// Adds the levels of rows below those of blocks. Every process has all rows.
void BlocksModel::add_rows(const BlockLevel& level, Precision precision, Hierarchy& to) const {
  const CsrMatrix A = block_rows(level);
  if (backend_.on_gpu()) return add_rows_on_gpu(A, precision, to);
  auto rows = make_compact_rows(backend_, A, scale(), system_.singular);
  to.transfers.push_back(device_ ? device_->make_gather(*level.space, rows->space, 1, precision)
                                 : make_block_gather(backend_, level.space, rows->space, precision));
  to.operators.push_back(make_row_operator(backend_, rows, A, precision));
  const AggregationLevels below = make_aggregation_levels(A);
  const CsrMatrix* last = &A;
  RowSpace fine = rows->space;
  for (const AggregationLevels::Level& next : below.levels) {
    if (below.blocks && next.smoothed)
      rows->blocks = make_compact_blocks(backend_, *last, next.aggregate, next.P.columns, scale(), precision);
    auto coarse = make_compact_rows(backend_, next.A, scale(), system_.singular);
    to.transfers.push_back(make_row_transfer(backend_, next.P, next.R, fine, coarse->space, precision));
    to.operators.push_back(make_row_operator(backend_, coarse, next.A, precision));
    fine = coarse->space;
    rows = std::move(coarse);
    last = &next.A;
  }
  to.coarsest = make_row_operator(backend_, rows, *last, Precision::fp64);
}

void BlocksModel::add_rows_on_gpu(const CsrMatrix& A, Precision precision, Hierarchy& to) const {
  row_levels_ = make_row_levels(backend_, false);
  RowLevelOptions options;
  options.precision = precision;
  options.singular = system_.singular;
  Hierarchy rows;
  row_levels_->make(view_of(A), false, options, rows);
  // Rows have a scale of their own.
  to.transfers.push_back(device_->make_gather(*system_.levels.back().space, RowSpace(A.rows()),
                                              row_levels_->scale() / scale(), precision));
  for (auto& A_of_level : rows.operators) to.operators.push_back(std::move(A_of_level));
  for (auto& transfer : rows.transfers) to.transfers.push_back(std::move(transfer));
  to.coarsest = std::move(rows.coarsest);
}

std::unique_ptr<Operator> BlocksModel::finest(const Plan& plan, Precision precision) const {
  const bool computes = residual_ == BlockModel::automatic,
             differs = precision == Precision::fp64 && plan.hierarchy.front().precision == Precision::fp32;
  return make_operator(0, plan.options, precision, computes ? residual_ : stored_model(0, plan.options), differs);
}

BlockModel BlocksModel::stored_model(std::size_t level, const Options& options) const {
  if (has_narrow_entries(options, system_.stretch, system_.isotropic, system_.sizes[level].unknowns))
    return BlockModel::narrow;
  return has_shared_entries(options, system_.stretch, system_.isotropic, system_.range) ? BlockModel::shared
                                                                                        : BlockModel::corrections;
}

// Computes loads on the device. Values of interfaces without unknowns are copied there.
double BlocksModel::fill_on_device(Field& b, Field& u) const {
  const BlockSpace& blocks = finest_space();
  if (b.precision() == Precision::fp32) {
    Field loads(backend_, blocks.space, Precision::fp64), start(backend_, blocks.space, Precision::fp64);
    const double sum = fill_on_device(loads, start);
    backend_.convert(loads, b);
    backend_.convert(start, u);
    return sum;
  }
  const MacroTopology& topology = blocks.numbers->topology();
  assembly().loads(system_.levels.front(), scale(), false, b);
  const double sum = device_->sum_sizes(b) / scale();
  bool whole = guess_.empty();  // all values of blocks are unknowns and begin at zero
  for (int part = 0; part < topology.blocks(); ++part)
    whole = whole && blocks.free[static_cast<std::size_t>(topology.place(part, topology.places() / 2).part)];
  if (whole) {
    backend_.fill(u, 0);
    device_->put_held(blocks, values_at_held_parts(blocks, held_), u);
  } else {
    std::vector<double> start(held_.size(), 0);
    for (std::size_t p = 0; p < topology.parts().size(); ++p)
      for (std::int64_t n = blocks.numbers->first(static_cast<int>(p));
           n < blocks.numbers->first(static_cast<int>(p) + 1); ++n) {
        const auto at = static_cast<std::size_t>(n);
        start[at] = !blocks.free[p] ? held_[at] : guess_.empty() ? 0 : guess_[at];
      }
    put_nodes(start, blocks, u);
  }
  assembly().release();
  return sum;
}

double BlocksModel::fill(Field& b, Field& u) const {
  if (device_) return fill_on_device(b, u);
  const BlockSpace& blocks = finest_space();
  backend_.fill(b, 0);
  Field loads(backend_, blocks.space, Precision::fp64);
  put_own_blocks(system_.load, blocks, loads);
  backend_.run_exchange(blocks.add, loads, loads);
  std::vector<double> values = get_nodes(loads, blocks);
  std::vector<double> start(values.size(), 0);
  const MacroTopology& topology = blocks.numbers->topology();
  double sum = 0;
  for (std::size_t p = 0; p < topology.parts().size(); ++p)
    for (std::int64_t n = blocks.numbers->first(static_cast<int>(p));
         n < blocks.numbers->first(static_cast<int>(p) + 1); ++n) {
      const auto at = static_cast<std::size_t>(n);
      if (!blocks.free[p]) values[at] = 0;
      start[at] = !blocks.free[p] ? held_[at] : guess_.empty() ? 0 : guess_[at];
      sum += std::abs(values[at]);
      values[at] *= scale();
    }
  put_nodes(values, blocks, b);
  put_nodes(start, blocks, u);
  return sum;
}

}  // namespace poisson
