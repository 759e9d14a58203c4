#include "grids/compact/aggregation_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "grids/compact/aggregates.hpp"

namespace poisson {
namespace {

constexpr double share_of_strong = 0.4;
// A level that cannot be coarsened and has more rows than this gets a coarse level of this number of blocks of rows.
constexpr std::int64_t most_dense = 2000, blocks_of_rest = 100;
// A level with more than this share of the rows of the finer level is not worth its cost.
constexpr double most_left_over = 0.8;

// Decides which entries P uses. Strong couplings connect rows as for aggregates.
class StrongTest {
 public:
  explicit StrongTest(const CsrMatrix& A) : largest_(static_cast<std::size_t>(A.rows())) {
    for_rows(A.rows(), [&](std::int64_t i) {
      double most = 0;
      for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
        if (A.column[static_cast<std::size_t>(k)] != i) most = std::max(most, -A.value[static_cast<std::size_t>(k)]);
      largest_[static_cast<std::size_t>(i)] = most;
    });
  }
  bool operator()(std::size_t i, std::size_t j, double a) const {
    return a < 0 && -a >= share_of_strong * std::min(largest_[i], largest_[j]);
  }

 private:
  UnsetVector<double> largest_;
};

// Contains a row of F: its diagonal, the D by which it is divided, and the sum of its |f_ij|.
struct FilteredRow {
  double diagonal = 0, scale = 1, circle = 0;
};

template <class Strong>
FilteredRow filtered_row(const CsrMatrix& A, const Strong& strong, std::int64_t i) {
  FilteredRow row;
  double own = 0, off = 0;
  for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
    const double a = A.value[static_cast<std::size_t>(k)];
    const int j = A.column[static_cast<std::size_t>(k)];
    if (j == i) own = a;
    if (j != i && strong(static_cast<std::size_t>(i), static_cast<std::size_t>(j), a))
      off -= a;
    else
      row.diagonal += a;
  }
  row.scale = row.diagonal > 0 ? row.diagonal : own;
  row.circle = std::abs(row.diagonal) + off;
  return row;
}

// Bounds the largest eigenvalue of D⁻¹F by Gershgorin's circles. Rows whose entries are not positive off the diagonal
// and whose sum is not negative have at most 2, so a larger bound belongs to few rows of poor shape.
template <class Strong>
double bound_of_filtered(const CsrMatrix& A, const Strong& strong) {
  std::vector<double> most(static_cast<std::size_t>((A.rows() + row_chunk - 1) / row_chunk), 1);
  for_row_chunks(A.rows(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const FilteredRow row = filtered_row(A, strong, i);
      if (row.scale > 0)
        most[static_cast<std::size_t>(first / row_chunk)] =
            std::max(most[static_cast<std::size_t>(first / row_chunk)], row.circle / row.scale);
    }
  });
  return std::min(2.0, *std::ranges::max_element(most));
}

// Sums the entries of one row of P by their columns.
struct ShortRow {
  std::vector<std::pair<int, double>> entries;
  void add(int column, double value) {
    const auto at = std::ranges::lower_bound(entries, column, {}, &std::pair<int, double>::first);
    if (at != entries.end() && at->first == column)
      at->second += value;
    else
      entries.insert(at, {column, value});
  }
};

template <class Strong>
void prolongation_row(const CsrMatrix& A, const Strong& strong, const UnsetVector<int>& of, double omega,
                      std::int64_t i, ShortRow& row) {
  row.entries.clear();
  const auto at = static_cast<std::size_t>(i);
  const FilteredRow filtered = filtered_row(A, strong, i);
  const double factor = filtered.scale > 0 ? omega / filtered.scale : 0;
  if (of[at] >= 0) row.add(of[at], 1 - factor * filtered.diagonal);
  for (std::int64_t k = A.start[at]; k < A.start[at + 1]; ++k) {
    const auto j = static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)]);
    const double a = A.value[static_cast<std::size_t>(k)];
    if (j != at && of[j] >= 0 && strong(at, j, a)) row.add(of[j], -factor * a);
  }
}

CsrMatrix prolongation(const CsrMatrix& A, const Aggregates& aggregates) {
  const StrongTest strong(A);
  const double omega = 4.0 / 3 / bound_of_filtered(A, strong);
  RowCollector rows(A.rows());
  for_row_chunks(A.rows(), [&](std::int64_t first, std::int64_t last) {
    RowCollector::Chunk& chunk = rows.chunk(first);
    ShortRow row;
    for (std::int64_t i = first; i < last; ++i) {
      prolongation_row(A, strong, aggregates.of, omega, i, row);
      for (const auto& [column, value] : row.entries) {
        chunk.column.push_back(column);
        chunk.value.push_back(value);
      }
      chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
    }
  });
  return rows.join(aggregates.count);
}

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

