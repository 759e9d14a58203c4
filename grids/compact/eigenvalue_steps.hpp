#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "grids/compact/row_steps.hpp"

namespace poisson {

/// Returns a number between −0.5 and 0.5 that depends on the row alone.
constexpr double lanczos_number(std::int64_t i) {
  std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5;
}

/// Contains the vectors of Lanczos' method for D^(-1/2) A D^(-1/2).
struct LanczosVectors {
  CsrView A;
  double *root = nullptr, *v = nullptr, *before = nullptr, *w = nullptr;
};
/// Begins from fixed numbers. Returns v².
struct LanczosStart {
  LanczosVectors all;
  constexpr double operator()(std::int64_t i) const {
    double d = 0;
    for (std::int64_t k = all.A.start[i]; k < all.A.start[i + 1]; ++k)
      if (all.A.column[k] == i) d = all.A.value[k];
    all.root[i] = d > 0 ? 1 / std::sqrt(d) : 1;
    all.v[i] = lanczos_number(i);
    all.before[i] = 0;
    return all.v[i] * all.v[i];
  }
};
/// Computes w = D^(-1/2) A D^(-1/2) v/length − last · before. Returns w · v/length.
struct LanczosProduct {
  LanczosVectors all;
  double inverse_length, last;
  constexpr double operator()(std::int64_t i) const {
    double sum = 0;
    for (std::int64_t k = all.A.start[i]; k < all.A.start[i + 1]; ++k) {
      const int j = all.A.column[k];
      sum += all.A.value[k] * (all.root[j] * all.v[j]);
    }
    const double w = all.root[i] * sum * inverse_length - last * all.before[i];
    all.w[i] = w;
    return w * (all.v[i] * inverse_length);
  }
};
/// Moves on to the next vector, which is not yet divided by its length. Returns its square.
struct LanczosShift {
  LanczosVectors all;
  double inverse_length, alpha;
  constexpr double operator()(std::int64_t i) const {
    const double now = all.v[i] * inverse_length, next = all.w[i] - alpha * now;
    all.before[i] = now;
    all.v[i] = next;
    return next * next;
  }
};

/// Returns Gershgorin's bound of the eigenvalues of D⁻¹A from one row: 2 for rows with negative couplings alone.
struct RowBound {
  CsrView A;
  constexpr double operator()(std::int64_t i) const {
    double diagonal = 0, sum = 0;
    for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
      const double a = A.value[k];
      if (A.column[k] == i) diagonal = a;
      sum += a < 0 ? -a : a;
    }
    return diagonal > 0 ? sum / diagonal : 0;
  }
};

/// Estimates take this number of steps. If the first ones come close to Gershgorin's bound, it is the estimate.
inline constexpr int lanczos_steps = 10, first_lanczos_steps = 4;
/// Returns an estimate from above of the largest eigenvalue after steps with the squares `norm` of vectors before
/// division by their length, and the products `alpha`.
double largest_of_lanczos(const double* norm, const double* alpha, int steps);
/// Returns whether the first steps come within 15 % of a bound. A bound of 0 is none.
bool reaches_bound(const double* norm, const double* alpha, double bound);

/// Returns an estimate from above of the largest eigenvalue of D⁻¹A by steps of Lanczos' method from fixed numbers, or
/// its bound. `Rows` performs steps for all rows of a matrix on a device (row_builder.hpp).
template <class Rows>
double largest_scaled_eigenvalue(Rows& rows, const CsrView& A) {
  const auto root = rows.template make<double>(A.rows), v = rows.template make<double>(A.rows),
             before = rows.template make<double>(A.rows), w = rows.template make<double>(A.rows);
  const LanczosVectors all{A, rows.at(root), rows.at(v), rows.at(before), rows.at(w)};
  const double bound = rows.most(A.rows, RowBound{A}, 0);
  std::vector<double> norm{rows.sum(A.rows, LanczosStart{all})}, alpha;
  for (int step = 0; step < lanczos_steps; ++step) {
    const double length = std::sqrt(norm.back()), inverse = length > 0 ? 1 / length : 0;
    alpha.push_back(rows.sum(A.rows, LanczosProduct{all, inverse, step == 0 ? 0 : length}));
    norm.push_back(rows.sum(A.rows, LanczosShift{all, inverse, alpha.back()}));
    if (step + 1 == first_lanczos_steps && reaches_bound(norm.data(), alpha.data(), bound)) return bound;
  }
  return largest_of_lanczos(norm.data(), alpha.data(), lanczos_steps);
}

}  // namespace poisson
