#include <array>
#include <cmath>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/cpu/factories.hpp"
#include "grids/cpu/weighted_lines.hpp"
#include "grids/transfer_weights.hpp"
#include "grids/typed_views.hpp"

namespace poisson::cpu {
namespace {

/// Multilinear and cubic transfers between a block and its coarser one, as products of the axes' weights.
class GridTransfer final : public Transfer {
 public:
  GridTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse)
      : backend_(backend), fine_unknowns_(fine.unknowns()), coarse_unknowns_(coarse.block.unknowns()) {
    for (std::size_t d = 0; d < 3; ++d) {
      linear_[d] = linear_weights(fine.axes[d], coarse.axes[d]);
      cubic_[d] = cubic_weights(fine.axes[d], coarse.axes[d]);
    }
    const LinearWeights& x = linear_[0];
    while (index(regular_.first) < x.after.size() && x.after[index(regular_.first)] == 0) ++regular_.first;
    for (int I = regular_.first; index(I) < x.after.size() && x.after[index(I)] != 0; ++I)
      regular_before_.push_back(x.after[index(I)]);
    regular_.count = static_cast<int>(regular_before_.size());
    if (regular_.count == 0) regular_.first = 0;
    regular_.base = x.centre[index(regular_.first)];
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    backend_.exchange(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      const F factor = scale ? static_cast<F>(*scale->address()) : F(1);
      const LinearWeights &wx = linear_[0], &wy = linear_[1], &wz = linear_[2];
      for_each_line(coarse_unknowns_, [&](int J, int K) {
        WeightedLines<F> lines;
        const std::array ys{wy.before[index(J)], 1.0, wy.after[index(J)]};
        const std::array zs{wz.before[index(K)], 1.0, wz.after[index(K)]};
        for (int b = -1; b <= 1; ++b)
          for (int a = -1; a <= 1; ++a)
            if (ys[index(a + 1)] != 0 && zs[index(b + 1)] != 0)
              lines.add(f.line(wy.centre[index(J)] + a, wz.centre[index(K)] + b),
                        static_cast<double>(factor) * ys[index(a + 1)] * zs[index(b + 1)]);
        F* sum = scratch<F>(f.n[0]);
        lines.sum_into(sum, -1, f.n[0] + 1);
        C* to = c.line(J, K);
        for (int I = coarse_unknowns_.first[0]; I < coarse_unknowns_.last[0]; ++I) {
          const int at = wx.centre[index(I)];
          to[I] = static_cast<C>(sum[at] + static_cast<F>(wx.before[index(I)]) * sum[at - 1] +
                                 static_cast<F>(wx.after[index(I)]) * sum[at + 1]);
        }
      });
    });
  }

  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }

  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      const double factor = scale ? *scale->address() : 1;
      const CubicWeights &wx = cubic_[0], &wy = cubic_[1], &wz = cubic_[2];
      for_each_line(fine_unknowns_, [&](int j, int k) {
        WeightedLines<C> lines;
        for (std::size_t b = 0; b < 4; ++b)
          for (std::size_t a = 0; a < 4; ++a) {
            const double w = wy.weight[index(j)][a] * wz.weight[index(k)][b];
            if (w != 0) lines.add(c.line(wy.at[index(j)][a], wz.at[index(k)][b]), w);
          }
        C* sum = scratch<C>(c.n[0]);
        lines.sum_into(sum, 0, c.n[0]);
        F* to = f.line(j, k);
        for (int i = fine_unknowns_.first[0]; i < fine_unknowns_.last[0]; ++i) {
          const auto& at = wx.at[index(i)];
          const auto& w = wx.weight[index(i)];
          double value = w[0] * static_cast<double>(sum[at[0]]);
          if (w[1] != 0)  // between two coarse values, not on one
            for (std::size_t p = 1; p < 4; ++p) value += w[p] * static_cast<double>(sum[at[p]]);
          to[i] = static_cast<F>(factor * value);
        }
      });
    });
  }

  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      const double factor = scale ? *scale->address() : 1;
      for_each_line(coarse.layout().box(), [&](int J, int K) {
        const F* from = f.line(linear_[1].centre[index(J)], linear_[2].centre[index(K)]);
        C* to = c.line(J, K);
        for (int I = 0; I < c.n[0]; ++I)
          to[I] = static_cast<C>(factor * static_cast<double>(from[linear_[0].centre[index(I)]]));
      });
    });
  }

 private:
  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    backend_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      const LinearWeights &wy = linear_[1], &wz = linear_[2];
      for_each_line(fine_unknowns_, [&](int j, int k) {
        WeightedLines<C> lines;
        const int J = wy.left[index(j)], K = wz.left[index(k)];
        const std::array ys{wy.weight[index(j)], 1 - wy.weight[index(j)]};
        const std::array zs{wz.weight[index(k)], 1 - wz.weight[index(k)]};
        for (int b = 0; b < 2; ++b)
          for (int a = 0; a < 2; ++a)
            if (ys[index(a)] != 0 && zs[index(b)] != 0) lines.add(c.line(J + a, K + b), ys[index(a)] * zs[index(b)]);
        C* sum = scratch<C>(c.n[0]);
        lines.sum_into(sum, 0, c.n[0] + 1);
        prolong_line<add>(sum, f.line(j, k));
      });
    });
  }

  // Along x: values that coincide with coarse ones are copied, the one between two of them is their weighted mean. From
  // regular_.first on the two kinds alternate, which makes for vector code; beside that there is at most a single cell
  // at an end.
  template <bool add, class C, class F>
  void prolong_line(const C* sum, F* to) const {
    const auto put = [to](int i, C value) { to[i] = add ? to[i] + static_cast<F>(value) : static_cast<F>(value); };
    const auto& centre = linear_[0].centre;
    const int n = static_cast<int>(linear_[0].left.size());
    const F ends[2] = {to[0], to[n - 1]};
    const int first = regular_.first, count = regular_.count, base = regular_.base;
    for (int I = 0; I < first; ++I) put(centre[index(I)], sum[I]);
    const C* at = sum + first;
    const double* before = regular_before_.data();
    F* pair = to + base;
#pragma omp simd
    for (int m = 0; m < count; ++m) {
      const C w = static_cast<C>(before[m]);
      const C here = at[m], between = w * here + (C(1) - w) * at[m + 1];
      pair[2 * m] = add ? pair[2 * m] + static_cast<F>(here) : static_cast<F>(here);
      pair[2 * m + 1] = add ? pair[2 * m + 1] + static_cast<F>(between) : static_cast<F>(between);
    }
    for (int I = first + count; I < static_cast<int>(centre.size()); ++I) put(centre[index(I)], sum[I]);
    if (fine_unknowns_.first[0] > 0) to[0] = ends[0];
    if (fine_unknowns_.last[0] < n) to[n - 1] = ends[1];
  }

  Backend& backend_;
  Box fine_unknowns_, coarse_unknowns_;
  std::array<LinearWeights, 3> linear_;
  std::array<CubicWeights, 3> cubic_;
  struct {
    int first = 0, count = 0, base = 0;  // coarse value, number of pairs, fine value
  } regular_;
  std::vector<double> regular_before_;  // weight of the coarse value before each value in between
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse) {
  return std::make_unique<GridTransfer>(backend, fine, coarse);
}

