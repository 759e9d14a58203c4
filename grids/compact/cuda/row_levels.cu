#include <cmath>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/compact/aggregation_levels.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"
#include "grids/compact/host_rows.hpp"
#include "grids/compact/row_builder.hpp"
#include "grids/compact/row_levels.hpp"

namespace poisson::cuda {
namespace {

// A level with more than this share of the rows of the finer level is not worth its cost.
constexpr double most_left_over = 0.8;

struct LogarithmOfDiagonal {
  CsrView A;
  __device__ double operator()(std::int64_t i) const {
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
      if (A.column[k] == i) return A.value[k] > 0 ? log2(A.value[k]) : 0;
    return 0;
  }
};

CsrMatrix to_host(DeviceRows& rows, const DeviceMatrix& A) {
  CsrMatrix copy;
  copy.columns = A.columns;
  copy.start.resize(static_cast<std::size_t>(A.rows) + 1);
  copy.column.resize(static_cast<std::size_t>(A.entries));
  copy.value.resize(static_cast<std::size_t>(A.entries));
  rows.backend().read(A.start.data(), copy.start.data(), copy.start.size() * sizeof(std::int64_t));
  rows.backend().read(A.column.data(), copy.column.data(), copy.column.size() * sizeof(int));
  rows.backend().read(A.value.data(), copy.value.data(), copy.value.size() * sizeof(double));
  return copy;
}

// Makes A P. The number is that of entries that products rarely exceed, as in galerkin().
LooseRows product_with(DeviceRows& rows, const DeviceMatrix& A, const DeviceMatrix& P) {
  return loose_product(rows, A, P, std::min(A.entries + 3 * A.rows, 20 * A.rows));
}

// Makes Pᵀ A P.
DeviceMatrix galerkin(DeviceRows& rows, const DeviceMatrix& R, const DeviceMatrix& A, const DeviceMatrix& P) {
  const LooseRows AP = product_with(rows, A, P);
  return sorted(rows, loose_product(rows, R, AP, std::min(A.entries * 5 / 8, 100 * R.rows)));
}

// Contains a coarsening: P, R = Pᵀ and the coarse matrix. Matrices on the host are those of small levels.
struct Coarsening {
  DeviceMatrix P, R, A;
  Buffer aggregate;
  std::shared_ptr<const SlicedRows> up, down, coarse;
};

class DeviceRowLevels final : public RowLevels {
 public:
  DeviceRowLevels(CudaBackend& backend, bool keeps) : rows_(backend), keeps_(keeps) {}

  void make(const CsrView& A, bool on_device, const RowLevelOptions& options, Hierarchy& to) override {
    const DeviceMatrix copy = on_device ? DeviceMatrix{} : to_device(rows_, A);
    const DeviceMatrix given = on_device ? refer_to(A) : DeviceMatrix{};
    const DeviceMatrix& finest = on_device ? given : copy;
    options_ = options;
    const std::shared_ptr<DevicePattern> pattern = begin(finest, options);
    add_operator(pattern, finest, to);
    other_ =
        options.precision == Precision::fp64 ? nullptr : make_row_operator(rows_, finest_, finest, Precision::fp64);
    complexity_ = 1;
    if (!options.multigrid) return;
    entries_ = static_cast<double>(finest.entries);
    if (made_)
      update_levels(finest, to);
    else
      make_levels(finest, to);
    complexity_ = entries_ / std::max(1.0, static_cast<double>(finest.entries));
    to.relaxations.resize(to.operators.size());
    to.nested.resize(to.transfers.size());
    made_ = keeps_;
    if (keeps_) return;
    levels_.clear();
    on_host_.reset();
    sliced_ = nullptr;
  }
  std::unique_ptr<Operator> finest(Precision precision) const override {
    if (other_ && other_->precision() == precision) return std::move(other_);
    throw RunError("the finest operator was not made in this precision");
  }
  std::unique_ptr<Operator> operator_of(const CsrView& A, Precision precision) override {
    const DeviceMatrix copy = to_device(rows_, A);
    return make_row_operator(rows_, pattern_of(copy, nullptr), copy, precision);
  }
  double scale() const override { return finest_ ? finest_->scale : 1; }
  double operator_complexity() const override { return complexity_; }

