#include <algorithm>
#include <array>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/cell_weights.hpp"
#include "grids/coarse_face.hpp"
#include "grids/cpu/factories.hpp"
#include "grids/cpu/weighted_lines.hpp"
#include "grids/faces.hpp"
#include "grids/typed_views.hpp"

namespace poisson::cpu {
namespace {

/// Transfers between a cell-centred block and its coarser one, as products of the axes' weights.
class CellTransfer final : public Transfer {
 public:
  CellTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant)
      : backend_(backend), fine_(fine.layout().box()), coarse_(coarse.block.layout().box()), with_faces_(coarse_) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = fine.axes[d];
      linear_[d] = cell_weights(axis, coarse.axes[d], constant);
      cubic_[d] = cubic_cell_weights(axis, coarse.axes[d]);
      if (axis.degenerate()) continue;
      if (has_halo_data(axis, 0)) --with_faces_.first[d];
      if (has_halo_data(axis, 1)) ++with_faces_.last[d];
    }
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    backend_.exchange(fine);
    add_up(fine, coarse, scale, [this](std::size_t d, int I) { return linear_[d].restriction[index(I)]; });
  }
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    add_up(fine, coarse, scale, [this](std::size_t d, int I) {
      return std::array{0.0, 1.0, linear_[d].count[index(I)] > 1 ? 1.0 : 0.0, 0.0};
    });
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }

  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      const double factor = scale ? *scale->address() : 1;
      const CubicWeights &wx = cubic_[0], &wy = cubic_[1], &wz = cubic_[2];
      for_each_line(fine_, [&](int j, int k) {
        WeightedLines<C> lines;
        for (std::size_t b = 0; b < 4; ++b)
          for (std::size_t a = 0; a < 4; ++a)
            if (const double w = wy.weight[index(j)][a] * wz.weight[index(k)][b]; w != 0)
              lines.add(c.line(wy.at[index(j)][a], wz.at[index(k)][b]), w);
        C* sum = scratch<C>(c.n[0]);
        lines.sum_into(sum, -1, c.n[0] + 1);
        F* to = f.line(j, k);
        for (int i = 0; i < f.n[0]; ++i) {
          const auto& at = wx.at[index(i)];
          const auto& w = wx.weight[index(i)];
          double value = 0;
          for (std::size_t p = 0; p < 4; ++p) value += w[p] * static_cast<double>(sum[at[p]]);
          to[i] = static_cast<F>(factor * value);
        }
      });
    });
  }

  // Means over the cells of each coarse cell; where an axis has data on its faces, over the faces there too.
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      const double factor = scale ? *scale->address() : 1;
      for_each_line(with_faces_, [&](int J, int K) {
        for (int I = with_faces_.first[0]; I < with_faces_.last[0]; ++I) {
          const Span x = span(0, I), y = span(1, J), z = span(2, K);
          double sum = 0;
          for (int k = 0; k < z.count; ++k)
            for (int j = 0; j < y.count; ++j)
              for (int i = 0; i < x.count; ++i)
                sum += x.share[i] * y.share[j] * z.share[k] *
                       static_cast<double>(f(x.first + i, y.first + j, z.first + k));
          c(I, J, K) = static_cast<C>(factor * sum);
        }
      });
    });
  }

 private:
  // The fine values that make up coarse value I, and their shares.
  struct Span {
    int first, count;
    double share[2];
  };
  Span span(std::size_t d, int I) const {
    const CellWeights& w = linear_[d];
    if (I < 0) return {-1, 1, {1, 0}};
    if (I >= coarse_.last[d]) return {fine_.last[d], 1, {1, 0}};
    return {w.first[index(I)], w.count[index(I)], {w.share[index(I)], 1 - w.share[index(I)]}};
  }

  template <class Row>
  void add_up(const Field& fine, Field& coarse, const Scalar* scale, const Row& row) const {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      const F factor = scale ? static_cast<F>(*scale->address()) : F(1);
      std::vector<std::array<F, 4>> wx;
      for (int I = 0; I < c.n[0]; ++I) {
        const std::array<double, 4> w = row(0, I);
        wx.push_back({static_cast<F>(w[0]), static_cast<F>(w[1]), static_cast<F>(w[2]), static_cast<F>(w[3])});
      }
      for_each_line(coarse_, [&](int J, int K) {
        WeightedLines<F> lines;
        const std::array<double, 4> wy = row(1, J), wz = row(2, K);
        for (int b = 0; b < 4; ++b)
          for (int a = 0; a < 4; ++a)
            if (wy[index(a)] != 0 && wz[index(b)] != 0)
              lines.add(f.line(linear_[1].first[index(J)] - 1 + a, linear_[2].first[index(K)] - 1 + b),
                        static_cast<double>(factor) * wy[index(a)] * wz[index(b)]);
        F* sum = scratch<F>(f.n[0]);
        lines.sum_into(sum, -1, f.n[0] + 1);
        sum[f.n[0] + 1] = 0;
        C* to = c.line(J, K);
        for (int I = 0; I < c.n[0]; ++I) {
          const F* at = sum + linear_[0].first[index(I)];
          const auto& w = wx[index(I)];
          F value = w[1] * at[0];
          // The halo of data may hold anything.
          if (w[0] != 0) value += w[0] * at[-1];
          if (w[2] != 0) value += w[2] * at[1];
          if (w[3] != 0) value += w[3] * at[2];
          to[I] = static_cast<C>(value);
        }
      });
    });
  }

  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    backend_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      const CellWeights &wx = linear_[0], &wy = linear_[1], &wz = linear_[2];
      for_each_line(fine_, [&](int j, int k) {
        WeightedLines<C> lines;
        const std::array ys{wy.weight[index(j)], 1 - wy.weight[index(j)]};
        const std::array zs{wz.weight[index(k)], 1 - wz.weight[index(k)]};
        for (int b = 0; b < 2; ++b)
          for (int a = 0; a < 2; ++a)
            if (ys[index(a)] != 0 && zs[index(b)] != 0)
              lines.add(c.line(wy.left[index(j)] + a, wz.left[index(k)] + b), ys[index(a)] * zs[index(b)]);
        C* sum = scratch<C>(c.n[0]);
        lines.sum_into(sum, -1, c.n[0] + 1);
        F* to = f.line(j, k);
        const int* left = wx.left.data();
        const double* weight = wx.weight.data();
#pragma omp simd
        for (int i = 0; i < f.n[0]; ++i) {
          const C w = static_cast<C>(weight[i]);
          const C value = w * sum[left[i]] + (C(1) - w) * sum[left[i] + 1];
          to[i] = add ? to[i] + static_cast<F>(value) : static_cast<F>(value);
        }
      });
    });
  }

  Backend& backend_;
  Box fine_, coarse_, with_faces_;
  std::array<CellWeights, 3> linear_;
  std::array<CubicWeights, 3> cubic_;
};

}  // namespace

