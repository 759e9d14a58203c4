#include "solver/fallbacks/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/device/backend.hpp"

namespace poisson {
namespace {

constexpr std::size_t small = 160;  // largest dense solve
constexpr std::size_t most_levels = 40;
constexpr double worst_pair = 5;         // limit of κ̂ for a pair
constexpr double joining = 0.3;          // share of the diagonal that joins a value to an aggregate
constexpr double isolated_diagonal = 5;  // sweeps alone solve values whose diagonal is this multiple of their couplings
constexpr double enough = 0.25;          // reduction that makes a second step of the K-cycle unnecessary

double diagonal(const Rows& rows, std::size_t i) {
  double d = rows.sum[i];
  for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) d += rows.coupling[static_cast<std::size_t>(e)];
  return d;
}

// Pairs values with small κ̂ in index order. A value without a partner joins the aggregate of its strongest coupling if
// that is strong enough; otherwise it stays alone. This matters for random κ: cells of low κ that joined one of several
// strong clusters would connect the clusters. Returns the number of aggregates.
std::size_t pair_up(const Rows& rows, std::vector<std::int32_t>& to, bool leave_alone) {
  const std::size_t n = rows.size();
  constexpr std::int32_t none = -1, open = -2;
  to.assign(n, open);
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = diagonal(rows, i);
    if (leave_alone && rows.sum[i] > (isolated_diagonal - 1) * (d[i] - rows.sum[i])) to[i] = none;
  }
  std::int32_t count = 0;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < n; ++i) {
    if (to[i] != open) continue;
    double best = worst_pair;
    std::int32_t partner = -1;
    for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const auto j = static_cast<std::size_t>(rows.to[at]);
      if (to[j] != open || !(rows.coupling[at] > 0)) continue;
      const double si = std::max(0.0, rows.sum[i]), sj = std::max(0.0, rows.sum[j]);
      const double strength = si + sj > 0 ? si * sj / (si + sj) : 0;
      const double quality = 2 * d[i] * d[j] / (d[i] + d[j]) / (rows.coupling[at] + strength);
      if (quality < best) {
        best = quality;
        partner = rows.to[at];
      }
    }
    if (partner < 0) {
      left.push_back(i);
      continue;
    }
    to[i] = to[static_cast<std::size_t>(partner)] = count++;
  }
  for (const std::size_t i : left) {
    if (to[i] != open) continue;
    double most = joining * d[i];
    for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const std::int32_t other = to[static_cast<std::size_t>(rows.to[at])];
      if (other < 0 || rows.coupling[at] <= most) continue;
      most = rows.coupling[at];
      to[i] = other;
    }
    if (to[i] == open) to[i] = count++;
  }
  return static_cast<std::size_t>(count);
}

// Sums couplings between aggregates and row sums within them. Values that only sweeps solve for act as constraints on
// their neighbours.
Rows sum_up(const Rows& rows, const std::vector<std::int32_t>& to, std::size_t count) {
  std::vector<std::int64_t> begin(count + 1), members;
  for (const std::int32_t a : to)
    if (a >= 0) ++begin[static_cast<std::size_t>(a) + 1];
  for (std::size_t a = 0; a < count; ++a) begin[a + 1] += begin[a];
  members.resize(static_cast<std::size_t>(begin[count]));
  auto next = begin;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] >= 0)
      members[static_cast<std::size_t>(next[static_cast<std::size_t>(to[i])]++)] = static_cast<std::int64_t>(i);
  Rows coarse;
  coarse.sum.resize(count);
  std::vector<std::int64_t> place(count, -1);
  for (std::size_t a = 0; a < count; ++a) {
    const std::int64_t start = coarse.first.back();
    for (std::int64_t m = begin[a]; m < begin[a + 1]; ++m) {
      const auto i = static_cast<std::size_t>(members[static_cast<std::size_t>(m)]);
      coarse.sum[a] += rows.sum[i];
      for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        const std::int32_t b = to[static_cast<std::size_t>(rows.to[at])];
        if (b == static_cast<std::int32_t>(a)) continue;
        if (b < 0) {
          coarse.sum[a] += rows.coupling[at];
          continue;
        }
        std::int64_t& there = place[static_cast<std::size_t>(b)];
        if (there < start) {
          there = static_cast<std::int64_t>(coarse.to.size());
          coarse.to.push_back(b);
          coarse.coupling.push_back(0);
        }
        coarse.coupling[static_cast<std::size_t>(there)] += rows.coupling[at];
      }
    }
    coarse.first.push_back(static_cast<std::int64_t>(coarse.to.size()));
  }
  return coarse;
}