 private:
  // Refers to a matrix of the device, which others own.
  DeviceMatrix refer_to(const CsrView& A) {
    const auto keep = [](const void* data, std::size_t bytes) {
      return Buffer(const_cast<void*>(data), bytes, [](void*) {});
    };
    DeviceMatrix M;
    M.rows = A.rows;
    M.columns = A.columns;
    M.start = keep(A.start, static_cast<std::size_t>(A.rows + 1) * sizeof(std::int64_t));
    M.column = keep(A.column, 0);
    M.value = keep(A.value, 0);
    M.entries = rows_.value<std::int64_t>(M.start, A.rows);
    return M;
  }
  std::shared_ptr<DevicePattern> pattern_of(const DeviceMatrix& A, std::shared_ptr<const SlicedRows> sliced) {
    auto pattern = std::make_shared<DevicePattern>();
    pattern->rows = sliced ? std::move(sliced) : std::make_shared<const SlicedRows>(make_sliced(rows_, A));
    pattern->scale = finest_ ? finest_->scale : 1;
    pattern->singular = options_.singular;
    pattern->total_weight = static_cast<double>(A.rows);
    return pattern;
  }
  void add_operator(const std::shared_ptr<DevicePattern>& pattern, const DeviceMatrix& A, Hierarchy& to) {
    to.operators.push_back(make_row_operator(rows_, pattern, A, options_.precision));
    pattern->largest = largest_scaled_eigenvalue(rows_, *to.operators.back());
  }
  std::shared_ptr<DevicePattern> begin(const DeviceMatrix& A, const RowLevelOptions& options) {
    finest_ = nullptr;
    auto pattern = pattern_of(A, made_ ? sliced_ : nullptr);
    sliced_ = pattern->rows;
    const double logarithms = rows_.sum(A.rows, LogarithmOfDiagonal{A.view()});
    pattern->scale = std::exp2(-std::round(logarithms / static_cast<double>(std::max<std::int64_t>(1, A.rows))));
    if (!options.weights.empty()) {
      pattern->weights = rows_.make<double>(A.rows);
      rows_.backend().write(options.weights.data(), pattern->weights.data(), options.weights.size() * sizeof(double));
      pattern->total_weight = 0;
      for (const double weight : options.weights) pattern->total_weight += weight;
    }
    finest_ = pattern;
    return pattern;
  }

  // Makes P, R and the coarse matrix. Returns false if the rows cannot be coarsened.
  bool coarsen(const DeviceMatrix& A, Coarsening& made) {
    const CsrView view = A.view();
    {
      const Buffer largest = largest_couplings(rows_, view);
      const CouplingTest test{rows_.at(largest)};
      if (levels_.empty()) blocks_ = needs_blocks(rows_, view, test);
      AggregatesOn<DeviceRows> aggregates = aggregate(rows_, view, test);
      if (aggregates.count == 0 || static_cast<double>(aggregates.count) > most_left_over * static_cast<double>(A.rows))
        return false;
      made.P = make_prolongation(rows_, view, test, aggregates);
      made.aggregate = std::move(aggregates.of);
    }
    made.R = transpose(rows_, made.P);
    made.A = galerkin(rows_, made.R, A, made.P);
    return true;
  }
  // Gives the sweeps of the last operator blocks, if they need them.
  void add_blocks(const DeviceMatrix& A, const Coarsening& level, const Hierarchy& to) {
    if (blocks_)
      last_->blocks = make_blocks(rows_, A, rows_.at(level.aggregate), level.P.columns, *to.operators.back());
  }
  void add_level(Coarsening& level, Hierarchy& to) {
    if (!level.up) {
      level.up = std::make_shared<const SlicedRows>(make_sliced(rows_, level.P));
      level.down = std::make_shared<const SlicedRows>(make_sliced(rows_, level.R));
    }
    to.transfers.push_back(make_row_transfer(rows_, level.up, level.P, level.down, level.R, options_.precision));
    if (!keeps_) {
      level.P = {};
      level.R = {};
    }
    auto pattern = pattern_of(level.A, level.coarse);
    level.coarse = pattern->rows;
    add_operator(pattern, level.A, to);
    entries_ += static_cast<double>(level.A.entries);
    last_ = std::move(pattern);
  }

