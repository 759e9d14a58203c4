#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "grids/cuda/factories.hpp"
#include "grids/transfer_weights.hpp"
#include "grids/typed_views.hpp"

namespace poisson::cuda {
namespace {

// The weights of grids/transfer_weights.hpp of one axis, on the device.
struct Linear {
  const int *left, *centre;
  const double *weight, *before, *after;
};
struct Cubic {
  const int* at;         // four per fine value
  const double* weight;  // four per fine value
};
template <class Weights>
struct Axes {
  Weights axis[3];
};

__device__ double factor_of(const double* scale) {
  return scale ? *scale : 1.0;
}

template <class F, class C>
struct Restrict {
  View<const F> fine;
  View<C> coarse;
  Axes<Linear> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const Linear &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const double xs[3] = {x.before[I], 1, x.after[I]}, ys[3] = {y.before[J], 1, y.after[J]};
    for (int K = K0; K < K1; ++K) {
      const double zs[3] = {z.before[K], 1, z.after[K]};
      F sum = 0;
      for (int c = -1; c <= 1; ++c) {
        if (zs[c + 1] == 0) continue;
        for (int b = -1; b <= 1; ++b) {
          if (ys[b + 1] == 0) continue;
          F line = 0;
          for (int a = -1; a <= 1; ++a)
            if (xs[a + 1] != 0)
              line += static_cast<F>(xs[a + 1]) * fine(x.centre[I] + a, y.centre[J] + b, z.centre[K] + c);
          sum += static_cast<F>(ys[b + 1] * zs[c + 1]) * line;
        }
      }
      coarse(I, J, K) = static_cast<C>(static_cast<F>(factor_of(scale)) * sum);
    }
  }
};

template <class C, class F, bool add>
struct Prolong {
  View<const C> coarse;
  View<F> fine;
  Axes<Linear> w;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const Linear &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    const int I = x.left[i], J = y.left[j];
    const C wx = static_cast<C>(x.weight[i]), wy = static_cast<C>(y.weight[j]);
    // Where a weight is 1 the second value has weight 0 and is read twice: it is there, be it in the halo.
    const int dx = wx == C(1) ? 0 : 1, dy = wy == C(1) ? 0 : 1;
    const auto plane = [&](int K) {
      return wy * (wx * coarse(I, J, K) + (C(1) - wx) * coarse(I + dx, J, K)) +
             (C(1) - wy) * (wx * coarse(I, J + dy, K) + (C(1) - wx) * coarse(I + dx, J + dy, K));
    };
    int held = -2;  // the coarse plane whose value is in `below`, the one after it in `above`
    C below = 0, above = 0;
    for (int k = k0; k < k1; ++k) {
      const int K = z.left[k];
      const C wz = static_cast<C>(z.weight[k]);
      if (K != held) {
        below = K == held + 1 && held >= 0 ? above : plane(K);
        above = plane(z.weight[k] == 1 ? K : K + 1);
        held = z.weight[k] == 1 ? -2 : K;
      }
      const F value = static_cast<F>(wz * below + (C(1) - wz) * above);
      fine(i, j, k) = add ? fine(i, j, k) + value : value;
    }
  }
};

// The interpolant in x and y of four coarse planes stays in registers; a fine plane takes its mean of them, and each
// coarse plane is read once a column.
template <class C, class F>
struct Interpolate {
  View<const C> coarse;
  View<F> fine;
  Axes<Cubic> w;
  const double* scale;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const Cubic &x = w.axis[0], &y = w.axis[1], &z = w.axis[2];
    int xs[4], ys[4], held[4] = {-1, -1, -1, -1};
    double wx[4], wy[4], plane[4];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      xs[p] = x.at[4 * i + p];
      wx[p] = x.weight[4 * i + p];
      ys[p] = y.at[4 * j + p];
      wy[p] = y.weight[4 * j + p];
    }
    const double factor = factor_of(scale);
    const auto in_plane = [&](int K) {
      double sum = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        if (wy[b] == 0) continue;
        double line = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a)
          if (wx[a] != 0) line += wx[a] * static_cast<double>(coarse(xs[a], ys[b], K));
        sum += wy[b] * line;
      }
      return sum;
    };
    for (int k = k0; k < k1; ++k) {
      double sum = 0;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const double wz = z.weight[4 * k + c];
        if (wz == 0) continue;
        const int K = z.at[4 * k + c];
        double value = 0;
        bool found = false;
#pragma unroll
        for (int h = 0; h < 4; ++h)
          if (held[h] == K) {
            value = plane[h];
            found = true;
          }
        if (!found) {
          value = in_plane(K);
#pragma unroll
          for (int h = 0; h < 4; ++h)
            if (h == (K & 3)) {
              held[h] = K;
              plane[h] = value;
            }
        }
        sum += wz * value;
      }
      fine(i, j, k) = static_cast<F>(factor * sum);
    }
  }
};

template <class F, class C>
struct Inject {
  View<const F> fine;
  View<C> coarse;
  Axes<Linear> w;
  const double* scale;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K)
      coarse(I, J, K) = static_cast<C>(
          factor_of(scale) * static_cast<double>(fine(w.axis[0].centre[I], w.axis[1].centre[J], w.axis[2].centre[K])));
  }
};

/// Multilinear and cubic transfers between a block and its coarser one, as products of the axes' weights.
class GridTransfer final : public Transfer {
 public:
  GridTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_unknowns_(fine.unknowns()),
        coarse_unknowns_(coarse.block.unknowns()) {
    for (std::size_t d = 0; d < 3; ++d) {
      const LinearWeights l = linear_weights(fine.axes[d], coarse.axes[d]);
      linear_.axis[d] = {upload(l.left), upload(l.centre), upload(l.weight), upload(l.before), upload(l.after)};
      const CubicWeights c = cubic_weights(fine.axes[d], coarse.axes[d]);
      std::vector<int> at;
      std::vector<double> weight;
      for (const auto& a : c.at) at.insert(at.end(), a.begin(), a.end());
      for (const auto& a : c.weight) weight.insert(weight.end(), a.begin(), a.end());
      cubic_.axis[d] = {upload(at), upload(weight)};
    }
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      for_columns(device_.stream(), coarse_unknowns_, Restrict<F, C>{f, c, linear_, address(scale)});
    });
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      for_columns(device_.stream(), fine_unknowns_, Interpolate<C, F>{c, f, cubic_, address(scale)});
    });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      for_columns(device_.stream(), coarse.layout().box(), Inject<F, C>{f, c, linear_, address(scale)});
    });
  }

 private:
  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    device_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      for_columns(device_.stream(), fine_unknowns_, Prolong<C, F, add>{c, f, linear_});
    });
  }
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }
  template <class T>
  const T* upload(const std::vector<T>& values) {
    tables_.push_back(device_.allocate(values.size() * sizeof(T)));
    device_.write(values.data(), tables_.back().data(), values.size() * sizeof(T));
    return static_cast<const T*>(tables_.back().data());
  }

  CudaBackend& device_;
  Box fine_unknowns_, coarse_unknowns_;
  std::vector<Buffer> tables_;
  Axes<Linear> linear_{};
  Axes<Cubic> cubic_{};
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse) {
  return std::make_unique<GridTransfer>(backend, fine, coarse);
}

}  // namespace poisson::cuda