// Computes y = A x row by row from differences of x.
void multiply(const Rows& rows, const std::vector<double>& x, std::vector<double>& y) {
  const auto n = static_cast<std::int64_t>(rows.size());
#pragma omp parallel for schedule(static) if (n > 10'000)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = rows.sum[row] * x[row];
    for (std::int64_t e = rows.first[row]; e < rows.first[row + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      sum += rows.coupling[at] * (x[row] - x[static_cast<std::size_t>(rows.to[at])]);
    }
    y[row] = sum;
  }
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

Aggregation::Aggregation(std::shared_ptr<const Operator> A)
    : A_(std::move(A)),
      rhs_(A_->backend(), A_->space().part().layout(), A_->precision()),
      e_(A_->backend(), A_->space().part().layout(), A_->precision()) {
  Rows rows = read_rows(*A_, rhs_, e_);
  while (true) {
    Level level;
    const std::size_t n = rows.size();
    for (Vector* v : {&level.z, &level.r, &level.given, &level.c, &level.v, &level.d, &level.w}) v->resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = diagonal(rows, i);
      level.inverse.push_back(d > 0 ? 1 / d : 0);
    }
    Rows coarse;
    if (n > small && levels_.size() + 1 < most_levels) {
      std::vector<std::int32_t> again;
      std::size_t count = pair_up(rows, level.coarser, true);
      coarse = sum_up(rows, level.coarser, count);
      count = pair_up(coarse, again, false);
      coarse = sum_up(coarse, again, count);
      for (std::int32_t& a : level.coarser)
        if (a >= 0) a = again[static_cast<std::size_t>(a)];
      level.aggregates = count;
      if (count == 0 || 10 * count > 9 * n) level.aggregates = 0;
    }
    level.rows = std::move(rows);
    const bool last = level.aggregates == 0;
    levels_.push_back(std::move(level));
    if (last) break;
    rows = std::move(coarse);
  }
  // Factorizes the coarsest level if it is small. dense_ stores L below the diagonal and the inverse pivots on it (as
  // in factorization.cpp).
  const Rows& last = levels_.back().rows;
  const std::size_t n = last.size();
  if (n > 8 * small) return;
  dense_.assign(n * n, 0);
  std::vector<double> sum = last.sum;
  for (std::size_t i = 0; i < n; ++i)
    for (std::int64_t e = last.first[i]; e < last.first[i + 1]; ++e)
      dense_[i * n + static_cast<std::size_t>(last.to[static_cast<std::size_t>(e)])] +=
          last.coupling[static_cast<std::size_t>(e)];
  for (std::size_t k = 0; k < n; ++k) {
    double pivot = sum[k], size = std::abs(sum[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      pivot += dense_[i * n + k];
      size += std::abs(dense_[i * n + k]);
    }
    const double q = pivot > 4 * std::numeric_limits<double>::epsilon() * size ? 1 / pivot : 0;
    dense_[k * n + k] = q;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = dense_[i * n + k] * q;
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < i; ++j) dense_[i * n + j] += factor * dense_[j * n + k];
      sum[i] += factor * sum[k];
    }
    for (std::size_t i = k + 1; i < n; ++i) dense_[i * n + k] *= q;
  }
}

// Runs a sweep, the correction of the aggregates, and the reversed sweep.
void Aggregation::cycle(std::size_t l, const Vector& b, Vector& x) {
  Level& level = levels_[l];
  const Rows& rows = level.rows;
  const std::size_t n = rows.size();
  if (level.aggregates == 0 && !dense_.empty()) {
    x = b;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = k + 1; i < n; ++i) x[i] += dense_[i * n + k] * x[k];
    for (std::size_t k = n; k-- > 0;) {
      x[k] *= dense_[k * n + k];
      for (std::size_t i = k + 1; i < n; ++i) x[k] += dense_[i * n + k] * x[i];
    }
    return;
  }
  const auto relax = [&](std::size_t i) {
    double sum = b[i];
    for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      sum += rows.coupling[at] * x[static_cast<std::size_t>(rows.to[at])];
    }
    x[i] = sum * level.inverse[i];
  };
  std::fill(x.begin(), x.end(), 0);
  for (std::size_t i = 0; i < n; ++i) relax(i);
  if (level.aggregates > 0) {
    Level& coarse = levels_[l + 1];
    multiply(rows, x, level.r);
    std::fill(coarse.given.begin(), coarse.given.end(), 0);
    for (std::size_t i = 0; i < n; ++i)
      if (level.coarser[i] >= 0) coarse.given[static_cast<std::size_t>(level.coarser[i])] += b[i] - level.r[i];
    solve_coarse(l + 1, coarse.given, coarse.z);
    for (std::size_t i = 0; i < n; ++i)
      if (level.coarser[i] >= 0) x[i] += coarse.z[static_cast<std::size_t>(level.coarser[i])];
  }
  for (std::size_t i = n; i-- > 0;) relax(i);
}

// Makes at most two steps of conjugate gradients around the cycle (Notay, Vassilevski, Numer. Linear Algebra Appl. 15,
// 2008).
void Aggregation::solve_coarse(std::size_t l, const Vector& b, Vector& x) {
  Level& level = levels_[l];
  if (level.aggregates == 0) return cycle(l, b, x);
  Vector r = b;
  cycle(l, r, level.c);
  multiply(level.rows, level.c, level.v);
  const double rho = dot(level.c, level.v), alpha = dot(level.c, r);
  const double first = rho > 0 ? alpha / rho : 0;
  const double before = dot(r, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= first * level.v[i];
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = first * level.c[i];
  if (!(dot(r, r) > enough * enough * before)) return;
  cycle(l, r, level.d);
  multiply(level.rows, level.d, level.w);
  const double gamma = dot(level.d, level.v), beta = dot(level.d, level.w), more = dot(level.d, r);
  const double left = rho > 0 ? beta - gamma * gamma / rho : beta;
  if (!(left > 0)) return;
  const double second = more / left, back = rho > 0 ? gamma * second / rho : 0;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += second * level.d[i] - back * level.c[i];
}

void Aggregation::solve() {
  const UnknownBox box(*A_);
  Vector b, x(levels_.front().rows.size());
  gather(box, rhs_, b);
  cycle(0, b, x);
  scatter(box, x, e_);
  if (A_->singular()) A_->project_solution(e_);
}

}  // namespace poisson
