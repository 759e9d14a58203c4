#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "grids/compact/row_steps.hpp"

namespace poisson {

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
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    all.v[i] = static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5;
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

/// Returns the largest eigenvalue of a symmetric tridiagonal matrix by bisection with Sturm's sequence.
double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& beside);

/// Returns an estimate from above of the largest eigenvalue of D⁻¹A by steps of Lanczos' method from fixed numbers.
/// `Rows` performs steps for all rows of a matrix on a device (row_builder.hpp).
template <class Rows>
double largest_scaled_eigenvalue(Rows& rows, const CsrView& A) {
  constexpr int steps = 10;
  constexpr double margin = 1.06;
  const auto root = rows.template make<double>(A.rows), v = rows.template make<double>(A.rows),
             before = rows.template make<double>(A.rows), w = rows.template make<double>(A.rows);
  const LanczosVectors all{A, rows.at(root), rows.at(v), rows.at(before), rows.at(w)};
  double length = std::sqrt(rows.sum(A.rows, LanczosStart{all}));
  std::vector<double> diagonal, beside;
  for (int step = 0; step < steps && length > 0; ++step) {
    const double alpha = rows.sum(A.rows, LanczosProduct{all, 1 / length, step == 0 ? 0 : length});
    diagonal.push_back(alpha);
    length = std::sqrt(rows.sum(A.rows, LanczosShift{all, 1 / length, alpha}));
    beside.push_back(length);
    if (!(length > 1e-12 * std::abs(alpha))) break;
  }
  return diagonal.empty() ? 1 : margin * largest_of_tridiagonal(diagonal, beside);
}

}  // namespace poisson
