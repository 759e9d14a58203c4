#include "grids/compact/aggregation_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "grids/compact/block_steps.hpp"
#include "grids/compact/eigenvalue_steps.hpp"
#include "grids/compact/host_rows.hpp"
#include "grids/compact/row_builder.hpp"

namespace poisson {
namespace {

// A level that cannot be coarsened and has more rows than this gets a coarse level of this number of blocks of rows.
constexpr std::int64_t most_dense = 2000, blocks_of_rest = 100;
// A level with more than this share of the rows of the finer level is not worth its cost.
constexpr double most_left_over = 0.8;

// Makes a small coarse level of consecutive rows. Sweeps alone reduce most errors of a matrix that cannot be coarsened,
// whose rows are nearly independent.
AggregationLevels::Level blocks_of_rows(const CsrMatrix& A) {
  AggregationLevels::Level level;
  level.smoothed = false;
  level.P.columns = blocks_of_rest;
  const auto n = static_cast<std::size_t>(A.rows());
  level.P.start.resize(n + 1);
  level.P.column.resize(n);
  level.P.value.resize(n);
  level.aggregate.resize(n);
  for (std::size_t i = 0; i <= n; ++i) level.P.start[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < n; ++i) {
    level.P.column[i] = level.aggregate[i] = static_cast<int>(i * blocks_of_rest / n);
    level.P.value[i] = 1;
  }
  level.R = transpose(level.P);
  level.A = product(level.R, product(A, level.P));
  return level;
}

}  // namespace

std::size_t AggregationLevels::bytes() const {
  std::size_t sum = 0;
  for (const Level& level : levels) sum += level.P.bytes() + level.R.bytes() + level.A.bytes();
  return sum;
}

AggregationLevels make_aggregation_levels(const CsrMatrix& finest, std::optional<bool> blocks) {
  AggregationLevels all;
  HostRows rows;
  const CsrMatrix* A = &finest;
  double entries = static_cast<double>(finest.entries());
  std::vector<AggregationLevels::Level> levels;
  levels.reserve(40);  // so that A stays where it is
  while (A->rows() > most_coarsest && levels.size() < 40) {
    const CsrView view = view_of(*A);
    const auto largest = largest_couplings(rows, view);
    const CouplingTest test{largest.data()};
    if (levels.empty()) all.blocks = blocks ? *blocks : needs_blocks(rows, view, test);
    AggregatesOn<HostRows> aggregates = aggregate(rows, view, test);
    if (aggregates.count == 0 ||
        static_cast<double>(aggregates.count) > most_left_over * static_cast<double>(A->rows()))
      break;
    AggregationLevels::Level level;
    level.P = make_prolongation(rows, view, test, aggregates);
    level.aggregate = std::move(aggregates.of);
    level.R = transpose(level.P);
    level.A = product(level.R, product(*A, level.P));
    entries += static_cast<double>(level.A.entries());
    levels.push_back(std::move(level));
    A = &levels.back().A;
  }
  if (A->rows() > most_dense) {
    entries += static_cast<double>(blocks_of_rest);
    levels.push_back(blocks_of_rows(*A));
  }
  all.levels = std::move(levels);
  if (finest.entries() > 0) all.operator_complexity = entries / static_cast<double>(finest.entries());
  return all;
}

double largest_scaled_eigenvalue(const CsrMatrix& A) {
  HostRows rows;
  return largest_scaled_eigenvalue(rows, view_of(A));
}

// Lanczos' method for B⁻¹A in the inner product of B: r is B v, z is v, both before division by their length.
double largest_scaled_eigenvalue(const CsrMatrix& A, const CsrMatrix& inverse) {
  const auto n = static_cast<std::size_t>(A.rows());
  const CsrView a = view_of(A), b = view_of(inverse);
  UnsetVector<double> r(n), z(n), before(n), w(n);
  const auto row = [](const CsrView& M, std::int64_t i, const UnsetVector<double>& x) {
    double sum = 0;
    for (std::int64_t k = M.start[i]; k < M.start[i + 1]; ++k)
      sum += M.value[k] * x[static_cast<std::size_t>(M.column[k])];
    return sum;
  };
  const auto scale = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return r[at] * (z[at] = row(b, i, r));
  };
  for_rows(A.rows(), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    r[at] = lanczos_number(i) * std::sqrt(std::abs(A.at(i, static_cast<int>(i))));
    before[at] = 0;
  });
  std::vector<double> norm{sum_rows(A.rows(), scale)}, alpha;
  for (int step = 0; step < lanczos_steps && norm.back() > 0; ++step) {
    const double length = std::sqrt(norm.back()), last = step == 0 ? 0 : length;
    alpha.push_back(sum_rows(A.rows(),
                             [&](std::int64_t i) {
                               const auto at = static_cast<std::size_t>(i);
                               return z[at] * (w[at] = row(a, i, z));
                             }) /
                    norm.back());
    for_rows(A.rows(), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      const double now = r[at] / length, next = w[at] / length - alpha.back() * now - last * before[at];
      before[at] = now;
      r[at] = next;
    });
    norm.push_back(sum_rows(A.rows(), scale));
  }
  return largest_of_lanczos(norm.data(), alpha.data(), static_cast<int>(alpha.size()));
}

CsrMatrix block_inverse(const CsrMatrix& A, const UnsetVector<int>& aggregate, std::int64_t aggregates) {
  HostRows rows;
  return invert_aggregates(rows, view_of(A), aggregate.data(), aggregates);
}

void update_values(const CsrMatrix& finest, AggregationLevels& all) {
  HostRows rows;
  const CsrMatrix* A = &finest;
  for (AggregationLevels::Level& level : all.levels) {
    if (level.smoothed) update_prolongation(rows, view_of(*A), level.aggregate.data(), level.P);
    transpose_values(level.P, level.R);
    CsrMatrix AP = product(*A, level.P);
    product_values(level.R, AP, level.A);
    A = &level.A;
  }
}

}  // namespace poisson
