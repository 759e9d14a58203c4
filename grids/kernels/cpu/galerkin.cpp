#include <algorithm>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/axes/coarse_places.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/weighted_transfer.hpp"
#include "grids/operators/typed_views.hpp"
#include "grids/rows/lines_of_bands.hpp"
#include "grids/rows/stencil_probe.hpp"

namespace poisson::cpu {
namespace {

Box box_of(const int (&n)[3]) {
  return {{0, 0, 0}, {n[0], n[1], n[2]}};
}

class WeightedTransfer final : public WeightedTransferBase {
 public:
  WeightedTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Weights& weights)
      : WeightedTransferBase(fine, coarse, weights), backend_(backend) {
    for (std::size_t d = 0; d < 3; ++d) {
      const CoarsePlaces places(fine.axes[d], coarse.axes[d], GalerkinProduct::none);
      centre_[d].assign(places.centre.begin() + 1, places.centre.end() - 1);
      for (const int p : places.parents) between_[d].push_back({p >> 1, (p & 1) != 0});
    }
    const std::vector<int>& at = centre_[0];
    while (in_pairs_ < static_cast<int>(at.size()) && at[index(in_pairs_)] == at[0] + 2 * in_pairs_) ++in_pairs_;
  }

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    backend_.exchange(fine);
    with_weights([&]<class W>(const std::array<View<const W>, 27>& weight) {
      with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
        const F factor = scale ? static_cast<F>(*scale->address()) : F(1);
        for_each_line(coarse_unknowns_, [&](int J, int K) {
          const int n = c.n[0];
          F* const sum = scratch<F>(3, n + 1);
          F *const even = sum + n + 1, *const odd = even + n + 2;  // odd[-1] is the value before the first
          const int* at = centre_[0].data();
          const F* middle = f.line(centre_[1][index(J)], centre_[2][index(K)]);
          for (int I = 0; I < n; ++I) sum[I] = middle[at[I]];
          for (int beside = 0; beside < 27; beside += 3) {
            const int j = centre_[1][index(J)] + offset_of(beside, 1), k = centre_[2][index(K)] + offset_of(beside, 2);
            const auto line = [&](int code) {
              const auto& w = weight[index(code)];
              return w.data ? w.line(J, K) : nullptr;
            };
            const W *before = line(beside), *on = line(beside + 1), *after = line(beside + 2);
            if (!before && !on) continue;
            const F* from = f.line(j, k);
            int I = 0;
            if (before) {
              I = in_pairs_;
              split_pairs(from + at[0], I, even, odd);
              if (on)
                add_weighted(sum, I, before, odd - 1, on, even, after, odd);
              else
                add_weighted(sum, I, before, odd - 1, after, odd);
            }
            for (; I < n; ++I) {
              if (before) sum[I] += static_cast<F>(before[I]) * from[at[I] - 1];
              if (on) sum[I] += static_cast<F>(on[I]) * from[at[I]];
              if (after) sum[I] += static_cast<F>(after[I]) * from[at[I] + 1];
            }
          }
          C* to = c.line(J, K);
          for (int I = coarse_unknowns_.first[0]; I < coarse_unknowns_.last[0]; ++I)
            to[I] = static_cast<C>(factor * sum[I]);
        });
      });
    });
  }

  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      const double factor = scale ? *scale->address() : 1;
      for_each_line(coarse.layout().box(), [&](int J, int K) {
        const F* from = f.line(centre_[1][index(J)], centre_[2][index(K)]);
        C* to = c.line(J, K);
        for (int I = 0; I < c.n[0]; ++I)
          to[I] = static_cast<C>(factor * static_cast<double>(from[centre_[0][index(I)]]));
      });
    });
  }

 private:
  struct Between {
    int left;      // the coarse value at or before a fine value; it may be in the halo
    bool between;  // whether the fine value lies between `left` and the next coarse value
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Returns scratch memory of this thread for `lines` lines.
  template <class T>
  static T* scratch(int lines, int values) {
    thread_local std::vector<T> memory;
    const auto needed = index(lines) * index(values + 1);
    if (memory.size() < needed) memory.resize(needed);
    return memory.data();
  }
  // Splits `pairs` pairs of values into even and odd ones, and copies the value before them to odd[-1].
  template <class T>
  static void split_pairs(const T* from, int pairs, T* even, T* odd) {
    odd[-1] = from[-1];
#pragma omp simd
    for (int I = 0; I < pairs; ++I) {
      even[I] = from[2 * I];
      odd[I] = from[2 * I + 1];
    }
  }
  // Adds weight · value to the sums of a line, for each pair of arguments.
  template <class T, class W>
  static void add_weighted(T* sum, int n, const W* a, const T* x, const W* b, const T* y) {
#pragma omp simd
    for (int I = 0; I < n; ++I) sum[I] = sum[I] + static_cast<T>(a[I]) * x[I] + static_cast<T>(b[I]) * y[I];
  }
  template <class T, class W>
  static void add_weighted(T* sum, int n, const W* a, const T* x, const W* b, const T* y, const W* c, const T* z) {
#pragma omp simd
    for (int I = 0; I < n; ++I)
      sum[I] = sum[I] + static_cast<T>(a[I]) * x[I] + static_cast<T>(b[I]) * y[I] + static_cast<T>(c[I]) * z[I];
  }

  template <class F>
  void with_weights(const F& f) const {
    dispatch(precision_, [&]<class W>(W) {
      std::array<View<const W>, 27> views;
      for (std::size_t code = 0; code < 27; ++code)
        if (weights_[code]) views[code] = weights_[code]->view<W>();
      f(views);
    });
  }

  void spread(const Field& coarse, Field& fine, bool add, const Scalar* scale) const override {
    backend_.exchange(coarse);
    with_weights([&]<class W>(const std::array<View<const W>, 27>& weight) {
      with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
        const F factor = scale ? static_cast<F>(*scale->address()) : F(1);
        for_each_line(fine_unknowns_, [&](int j, int k) {
          const int n = c.n[0], values = static_cast<int>(between_[0].size());
          C* const value = scratch<C>(2, values + n + 2);
          C *const even = value + values, *const odd = even + n + 1;  // at each coarse value, and after it
          std::fill(value, odd + n, C(0));
          const Between &y = between_[1][index(j)], &z = between_[2][index(k)];
          const int* at = centre_[0].data();
          for (int b = 0; b < (z.between ? 2 : 1); ++b)
            for (int a = 0; a < (y.between ? 2 : 1); ++a) {
              const int J = y.left + a, K = z.left + b;
              const int oy = !y.between ? 0 : a == 0 ? 1 : -1, oz = !z.between ? 0 : b == 0 ? 1 : -1;
              const C* from = c.line(J, K);
              const auto line = [&](int ox) {
                const auto& w = weight[index(code_of(ox, oy, oz))];
                return w.data ? w.line(J, K) : nullptr;
              };
              const W *below = line(-1), *on = line(0), *above = line(1);
              if (on) {
#pragma omp simd
                for (int I = 0; I < n; ++I) even[I] += static_cast<C>(on[I]) * from[I];
              } else {
#pragma omp simd
                for (int I = 0; I < n; ++I) even[I] += from[I];
              }
              if (!above) continue;
#pragma omp simd
              for (int I = 0; I < n - 1; ++I)
                odd[I] += static_cast<C>(above[I]) * from[I] + static_cast<C>(below[I + 1]) * from[I + 1];
              if (at[0] > 0)
                value[at[0] - 1] += static_cast<C>(above[-1]) * from[-1] + static_cast<C>(below[0]) * from[0];
              if (at[n - 1] + 1 < values)
                odd[n - 1] += static_cast<C>(above[n - 1]) * from[n - 1] + static_cast<C>(below[n]) * from[n];
            }
          C* const pairs = value + at[0];
          const int whole = in_pairs_ - 1;
          for (int I = 0; I < whole; ++I) {
            pairs[2 * I] = even[I];
            pairs[2 * I + 1] = odd[I];
          }
          // If the value after a coarse value is coarse as well, it is overwritten.
          for (int I = whole; I < n; ++I) {
            value[at[I]] = even[I];
            if (at[I] + 1 < values) value[at[I] + 1] = odd[I];
          }
          F* to = f.line(j, k);
          for (int i = fine_unknowns_.first[0]; i < fine_unknowns_.last[0]; ++i)
            to[i] = add ? to[i] + static_cast<F>(value[i]) : factor * static_cast<F>(value[i]);
        });
      });
    });
  }

  Backend& backend_;
  std::array<std::vector<int>, 3> centre_;
  std::array<std::vector<Between>, 3> between_;
  int in_pairs_ = 0;  // leading coarse values of a line that are two apart
};

}  // namespace

void paint_colour(const StencilProbe& probe, Field& unit) {
  const auto view = unit.view<double>();
  for_each_line(unit.layout().box(), [&](int j, int k) {
    if (probe.is_star()) return probe.paint_line(j, k, view);
    for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = probe.unit(i, j, k);
  });
}

void gather_couplings(const StencilProbe& probe) {
  for_each_line(box_of(probe.product.n), [&](int j, int k) {
    if (probe.is_star()) return probe.gather_line(j, k);
    for (int i = 0; i < probe.product.n[0]; ++i) probe.gather(i, j, k);
  });
}

void fill_line_rows(const LinesOfBands& lines, const Box& unknowns) {
  for_each_line(unknowns, [&](int j, int k) {
    for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) lines(i, j, k);
  });
}

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  return std::make_unique<WeightedTransfer>(backend, fine, coarse, weights);
}

}  // namespace poisson::cpu