std::unique_ptr<Transfer> make_cell_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                             bool constant) {
  return std::make_unique<CellTransfer>(backend, fine, coarse, constant);
}

void coarsen_faces(const Block& fine, const CoarseBlock& coarse, std::size_t axis, const FaceFields& fine_faces,
                   const Field* coarse_ends, Field& coarse_faces) {
  const auto c = coarse_faces.view<double>();
  const Axis& along = coarse.block.axes[axis];
  const int n = c.n[axis];
  Box box = coarse_faces.layout().box();
  if (!along.periodic()) ++box.last[axis];
  CoarseFace face{};
  face.axis = static_cast<int>(axis);
  std::array<std::vector<int>, 3> begin;
  std::array<std::vector<double>, 3> width;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto f = fine_faces[d]->view<double>();
    face.fine[d] = f;
    begin[d] = coarse.axes[d].fine;
    begin[d].push_back(f.n[d]);
    for (int i = 0; i < f.n[d]; ++i) width[d].push_back(fine.axes[d].width(i));
    face.along[d] = {begin[d].data(), width[d].data(), f.n[d], c.n[d], fine.axes[d].periodic()};
  }
  for_each_line(box, [&](int J, int K) {
    for (int I = box.first[0]; I < box.last[0]; ++I) {
      const std::array at{I, J, K};
      const bool lower = at[axis] == 0, upper = at[axis] == n;
      if (coarse_ends && (lower || upper) && along.kind(lower ? 0 : 1) == BoundaryKind::robin) {
        const auto ends = coarse_ends->view<double>();
        std::array kappa{I, J, K}, alpha{I, J, K};
        kappa[axis] = lower ? 0 : 2;
        alpha[axis] = lower ? 1 : 3;
        c(I, J, K) = robin_face(ends(kappa[0], kappa[1], kappa[2]), ends(alpha[0], alpha[1], alpha[2]),
                                along.width(lower ? 0 : n - 1));
      } else {
        c(I, J, K) = face(I, J, K);
      }
    }
  });
}

}  // namespace poisson::cpu
