#include "grids/kernels/cpu/strong_clusters.hpp"

#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cpu {

void find_shifts(const StrongClusterViews& v, const Field& b, const Field& u) {
  if (v.count == 0) return;
  dispatch(b.precision(), [&]<class B>(B) {
    dispatch(u.precision(), [&]<class T>(T) {
      const B* rhs = static_cast<const B*>(b.data());
      const T* value = static_cast<const T*>(u.data());
#pragma omp parallel for schedule(static) if (v.first[v.count] - v.first[0] > parallel_threshold)
      for (std::int64_t s = 0; s < v.count; ++s) {
        constexpr std::int64_t ahead = 16;
        if (s + ahead < v.count) {
          __builtin_prefetch(rhs + v.values[v.first[s + ahead]]);
          __builtin_prefetch(value + v.row_places[v.row_first[s + ahead]]);
        }
        v.shift[s] = cluster_shift(v, s, rhs, value);
      }
    });
  });
}

void shift_values(const StrongClusterViews& v, Field& u) {
  if (v.count == 0) return;
  dispatch(u.precision(), [&]<class T>(T) {
    T* value = static_cast<T*>(u.data());
#pragma omp parallel for schedule(static) if (v.first[v.count] - v.first[0] > parallel_threshold)
    for (std::int64_t s = 0; s < v.count; ++s) shift_cluster(v, s, value);
  });
}

void add_shifts(const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift) {
  for (std::int64_t s = 0; s < shifts; ++s) {
    shift[s] = 0;
    for (int p = 0; p < count; ++p) shift[s] += parts[s + p * step];
  }
}

void search_clusters(const Box& box, const ClusterSearch& search) {
  for_each_line(box, [&](int j, int k) {
    for (int i = box.first[0]; i < box.last[0]; ++i) search(i, j, k);
  });
}

void build_strong_clusters(std::uint32_t count, const StrongClusterBuild& build) {
  const auto last = static_cast<int>(count);
#pragma omp parallel for schedule(dynamic, 4096) if (last > heavy_threshold)
  for (int i = 0; i < last; ++i) build(i, 0, 0);
}

void correct_strong_clusters(const StrongClusterViews& v, const Field& b, Field& u) {
  find_shifts(v, b, u);
  shift_values(v, u);
}

}  // namespace poisson::cpu
