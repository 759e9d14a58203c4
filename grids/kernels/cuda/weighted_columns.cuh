#pragma once

#include "backends/memory/view.hpp"
#include "grids/rows/galerkin_formulas.hpp"

/// These column functors implement the transfers to and from a Galerkin level.
namespace poisson::cuda {

/// `WeightColumns` contains the weights by code, all in the same layout; a missing weight is null.
template <class W>
struct WeightColumns {
  const W* weight[27];
  std::int64_t sy, sz;

  __device__ bool has(int code) const { return weight[code] != nullptr; }
  __device__ W operator()(int code, int I, int J, int K) const { return weight[code][I + J * sy + K * sz]; }
};

struct WeightPlaces {
  const int* centre[3];   // fine index of a coarse value
  const int* parents[3];  // for a fine value, twice the coarse index at or before it, plus 1 if it lies between two
};

/// Computes coarse = scale Pᵀ fine.
template <class W, class F, class C>
struct WeightedRestrict {
  View<const F> fine;
  View<C> coarse;
  WeightColumns<W> w;
  WeightPlaces at;
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

/// Computes fine = scale P coarse, or fine += P coarse.
template <class W, class C, class F, bool add>
struct WeightedProlong {
  View<const C> coarse;
  View<F> fine;
  WeightColumns<W> w;
  WeightPlaces at;
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

}  // namespace poisson::cuda
