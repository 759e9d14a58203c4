#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/cpu/weighted_lines.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson::cpu {
namespace {

/// `Gather` stores rows along x slot by slot, for vectorized loops.
struct Gather {
  std::array<std::vector<int>, 4> at;
  std::array<std::vector<double>, 4> weight;
  int width = 1;  ///< number of slots in use

  explicit Gather(const AxisRows& rows = {}) {
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        at[s].push_back(rows.at[i][s]);
        weight[s].push_back(rows.weight[i][s]);
        if (rows.weight[i][s] != 0) width = std::max(width, static_cast<int>(s) + 1);
      }
  }
  /// Computes to[i] = factor Σ_s weight · from[at] in the precision A, over rows first ≤ i < last. Row i has the index
  /// i + shift.
  template <class A, class From, class To>
  void operator()(const From* from, To* to, int first, int last, int shift, A factor) const {
    A* sum = scratch<A, 1>(last);
    for (int s = 0; s < width; ++s) {
      const int* a = at[index(s)].data() + shift;
      const double* w = weight[index(s)].data() + shift;
#pragma omp simd
      for (int i = first; i < last; ++i)
        sum[i] = (s == 0 ? A(0) : sum[i]) + static_cast<A>(w[i]) * static_cast<A>(from[a[i]]);
    }
#pragma omp simd
    for (int i = first; i < last; ++i) to[i] = static_cast<To>(factor * sum[i]);
  }
};

/// `TensorRows` stores the rows of a tensor product; those along x are arranged for vector code.
struct TensorRows {
  Gather x;
  AxisRows y, z;
  int shift = 0;  ///< row i has index i + shift

  /// Creates the rows of all axes from rows_of(d).
  template <class RowsOf>
  static TensorRows of(const RowsOf& rows_of, int shift = 0) {
    return {Gather(rows_of(0)), rows_of(1), rows_of(2), shift};
  }
  /// Computes to = factor ⊗ rows · from over a box. Sums along y and z have the precision of `from`, sums along x the
  /// precision A.
  template <class A, class From, class To>
  void apply(const Box& box, const View<const From>& from, const View<To>& to, A factor) const {
    for_each_line(box, [&](int J, int K) {
      WeightedLines<From> lines;
      const auto &ys = y.at[index(J + shift)], &zs = z.at[index(K + shift)];
      const auto &wy = y.weight[index(J + shift)], &wz = z.weight[index(K + shift)];
      for (std::size_t b = 0; b < 4; ++b)
        for (std::size_t a = 0; a < 4; ++a) lines.add(from.line(ys[a], zs[b]), wy[a] * wz[b]);
      if (lines.is_copy()) {
        x.template operator()<A>(lines.line[0], to.line(J, K), box.first[0], box.last[0], shift, factor);
        return;
      }
      From* sum = scratch<From>(from.n[0]);
      lines.sum_into(sum, -from.halo[0], from.n[0] + from.halo[0]);
      x.template operator()<A>(sum, to.line(J, K), box.first[0], box.last[0], shift, factor);
    });
  }
};

double value_of(const Scalar* scale) {
  return scale ? *scale->address() : 1;
}

/// `TensorTransfer` implements the transfers between a block and its coarser one as tensor products of the axes' rows.
class TensorTransfer final : public Transfer {
 public:
  TensorTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant)
      : backend_(backend),
        fine_(fine.unknowns()),
        coarse_(coarse.block.unknowns()),
        injected_(coarse.block.layout().box()) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = fine.axes[d];
      linear_[d] = linear_rows(axis, coarse.axes[d], constant);
      if (axis.degenerate() || axis.centering() == Centering::node) continue;
      if (has_halo_data(axis, 0)) --injected_.first[d];
      if (has_halo_data(axis, 1)) ++injected_.last[d];
    }
    const auto all = [&](const auto& rows, int shift = 0) {
      return TensorRows::of([&](std::size_t d) { return rows(fine.axes[d], coarse.axes[d]); }, shift);
    };
    restriction_ =
        TensorRows::of([&](std::size_t d) { return restriction_rows(fine.axes[d], coarse.axes[d], constant); });
    sums_ = all(sum_rows);
    cubic_ = all(cubic_rows);
    injection_ = all(injection_rows, 1);
  }

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    reach_over_cuts(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      restriction_.apply<F>(coarse_, f, c, static_cast<F>(value_of(scale)));
    });
  }
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    reach_over_cuts(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      sums_.apply<F>(coarse_, f, c, static_cast<F>(value_of(scale)));
    });
  }
  void do_prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    reach_over_cuts(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      cubic_.apply<double>(fine_, c, f, value_of(scale));
    });
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    reach_over_cuts(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      injection_.apply<double>(injected_, f, c, value_of(scale));
    });
  }

 private:
  // Exchanges the halo across cuts. Unpartitioned periodic axes need no halo, because their indices wrap around.
  void reach_over_cuts(const Field& x) const {
    if (!x.space().is_global()) backend_.exchange(x, cut_halo);
  }

  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    backend_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      const LinearRows &x = linear_[0], &y = linear_[1], &z = linear_[2];
      for_each_line(fine_, [&](int j, int k) {
        WeightedLines<C> lines;
        const std::array ys{y.weight[index(j)], 1 - y.weight[index(j)]};
        const std::array zs{z.weight[index(k)], 1 - z.weight[index(k)]};
        for (int b = 0; b < 2; ++b)
          for (int a = 0; a < 2; ++a)
            if (const double w = ys[index(a)] * zs[index(b)]; w != 0)
              lines.add(c.line(y.left[index(j)] + a, z.left[index(k)] + b), w);
        C* sum = scratch<C>(c.n[0]);
        lines.sum_into(sum, -c.halo[0], c.n[0] + c.halo[0]);
        F* to = f.line(j, k);
        const int* left = x.left.data();
        const double* weight = x.weight.data();
#pragma omp simd
        for (int i = fine_.first[0]; i < fine_.last[0]; ++i) {
          const C w = static_cast<C>(weight[i]);
          const C value = w * sum[left[i]] + (C(1) - w) * sum[left[i] + 1];
          to[i] = add ? to[i] + static_cast<F>(value) : static_cast<F>(value);
        }
      });
    });
  }

  Backend& backend_;
  Box fine_, coarse_;
  Box injected_;  ///< the coarse values that injection writes, including faces
  std::array<LinearRows, 3> linear_;
  TensorRows restriction_, sums_, cubic_, injection_;
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant) {
  return std::make_unique<TensorTransfer>(backend, fine, coarse, constant);
}

}  // namespace poisson::cpu
