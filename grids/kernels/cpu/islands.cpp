#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cpu {

void correct_islands(const IslandViews& v, const Field& b, Field& u) {
  with_views(b, u, [&]<class B, class T>(View<const B> rhs, View<T> value) {
#pragma omp parallel for schedule(static) if (v.first[v.count] > parallel_threshold)
    for (std::int64_t s = 0; s < v.count; ++s) {
      double sum = 0;
      for (std::int64_t m = v.first[s]; m < v.first[s + 1]; ++m) sum += static_cast<double>(rhs.data[v.values[m]]);
      for (std::int64_t e = v.row_first[s]; e < v.row_first[s + 1]; ++e)
        sum -= v.weights[e] * static_cast<double>(value.data[v.row_values[e]]);
      v.shift[s] = v.inverse[s] * sum;
    }
#pragma omp parallel for schedule(static) if (v.first[v.count] > parallel_threshold)
    for (std::int64_t s = 0; s < v.count; ++s)
      for (std::int64_t m = v.first[s]; m < v.first[s + 1]; ++m) value.data[v.values[m]] += static_cast<T>(v.shift[s]);
  });
}

}  // namespace poisson::cpu
