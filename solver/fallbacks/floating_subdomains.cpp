#include "solver/fallbacks/floating_subdomains.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/device/backend.hpp"

namespace poisson {
namespace {

constexpr double strong = 1e-2;  // least coupling over its larger diagonal entry
constexpr double slow = 1e-2;    // 1ᵀA1/1ᵀD1

}  // namespace

FloatingSubdomains::FloatingSubdomains(const Operator& A, Field& in, Field& out) : box_(A) {
  const Rows rows = read_rows(A, in, out);
  const std::size_t n = rows.size();
  std::vector<double> diagonal(rows.sum);
  const auto for_each_coupling = [&](std::size_t i, const auto& f) {
    for (std::int64_t e = rows.first[i]; e < rows.first[i + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      f(static_cast<std::size_t>(rows.to[at]), rows.coupling[at]);
    }
  };
  for (std::size_t i = 0; i < n; ++i) for_each_coupling(i, [&](std::size_t, double c) { diagonal[i] += c; });

  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t i = 0; i < n; ++i)
    for_each_coupling(i, [&](std::size_t j, double c) {
      if (j < i && std::abs(c) > strong * std::max(diagonal[i], diagonal[j])) parent[root(i)] = root(j);
    });

  std::vector<double> energy(n), diagonals(n);
  std::vector<std::int64_t> size(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t r = root(i);
    ++size[r];
    diagonals[r] += diagonal[i];
    energy[r] += rows.sum[i];
    for_each_coupling(i, [&](std::size_t j, double c) {
      if (root(j) != r) energy[r] += c;
    });
  }
  std::vector<std::int32_t> number(n, -1);
  for (std::size_t r = 0; r < n; ++r) {
    if (size[r] < 2 || !(energy[r] > 0 && energy[r] < slow * diagonals[r])) continue;
    number[r] = static_cast<std::int32_t>(energy_.size());
    energy_.push_back(energy[r]);
    size_.push_back(size[r]);
  }
  if (energy_.empty()) return;
  for (std::size_t i = 0; i < n; ++i) of_.push_back(number[root(i)]);
}

double FloatingSubdomains::shift(const Field& r) const {
  if (energy_.empty()) return 0;
  std::vector<double> values, sums(energy_.size());
  if (r.space().is_global()) {
    gather(box_, r, values);
  } else {
    Layout whole;
    whole.n = r.space().part().all();
    whole.periodic = r.space().part().closed();
    Field all(r.backend(), whole, r.precision());
    r.backend().gather(r, all);
    gather(box_, all, values);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (of_[i] >= 0) sums[static_cast<std::size_t>(of_[i])] += values[i];
  double square = 0;
  for (std::size_t s = 0; s < sums.size(); ++s)
    square += static_cast<double>(size_[s]) * std::pow(sums[s] / energy_[s], 2);
  return std::sqrt(square);
}

}  // namespace poisson
