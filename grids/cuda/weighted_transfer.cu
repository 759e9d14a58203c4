#include <array>
#include <memory>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/cuda/factories.hpp"
#include "grids/cuda/grid_steps.cuh"
#include "grids/galerkin_kernels.hpp"
#include "grids/typed_views.hpp"

namespace poisson::cuda {
namespace {

// Weights by code, all of one layout; null where there are none.
template <class W>
struct Columns {
  const W* weight[27];
  std::int64_t sy, sz;

  __device__ bool has(int code) const { return weight[code] != nullptr; }
  __device__ W operator()(int code, int I, int J, int K) const { return weight[code][I + J * sy + K * sz]; }
};

struct Places {
  const int* centre[3];   // of a coarse value on the fine axis
  const int* parents[3];  // of a fine value: twice the coarse value at or before it, plus 1 where it lies between two
};

// coarse = scale Pᵀ fine
template <class W, class F, class C>
struct Restrict {
  View<const F> fine;
  View<C> coarse;
  Columns<W> w;
  Places at;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const F factor = scale ? static_cast<F>(*scale) : F(1);
    for (int K = K0; K < K1; ++K) {
      const F* f = &fine(at.centre[0][I], at.centre[1][J], at.centre[2][K]);
      F sum = f[0];
#pragma unroll
      for (int code = 0; code < 27; ++code)
        if (code != 13 && w.has(code))
          sum += static_cast<F>(w(code, I, J, K)) *
                 f[offset_of(code, 0) + offset_of(code, 1) * fine.sy + offset_of(code, 2) * fine.sz];
      coarse(I, J, K) = static_cast<C>(factor * sum);
    }
  }
};

// fine = scale P coarse, or fine += P coarse
template <class W, class C, class F, bool add>
struct Prolong {
  View<const C> coarse;
  View<F> fine;
  Columns<W> w;
  Places at;
  const double* scale;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const F factor = !add && scale ? static_cast<F>(*scale) : F(1);
    const int px = at.parents[0][i], py = at.parents[1][j];
    for (int k = k0; k < k1; ++k) {
      const int pz = at.parents[2][k];
      C sum = 0;
      for (int c = 0; c <= (pz & 1); ++c)
        for (int b = 0; b <= (py & 1); ++b)
          for (int a = 0; a <= (px & 1); ++a) {
            // The value lies after the first of two parents and before the second.
            const int code = code_of(away(px, a), away(py, b), away(pz, c));
            const int I = (px >> 1) + a, J = (py >> 1) + b, K = (pz >> 1) + c;
            const C e = coarse(I, J, K);
            sum += code == 13 ? e : static_cast<C>(w(code, I, J, K)) * e;
          }
      const F value = static_cast<F>(sum);
      fine(i, j, k) = add ? fine(i, j, k) + value : factor * value;
    }
  }

 private:
  __device__ static int away(int parents, int which) { return (parents & 1) == 0 ? 0 : which == 0 ? 1 : -1; }
};

/// Prolongation with weights stored by columns, restriction its transpose.
class WeightedTransfer final : public Transfer {
 public:
  WeightedTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Weights& weights)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_unknowns_(fine.unknowns()),
        coarse_unknowns_(coarse.block.unknowns()),
        weights_(weights) {
    DeviceTables tables;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<int>& centre = coarse.axes[d].fine;
      std::vector<int> parents(static_cast<std::size_t>(fine.axes[d].size()), -1);
      for (std::size_t I = 0; I < centre.size(); ++I)
        parents[static_cast<std::size_t>(centre[I])] = 2 * static_cast<int>(I);
      for (std::size_t i = 1; i < parents.size(); ++i)
        if (parents[i] < 0) parents[i] = parents[i - 1] + 1;
      tables.add(centre, places_.centre[d]);
      tables.add(parents, places_.parents[d]);
    }
    tables_ = tables.upload(backend);
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_columns([&]<class W>(const Columns<W>& w) {
      with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
        for_columns(device_.stream(), coarse_unknowns_, Restrict<W, F, C>{f, c, w, places_, address(scale)});
      });
    });
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine, nullptr); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine, nullptr); }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    prolong<false>(coarse, fine, scale);
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    Axes<Linear> axes{};
    for (std::size_t d = 0; d < 3; ++d) axes.axis[d].centre = places_.centre[d];
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(coarse.layout().box(), Inject<F, C>{f, c, axes, address(scale)});
    });
  }

 private:
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }

  template <class F>
  void with_columns(const F& f) const {
    Precision precision = Precision::fp64;
    for (const auto& w : weights_)
      if (w) precision = w->precision();
    dispatch(precision, [&]<class W>(W) {
      Columns<W> columns{};
      for (std::size_t code = 0; code < 27; ++code) {
        if (!weights_[code]) continue;
        const auto view = weights_[code]->view<W>();
        columns.weight[code] = view.data;
        columns.sy = view.sy;
        columns.sz = view.sz;
      }
      f(columns);
    });
  }

  template <bool add>
  void prolong(const Field& coarse, Field& fine, const Scalar* scale) const {
    device_.exchange(coarse);
    with_columns([&]<class W>(const Columns<W>& w) {
      with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
        for_columns(device_.stream(), fine_unknowns_, Prolong<W, C, F, add>{c, f, w, places_, address(scale)});
      });
    });
  }

  CudaBackend& device_;
  Box fine_unknowns_, coarse_unknowns_;
  Weights weights_;
  Buffer tables_;
  Places places_{};
};

}  // namespace

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  return std::make_unique<WeightedTransfer>(backend, fine, coarse, weights);
}

}  // namespace poisson::cuda
