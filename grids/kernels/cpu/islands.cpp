#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cpu {

void correct_islands(const IslandViews& v, const Field& b, Field& u) {
  with_views(b, u, [&]<class B, class T>(View<const B> rhs, View<T> value) {
#pragma omp parallel for schedule(static) if (v.first[v.count] > parallel_threshold)
    for (std::int64_t s = 0; s < v.count; ++s) v.shift[s] = island_shift(v, s, rhs.data, value.data);
#pragma omp parallel for schedule(static) if (v.first[v.count] > parallel_threshold)
    for (std::int64_t s = 0; s < v.count; ++s) shift_island(v, s, value.data);
  });
}

}  // namespace poisson::cpu
