#include "grids/kernels/cpu/strong_clusters.hpp"

#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cpu {
namespace {

// Calls f(cluster) for all clusters.
template <class F>
void for_each_cluster(const StrongClusterTables& c, const F& f) {
#pragma omp parallel for schedule(static) if (c.first[c.count] - c.first[0] > parallel_threshold)
  for (std::int64_t s = 0; s < c.count; ++s) f(s);
}
constexpr std::int64_t clusters_ahead = 16;

}  // namespace

void sum_rhs(const StrongClusterTables& c, const Field& b) {
  if (c.count == 0) return;
  dispatch(b.precision(), [&]<class B>(B) {
    const B* rhs = static_cast<const B*>(b.data());
    for_each_cluster(c, [&](std::int64_t s) {
      if (s + clusters_ahead < c.count) __builtin_prefetch(rhs + c.values[c.first[s + clusters_ahead]]);
      double sum = 0;
      for (std::uint32_t m = c.first[s]; m < c.first[s + 1]; ++m) sum += static_cast<double>(rhs[c.values[m]]);
      c.rhs[s] = sum;
    });
  });
}

void find_shifts(const StrongClusterTables& c, const Field& u) {
  if (c.count == 0) return;
  dispatch(u.precision(), [&]<class T>(T) {
    const T* value = static_cast<const T*>(u.data());
    for_each_cluster(c, [&](std::int64_t s) {
      if (s + clusters_ahead < c.count) __builtin_prefetch(value + c.row_places[c.row_first[s + clusters_ahead]]);
      double sum = c.rhs[s];
      for (std::uint32_t e = c.row_first[s]; e < c.row_first[s + 1]; ++e)
        sum -= static_cast<double>(c.weights[e]) * static_cast<double>(value[c.row_places[e]]);
      c.shift[s] = c.inverse[s] * sum;
    });
  });
}

void shift_values(const StrongClusterTables& c, Field& u) {
  if (c.count == 0) return;
  dispatch(u.precision(), [&]<class T>(T) {
    T* value = static_cast<T*>(u.data());
    for_each_cluster(c, [&](std::int64_t s) {
      for (std::uint32_t m = c.first[s]; m < c.first[s + 1]; ++m) value[c.values[m]] += static_cast<T>(c.shift[s]);
    });
  });
}

void correct_clusters(const StrongClusterTables& c, Field& u) {
  find_shifts(c, u);
  shift_values(c, u);
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

}  // namespace poisson::cpu
