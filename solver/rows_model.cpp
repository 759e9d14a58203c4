#include "solver/rows_model.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/compact/host_rows.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson {
namespace {

void refuse_option(bool given, const std::string& key, const std::string& remedy) {
  if (given) throw InputError("solver." + key + " needs a box, but here rows couple any unknowns: " + remedy);
}

Plan plan_of(const Options& asked, std::int64_t rows) {
  Plan plan;
  plan.options = resolve_row_options(asked);
  LevelPlan level;
  level.precision = plan.options.precision == SolvePrecision::double_ ? Precision::fp64 : Precision::fp32;
  plan.hierarchy.push_back(level);
  Plan::Level finest;
  finest.cells = {static_cast<int>(rows), 1, 1};
  finest.unknowns = rows;
  finest.assembly = "compact rows";
  plan.levels.push_back(finest);
  return plan;
}

}  // namespace

Options resolve_row_options(const Options& given) {
  Options options = given;
  refuse_option(given.method == Method::direct, "method: direct", "write method: multigrid or cg");
  refuse_option(given.method == Method::jacobi, "method: jacobi", "write method: multigrid or cg");
  refuse_option(given.preconditioner == PreconditionerChoice::direct, "preconditioner: direct",
                "write preconditioner: multigrid or diagonal");
  refuse_option(given.extrapolate, "extrapolate", "remove it");
  refuse_option(given.coarse_operator == CoarseOperator::rediscretized, "coarse_operator: rediscretized",
                "write coarse_operator: auto");
  refuse_option(given.smoother.extent.has_value(), "smoother.type: line or plane", "write chebyshev or jacobi");
  refuse_option(given.smoother.kind && !given.smoother.kind->symmetric, "smoother.type: red-black",
                "write chebyshev or jacobi");
  const bool diagonal = given.method == Method::cg && given.preconditioner != PreconditionerChoice::multigrid;
  if (options.method == Method::automatic || !diagonal) options.method = Method::multigrid;
  if (given.preconditioner == PreconditionerChoice::diagonal) options.method = Method::cg;
  options.preconditioner =
      options.method == Method::cg ? PreconditionerChoice::diagonal : PreconditionerChoice::multigrid;
  if (options.krylov == Krylov::automatic || options.method == Method::cg) options.krylov = Krylov::cg;
  options.full_multigrid = false;
  options.fallback = Fallback::never;
  options.coarse_operator = CoarseOperator::galerkin;
  if (!options.smoother.kind) {
    options.smoother.kind = &smoother_kind("chebyshev");
    if (!options.smoother.value("interval")) options.smoother.given.emplace("interval", 8);
  }
  if (!options.smoother.pre) options.smoother.pre = 2;
  if (!options.smoother.post) options.smoother.post = 2;
  return options;
}

// Bytes of coarse levels are not known before they are made. Operators of all levels have about 1.5 times the entries
// of the finest one, and P and Pᵀ about as many as half of the finest. Only values decide whether sweeps invert blocks
// of aggregates, so these always count; their entries are about as many as those of P. On a GPU columns need about 18
// bits.
void count_row_bytes(Plan& plan, const RowSizes& sizes) {
  const auto entries = static_cast<double>(sizes.entries), rows = static_cast<double>(sizes.rows);
  const bool multigrid = plan.options.method == Method::multigrid,
             mixed = plan.options.precision == SolvePrecision::mixed;
  const double column = sizes.gpu ? 2.3 : 4, fields = rows * (8 * 6 + (multigrid ? 4 * 4 * 1.3 : 8)),
               matrix = entries * ((mixed ? 12 : 8) + column);
  plan.bytes = static_cast<std::size_t>(matrix + fields + rows * (sizes.gpu ? 14 : 24) +
                                        (multigrid ? entries * (4 + column) * 2.4 : 0));
  plan.setup = static_cast<std::size_t>(multigrid ? entries * 12 * 2.0 + rows * 16 : 0);
  if (sizes.gpu && !sizes.on_device) plan.setup += static_cast<std::size_t>(entries * 12 + rows * 8);
  plan.levels.front().bytes = plan.bytes;
}

Plan plan_rows(const Options& options, const RowSizes& sizes) {
  Plan plan = plan_of(options, sizes.rows);
  count_row_bytes(plan, sizes);
  return plan;
}

RowsModel::RowsModel(Backend& backend, const RowSystem& system, bool keeps_levels)
    : backend_(backend), system_(system), space_(system.rows()), keeps_levels_(keeps_levels) {
  if (system.rows() + system.rows() / 16 > std::numeric_limits<int>::max())
    throw RunError("the matrix has more than 2·10⁹ rows, which this version does not support");
}

