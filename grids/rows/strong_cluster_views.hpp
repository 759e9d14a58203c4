#pragma once

#include <cstdint>

namespace poisson {

/// Gives kernels access to strong clusters. Places index the memory of fields of one layout and precision.
struct StrongClusterViews {
  std::int64_t count;
  const std::uint32_t *first, *values, *row_first, *row_places;
  const float* weights;   ///< entries of 1ᵀA
  const double* inverse;  ///< 1/energy
  double* shift;          ///< by cluster
};

/// Returns the shift of a strong cluster, computed from the given values only.
template <class B, class T>
constexpr double cluster_shift(const StrongClusterViews& v, std::int64_t s, const B* rhs, const T* value) {
  double sum = 0;
  for (std::uint32_t m = v.first[s]; m < v.first[s + 1]; ++m) sum += static_cast<double>(rhs[v.values[m]]);
  for (std::uint32_t e = v.row_first[s]; e < v.row_first[s + 1]; ++e)
    sum -= static_cast<double>(v.weights[e]) * static_cast<double>(value[v.row_places[e]]);
  return v.inverse[s] * sum;
}
template <class T>
constexpr void shift_cluster(const StrongClusterViews& v, std::int64_t s, T* value) {
  for (std::uint32_t m = v.first[s]; m < v.first[s + 1]; ++m) value[v.values[m]] += static_cast<T>(v.shift[s]);
}

}  // namespace poisson