AggregationLevels make_aggregation_levels(const CsrMatrix& finest) {
  AggregationLevels all;
  const CsrMatrix* A = &finest;
  double entries = static_cast<double>(finest.entries());
  std::vector<AggregationLevels::Level> levels;
  levels.reserve(40);  // so that A stays where it is
  while (A->rows() > most_coarsest && levels.size() < 40) {
    Aggregates aggregates = aggregate(strong_couplings(*A, share_of_strong));
    if (aggregates.count == 0 ||
        static_cast<double>(aggregates.count) > most_left_over * static_cast<double>(A->rows()))
      break;
    AggregationLevels::Level level;
    level.P = prolongation(*A, aggregates);
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

namespace {

// Returns the largest eigenvalue of a symmetric tridiagonal matrix by bisection with Sturm's sequence.
double largest_of_tridiagonal(const std::vector<double>& d, const std::vector<double>& e) {
  double low = d[0], high = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double radius = (i > 0 ? std::abs(e[i - 1]) : 0) + (i + 1 < d.size() ? std::abs(e[i]) : 0);
    low = std::max(low, d[i]);
    high = std::max(high, d[i] + radius);
  }
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    bool above = false;  // whether an eigenvalue exceeds the middle
    double q = 1;
    for (std::size_t i = 0; i < d.size(); ++i) {
      q = d[i] - middle - (i > 0 ? e[i - 1] * e[i - 1] / (q == 0 ? 1e-300 : q) : 0);
      above = above || q > 0;
    }
    (above ? low : high) = middle;
  }
  return high;
}

}  // namespace

double largest_scaled_eigenvalue(const CsrMatrix& A) {
  constexpr int steps = 10;
  constexpr double margin = 1.06;
  const std::int64_t n = A.rows();
  UnsetVector<double> root(static_cast<std::size_t>(n)), v(static_cast<std::size_t>(n)),
      before(static_cast<std::size_t>(n)), w(static_cast<std::size_t>(n));
  for_rows(n, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const double d = A.at(i, static_cast<int>(i));
    root[at] = d > 0 ? 1 / std::sqrt(d) : 1;
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    v[at] = static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5;
    before[at] = 0;
  });
  const auto norm = [&](const UnsetVector<double>& x) {
    return std::sqrt(
        sum_rows(n, [&](std::int64_t i) { return x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)]; }));
  };
  double beta = norm(v);
  std::vector<double> diagonal, beside;
  for (int step = 0; step < steps && beta > 0; ++step) {
    const double length = beta;
    for_rows(n, [&](std::int64_t i) { v[static_cast<std::size_t>(i)] /= length; });
    const double last = step == 0 ? 0 : beta;
    for_rows(n, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      double sum = 0;
      for (std::int64_t k = A.start[at]; k < A.start[at + 1]; ++k) {
        const auto j = static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)]);
        sum += A.value[static_cast<std::size_t>(k)] * root[j] * v[j];
      }
      w[at] = root[at] * sum - last * before[at];
    });
    const double alpha =
        sum_rows(n, [&](std::int64_t i) { return w[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)]; });
    diagonal.push_back(alpha);
    for_rows(n, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      before[at] = v[at];
      v[at] = w[at] - alpha * v[at];
    });
    beta = norm(v);
    beside.push_back(beta);
    if (!(beta > 1e-12 * std::abs(alpha))) break;
  }
  return diagonal.empty() ? 1 : margin * largest_of_tridiagonal(diagonal, beside);
}

void update_values(const CsrMatrix& finest, AggregationLevels& all) {
  const CsrMatrix* A = &finest;
  for (AggregationLevels::Level& level : all.levels) {
    const StrongTest strong(*A);
    const double omega = level.smoothed ? 4.0 / 3 / bound_of_filtered(*A, strong) : 0;
    for_row_chunks(A->rows(), [&](std::int64_t first, std::int64_t last) {
      ShortRow row;
      for (std::int64_t i = first; i < last; ++i) {
        prolongation_row(*A, strong, level.aggregate, omega, i, row);
        const auto at = static_cast<std::size_t>(i);
        for (std::int64_t k = level.P.start[at]; k < level.P.start[at + 1]; ++k) {
          const auto found = std::ranges::find(row.entries, level.P.column[static_cast<std::size_t>(k)],
                                               &std::pair<int, double>::first);
          level.P.value[static_cast<std::size_t>(k)] = found == row.entries.end() ? 0 : found->second;
        }
      }
    });
    transpose_values(level.P, level.R);
    CsrMatrix AP = product(*A, level.P);
    product_values(level.R, AP, level.A);
    A = &level.A;
  }
}

}  // namespace poisson