  void make_levels(const DeviceMatrix& finest, Hierarchy& to) {
    levels_.clear();
    levels_.reserve(40);  // so that matrices stay where they are
    const DeviceMatrix* A = &finest;
    last_ = finest_;
    while (A->rows > most_coarsest && levels_.size() < 40) {
      Coarsening level;
      try {
        if (!coarsen(*A, level)) break;
      } catch (const TooDense&) {
        break;
      }
      add_blocks(*A, level, to);
      if (!keeps_) level.aggregate = {};
      levels_.push_back(std::move(level));
      add_level(levels_.back(), to);
      A = &levels_.back().A;
      if (!keeps_ && levels_.size() > 1) levels_[levels_.size() - 2].A = {};
    }
    first_on_host_ = levels_.size();
    const CsrMatrix start = to_host(rows_, *A);
    on_host_ = std::make_unique<AggregationLevels>(make_aggregation_levels(start, blocks_));
    add_host_levels(start, A, to);
  }
  // Copies the levels that the host computes.
  void add_host_levels(const CsrMatrix& start, const DeviceMatrix* A, Hierarchy& to) {
    std::shared_ptr<const CsrMatrix> last;
    if (on_host_->levels.empty()) last = std::make_shared<const CsrMatrix>(start);
    levels_.resize(first_on_host_ + on_host_->levels.size());
    for (std::size_t l = 0; l < on_host_->levels.size(); ++l) {
      const AggregationLevels::Level& from = on_host_->levels[l];
      Coarsening& level = levels_[first_on_host_ + l];
      level.P = to_device(rows_, view_of(from.P));
      level.R = to_device(rows_, view_of(from.R));
      level.A = to_device(rows_, view_of(from.A));
      if (from.smoothed) {
        level.aggregate = rows_.make<int>(A->rows);
        rows_.backend().write(from.aggregate.data(), level.aggregate.data(), from.aggregate.size() * sizeof(int));
        add_blocks(*A, level, to);
      }
      if (l + 1 == on_host_->levels.size()) last = std::make_shared<const CsrMatrix>(from.A);
      add_level(level, to);
      A = &level.A;
    }
    auto coarsest = std::make_shared<DevicePattern>();
    coarsest->rows = last_->rows;
    coarsest->scale = last_->scale;
    coarsest->singular = last_->singular;
    coarsest->largest = last_->largest;
    coarsest->total_weight = static_cast<double>(A->rows);
    coarsest->on_host = std::move(last);
    to.coarsest = make_row_operator(rows_, std::move(coarsest), *A, Precision::fp64);
  }
  void update_levels(const DeviceMatrix& finest, Hierarchy& to) {
    const DeviceMatrix* A = &finest;
    last_ = finest_;
    for (std::size_t l = 0; l < first_on_host_; ++l) {
      Coarsening& level = levels_[l];
      update_prolongation(rows_, A->view(), rows_.at(level.aggregate), level.P);
      update_transpose(rows_, level.P, level.R);
      update_product(rows_, level.R, product_with(rows_, *A, level.P), level.A);
      add_blocks(*A, level, to);
      add_level(level, to);
      A = &level.A;
    }
    const CsrMatrix start = to_host(rows_, *A);
    update_values(start, *on_host_);
    add_host_levels(start, A, to);
  }

  mutable DeviceRows rows_;
  bool keeps_, made_ = false, blocks_ = false;
  RowLevelOptions options_;
  std::shared_ptr<DevicePattern> finest_, last_;
  std::shared_ptr<const SlicedRows> sliced_;
  mutable std::unique_ptr<Operator> other_;
  std::vector<Coarsening> levels_;  // the first `first_on_host_` were computed on the device
  std::size_t first_on_host_ = 0;
  std::unique_ptr<AggregationLevels> on_host_;
  double complexity_ = 1, entries_ = 0;
};

}  // namespace

std::unique_ptr<RowLevels> make_row_levels(Backend& backend, bool keeps_patterns) {
  return std::make_unique<DeviceRowLevels>(static_cast<CudaBackend&>(backend), keeps_patterns);
}

}  // namespace poisson::cuda