Plan RowsModel::plan(const Options& asked) const {
  return plan_of(asked, space_.rows());
}

void RowsModel::count_bytes(Plan& plan) const {
  count_row_bytes(plan, {space_.rows(), system_.entries(), backend_.on_gpu(), system_.on_device != nullptr});
}

Traits RowsModel::traits(const Options&) const {
  Traits traits;
  traits.row_shape = RowShape::far;
  traits.range = system_.range;
  traits.cancels = true;
  traits.uneven = system_.range > 10;
  return traits;
}

double RowsModel::scale() const {
  if (on_gpu_) return on_gpu_->scale();
  const CsrMatrix& A = system_.A;
  const double logarithms = sum_rows(A.rows(), [&](std::int64_t i) {
    const double d = A.at(i, static_cast<int>(i));
    return d > 0 ? std::log2(d) : 0;
  });
  return std::exp2(-std::round(logarithms / static_cast<double>(std::max<std::int64_t>(1, A.rows()))));
}

Hierarchy RowsModel::gpu_levels(const Plan& plan) const {
  if (!on_gpu_) on_gpu_ = make_row_levels(backend_, keeps_levels_);
  Hierarchy hierarchy;
  const RowLevelOptions options{plan.hierarchy.front().precision, plan.options.method == Method::multigrid,
                                system_.singular, system_.weights};
  on_gpu_->make(system_.on_device ? system_.on_device->view() : view_of(system_.A), system_.on_device != nullptr,
                options, hierarchy);
  complexity_ = on_gpu_->operator_complexity();
  return hierarchy;
}

Hierarchy RowsModel::levels(const Plan& plan) const {
  if (backend_.on_gpu()) return gpu_levels(plan);
  const CsrMatrix& A = system_.A;
  const Precision precision = plan.hierarchy.front().precision;
  finest_ = make_compact_rows(backend_, A, scale(), system_.singular);
  finest_->weights = system_.weights;
  Hierarchy hierarchy;
  hierarchy.operators.push_back(make_row_operator(backend_, finest_, A, precision));
  if (plan.options.method != Method::multigrid) return hierarchy;
  if (kept_)
    update_values(A, *kept_);
  else
    kept_ = std::make_unique<AggregationLevels>(make_aggregation_levels(A));
  complexity_ = kept_->operator_complexity;
  RowSpace fine = space_;
  std::shared_ptr<CompactRows> rows = finest_;
  const CsrMatrix* last = &A;
  AggregationLevels::Level* finer = nullptr;
  for (AggregationLevels::Level& level : kept_->levels) {
    if (kept_->blocks && level.smoothed)
      rows->blocks = make_compact_blocks(backend_, *last, level.aggregate, level.P.columns, finest_->scale, precision);
    auto coarse = make_compact_rows(backend_, level.A, finest_->scale, system_.singular);
    hierarchy.transfers.push_back(make_row_transfer(backend_, level.P, level.R, fine, coarse->space, precision));
    hierarchy.operators.push_back(make_row_operator(backend_, coarse, level.A, precision));
    if (!keeps_levels_) {
      level.P = level.R = {};
      if (finer) finer->A = {};
    }
    finer = &level;
    fine = coarse->space;
    rows = std::move(coarse);
    last = &level.A;
  }
  hierarchy.coarsest = make_row_operator(backend_, rows, *last, Precision::fp64);
  hierarchy.relaxations.resize(hierarchy.operators.size());
  hierarchy.nested.resize(hierarchy.transfers.size());
  if (!keeps_levels_) kept_.reset();
  return hierarchy;
}

std::unique_ptr<Operator> RowsModel::finest(const Plan&, Precision precision) const {
  if (on_gpu_) return on_gpu_->finest(precision);
  return make_row_operator(backend_, finest_, system_.A, precision);
}

std::unique_ptr<Operator> RowsModel::operator_of(const CsrMatrix& A, Precision precision) const {
  if (on_gpu_) return on_gpu_->operator_of(view_of(A), precision);
  return make_row_operator(backend_, make_compact_rows(backend_, A, scale(), system_.singular), A, precision);
}

double RowsModel::fill(Field& b, Field& u) const {
  put_rows(system_.b, space_, finest_ ? finest_->scale : scale(), b);
  if (system_.guess.empty())
    u.backend().fill(u, 0);
  else
    put_rows(system_.guess, space_, 1, u);
  return sum_rows(space_.rows(), [&](std::int64_t i) { return std::abs(system_.b[static_cast<std::size_t>(i)]); });
}

}  // namespace poisson