void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean mean, bool with_faces) {
  const bool of_roots = mean == CellMean::of_roots;
  const auto f = fine_cells.view<double>();
  const auto c = coarse_cells.view<double>();
  // The children of coarse cell I are the fine cells from begin(d, I) to end(d, I). Beyond open ends stands one layer
  // on both levels; beyond the ends of a periodic axis, the cells of its other end.
  const auto wrapped = [&](std::size_t d, int I) { return fine.axes[d].periodic() ? (I + c.n[d]) % c.n[d] : I; };
  const auto begin = [&](std::size_t d, int I) {
    I = wrapped(d, I);
    return I < 0 ? -1 : I >= c.n[d] ? fine.axes[d].cells() : coarse.axes[d].fine[index(I)];
  };
  const auto end = [&](std::size_t d, int I) {
    I = wrapped(d, I);
    const int cells = std::max(1, fine.axes[d].cells());
    return I < 0 ? 0 : I >= c.n[d] ? cells + 1 : I + 1 < c.n[d] ? coarse.axes[d].fine[index(I + 1)] : cells;
  };
  const auto width = [&](std::size_t d, int i) {
    const Axis& axis = fine.axes[d];
    return axis.degenerate() || i < 0 || i >= axis.cells() ? 1 : axis.width(i);
  };
  Box box = coarse_cells.layout().box();
  if (with_faces) box = with_halo(fine, box);
  for_each_line(box, [&](int J, int K) {
    for (int I = box.first[0]; I < box.last[0]; ++I) {
      double sum = 0, volume = 0;
      for (int k = begin(2, K); k < end(2, K); ++k)
        for (int j = begin(1, J); j < end(1, J); ++j)
          for (int i = begin(0, I); i < end(0, I); ++i) {
            const double v = width(0, i) * width(1, j) * width(2, k);
            sum += v * (of_roots ? std::sqrt(f(i, j, k)) : f(i, j, k));
            volume += v;
          }
      c(I, J, K) = of_roots ? (sum / volume) * (sum / volume) : sum / volume;
    }
  });
}

}  // namespace poisson::cpu
