#include "lab/studies/recompute/kernels.cuh"

namespace poisson::lab::gpu_recompute {
namespace {

template <class T>
struct Vectors {
  View<T> u, f;
  __device__ void operator()(std::int64_t at) const {
    const int n0 = u.n[0], i = static_cast<int>(at % n0), j = static_cast<int>(at / n0);
    u(i, j, 0) = static_cast<T>(recompute_value(n0, 0, i, j));
    f(i, j, 0) = static_cast<T>(recompute_value(n0, 1, i, j));
  }
};

template <class T>
struct Entries {
  View<T> g;
  View<T> bands[band_count];
  CoefficientStart<T> start;
  int steps;
  __device__ void operator()(std::int64_t at) const {
    const int i = static_cast<int>(at % g.n[0]), j = static_cast<int>(at / g.n[0]);
    const T here = coefficient(start, i, j, steps);
    g(i, j, 0) = here;
#pragma unroll 1
    for (int b = 0; b < band_count; ++b)
      bands[b](i, j, 0) =
          static_cast<T>(weight(b)) * here * coefficient(start, i + offset_x(b), j + offset_y(b), steps);
  }
  static constexpr double weight(int b) {
    const int steps_away = (offset_x(b) != 0 ? 1 : 0) + (offset_y(b) != 0 ? 1 : 0);
    return steps_away == 0 ? 0.25 : steps_away == 1 ? 0.125 : 0.0625;
  }
};

}  // namespace

void fill_vectors(RecomputeData& data) {
  dispatch(data.precision(), [&]<class T>(T) {
    on_each(data.u.backend(), data.u.layout().size(), Vectors<T>{data.u.view<T>(), data.f.view<T>()});
  });
}

void fill_entries(RecomputeData& data) {
  dispatch(data.precision(), [&]<class T>(T) {
    Entries<T> entries{data.g.view<T>(), {}, {data.n()[0], data.n()[1]}, data.steps};
    for (std::size_t b = 0; b < data.bands.size(); ++b) entries.bands[b] = data.bands[b].view<T>();
    on_each(data.u.backend(), data.u.layout().size(), entries);
  });
}

void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb) {
  dispatch(data.precision(), [&]<class T>(T) { recompute_kernels::apply<T>(data, source, verb); });
}

}  // namespace poisson::lab::gpu_recompute
