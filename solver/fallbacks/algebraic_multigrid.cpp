#include "solver/fallbacks/algebraic_multigrid.hpp"

#include <algorithm>
#include <utility>

#include "backends/device/backend.hpp"

namespace poisson {

CsrMatrix matrix_of(const Rows& rows) {
  CsrMatrix A;
  const auto n = static_cast<std::int64_t>(rows.size());
  A.columns = n;
  A.start.resize(rows.size() + 1);
  for (std::size_t i = 0; i <= rows.size(); ++i) A.start[i] = rows.first[i] + static_cast<std::int64_t>(i);
  A.column.resize(static_cast<std::size_t>(A.start.back()));
  A.value.resize(A.column.size());
  for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::pair<int, double>> row;
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      row.clear();
      double diagonal = rows.sum[at];
      for (std::int64_t e = rows.first[at]; e < rows.first[at + 1]; ++e) {
        const double coupling = rows.coupling[static_cast<std::size_t>(e)];
        row.emplace_back(rows.to[static_cast<std::size_t>(e)], -coupling);
        diagonal += coupling;
      }
      row.emplace_back(static_cast<int>(i), diagonal);
      std::ranges::sort(row, {}, &std::pair<int, double>::first);
      for (std::size_t k = 0; k < row.size(); ++k) {
        A.column[static_cast<std::size_t>(A.start[at]) + k] = row[k].first;
        A.value[static_cast<std::size_t>(A.start[at]) + k] = row[k].second;
      }
    }
  });
  return A;
}

AlgebraicMultigrid::AlgebraicMultigrid(std::shared_ptr<const Operator> A)
    : A_(std::move(A)),
      box_(*A_),
      rhs_(A_->backend(), A_->space().part().layout(), A_->precision()),
      e_(A_->backend(), A_->space().part().layout(), A_->precision()) {
  system_.A = matrix_of(read_rows(*A_, rhs_, e_));
  system_.singular = A_->singular();
  model_ = std::make_unique<RowsModel>(A_->backend(), system_);
  Options options;
  options.method = Method::multigrid;
  options.precision = SolvePrecision::double_;
  const Plan plan = model_->plan(options);
  cycles_ = std::make_unique<Multigrid>(model_->levels(plan), plan.options);
  scale_ = model_->scale();
  if (A_->backend().on_gpu()) system_.A = {};
}

void AlgebraicMultigrid::solve() {
  std::vector<double> values;
  gather(box_, rhs_, values);
  put_rows(values, model_->rows(), scale_, cycles_->rhs());
  cycles_->solve();
  scatter(box_, get_rows(cycles_->correction(), model_->rows()), e_);
  if (A_->singular()) A_->project_solution(e_);
}

}  // namespace poisson
