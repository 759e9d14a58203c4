#pragma once

#include "grids/kernels/cuda/column_pair.cuh"
#include "grids/operators/splitting.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cuda {

/// `PolynomialPairs` runs a step of a polynomial smoother on two columns a thread, with half the loads and addresses of
/// one column a thread. `reacts` states whether rows have a reaction. `resident` is the number of threads of a
/// multiprocessor for which registers must suffice. `ahead` is the number of planes between a prefetch and its use; 0
/// disables prefetches.
template <class T, class Coefficients, bool reacts, int resident, int ahead>
struct PolynomialPairs {
  using Pair = ColumnPair<T, Coefficients>;
  using Layer = typename Pair::Layer;
  static constexpr int resident_threads = resident;

  Coefficients c;
  typename Pair::Arrays arrays;
  ArrayPlaces places;  // in every field
  const T *u, *above, *south, *north, *b;
  T* out;  // the previous iterate, which is not read if beta is 0
  T alpha, beta;
  int first, last;  // values along x

  PolynomialPairs(const Coefficients& c, const View<const T>& u, const View<const T>& b, const View<T>& out,
                  PolynomialStep step, const Box& box)
      : c(c),
        arrays(c),
        places(u),
        u(places.base(u)),
        above(this->u + u.sz),
        south(this->u - u.sy),
        north(this->u + u.sy),
        b(places.base(b)),
        out(places.base(out)),
        alpha(static_cast<T>(step.alpha)),
        beta(static_cast<T>(step.beta)),
        first(box.first[0]),
        last(box.last[0]) {}

  /// Column t contains the values 2t and 2t + 1 if they lie between `first` and `last`.
  __device__ void operator()(int t, int j, int k0, int k1) const {
    const int i = 2 * t;
    Pair pair(c, arrays, i, j, k0 - 1);
    const auto lowest = pair.read(arrays);
    Layer below_layer[2] = {pair.layer(0, lowest), pair.layer(1, lowest)};
    unsigned at = places(i, j, k0);
    Two<T> here = load_two(u + at), below = load_two(u + (at - places.sz));
    const bool both = i >= first && i + 1 < last;
    const bool looks_back = beta != T(0);
    for (int k = k0; k < k1; ++k, at += places.sz) {
      pair.at += arrays.places.sz;
      const Two<T> up = load_two(above + at), down_y = load_two(south + at), up_y = load_two(north + at);
      const T west = __ldg(u + at - 1), east = __ldg(u + at + 2);
      const Two<T> right = load_two(b + at);
      T* const to = out + at;
      const Two<T> previous = looks_back ? load_written(to) : here;
      const auto read = pair.read(arrays);
      if (ahead > 0 && k + ahead < k1) {
        const unsigned far = at + ahead * places.sz;
        Fetch()(above + far);
        Fetch()(b + far);
        if (looks_back) Fetch()(out + far);
        pair.fetch(arrays, ahead);
      }
      auto beside = pair.column[0].beside(k);
      T made[2];
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        const Layer layer = pair.layer(s, read);
        if constexpr (reacts) beside.reaction = pair.column[s].weight[k * pair.column[s].stride];
        Row<T> a = pair.column[s].coupled_row(below_layer[s], layer, beside);
        if constexpr (!reacts) a.reaction = T(0);
        const Star<T> star{here[s], s == 0 ? west : here[0], s == 0 ? here[1] : east, down_y[s], up_y[s], below[s],
                           up[s]};
        made[s] = stencil::polynomial(a, star, right[s], previous[s], alpha, beta);
        below_layer[s] = layer;
      }
      below = here;
      here = up;
      if (both)
        store_two(to, made[0], made[1]);
      else
        to[i < first] = made[i < first];
    }
  }

 private:
  // This kernel writes the field, so the read-only cache must not be used.
  __device__ static Two<T> load_written(const T* p) {
    using Vector = std::conditional_t<sizeof(T) == 4, float2, double2>;
    const Vector v = *reinterpret_cast<const Vector*>(p);
    return {v.x, v.y};
  }
};

}  // namespace poisson::cuda
