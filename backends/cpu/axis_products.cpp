#include "backends/cpu/axis_products.hpp"

#include <algorithm>
#include <vector>

#include "backends/axis_transforms.hpp"
#include "backends/blas.hpp"
#include "backends/cpu/launch.hpp"
#include "backends/fold.hpp"

namespace poisson::cpu {
namespace {

// Lines that are solved side by side.
constexpr int side_by_side = 32;

class CpuAxisProducts final : public AxisTransforms {
 public:
  CpuAxisProducts(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse)
      : AxisTransforms(backend, layout, precision, inverse), blas_(Blas::get()) {}

  void fold(Field& w) override { fold_axes<false>(w); }
  void unfold(Field& w) override { fold_axes<true>(w); }
  void solve_lines(Field& w) override {
    dispatch(precision(), [&]<class T>(T) { solve_lines_of<T>(coefficients(w).view<T>()); });
  }

 protected:
  void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) override {
    multiply_batch(batch, a, b, c);
  }
  void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) override {
    multiply_batch(batch, a, b, c);
  }

 private:
  template <class T>
  void multiply_batch(const MatrixBatch& s, const T* a, const T* b, T* c) const {
    for (int batch = 0; batch < s.batches; ++batch)
      blas_.multiply(s.transpose_a, s.transpose_b, s.m, s.n, s.k, a + batch * s.stride_a, static_cast<int>(s.lda),
                     b + batch * s.stride_b, static_cast<int>(s.ldb), c + batch * s.stride_c, static_cast<int>(s.ldc));
  }

  template <bool back>
  void fold_axes(Field& w) const {
    dispatch(precision(), [&]<class T>(T) {
      const View<T> v = w.view<T>();
      for (std::size_t d = 0; d < 3; ++d) {
        if (!folded(static_cast<int>(d))) continue;
        Box lower = box();
        lower.last[d] = lower.first[d] + (box().last[d] - box().first[d]) / 2;
        const int turn = box().first[d] + box().last[d] - 1;  // of i and its mirror image in sum
        for_each_line(lower, [&](int j, int k) {
          T* line = v.line(j, k);
          T* image = d == 0 ? line : d == 1 ? v.line(turn - j, k) : v.line(j, turn - k);
          for (int i = lower.first[0]; i < lower.last[0]; ++i) fold_pair<back>(line[i], image[d == 0 ? turn - i : i]);
        });
        if (count(static_cast<int>(d)) % 2 == 0) continue;
        Box middle = box();
        middle.first[d] = turn / 2;
        middle.last[d] = middle.first[d] + 1;
        for_each_line(middle, [&](int j, int k) {
          T* line = v.line(j, k);
          for (int i = middle.first[0]; i < middle.last[0]; ++i) fold_middle(line[i]);
        });
      }
    });
  }

  // Gaussian elimination with pivots that are the sum of a row and of its couplings to what is not eliminated, so that
  // nothing cancels.
  template <class T>
  void solve_lines_of(const View<T>& v) const {
    const auto s = static_cast<std::size_t>(solved());
    const std::size_t fast = s == 0 ? 1 : 0, slow = s == 2 ? 1 : 2;
    const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
    const int n = count(solved());
    const T* const table = static_cast<const T*>(lines());
    const T *sum = table, *coupling = table + n, *mass_sum = table + 2 * n, *mass_off = table + 3 * n;
    const auto eigenvalue = [&](std::size_t d, int m) {
      const T* values = d == s ? nullptr : static_cast<const T*>(eigenvalues(static_cast<int>(d)));
      return values ? values[m] : T(0);
    };
    const int lanes_in_all = count(static_cast<int>(fast)), slows = count(static_cast<int>(slow));
    const int groups = (lanes_in_all + side_by_side - 1) / side_by_side;
    const std::int64_t step = stride[s], across = stride[fast];
    T* origin = v.data + box().first[0] + box().first[1] * v.sy + box().first[2] * v.sz;
#pragma omp parallel if (box().size() > heavy_threshold)
    {
      std::vector<T> inverse(static_cast<std::size_t>(n) * side_by_side), gain(inverse.size());
#pragma omp for collapse(2) schedule(static)
      for (int b = 0; b < slows; ++b)
        for (int group = 0; group < groups; ++group) {
          const int first = group * side_by_side, lanes = std::min(side_by_side, lanes_in_all - first);
          T* at = origin + b * stride[slow] + first * across;
          T mu[side_by_side], left[side_by_side];  // what of a pivot is no coupling onwards
          for (int l = 0; l < lanes; ++l) {
            mu[l] = eigenvalue(fast, first + l) + eigenvalue(slow, b);
            left[l] = 0;
          }
          for (int k = 0; k < n; ++k) {
            T* inv = &inverse[static_cast<std::size_t>(k) * side_by_side];
            T* g = &gain[static_cast<std::size_t>(k) * side_by_side];
            const T* before = g - side_by_side;
            T* value = at + k * step;
            for (int l = 0; l < lanes; ++l) {
              const T onwards = coupling[k] - mu[l] * mass_off[k];
              left[l] = sum[k] + mu[l] * mass_sum[k] + (k > 0 ? before[l] * left[l] : T(0));
              const T pivot = left[l] + onwards;
              inv[l] = pivot != 0 ? 1 / pivot : T(0);
              g[l] = onwards * inv[l];
              if (k > 0) value[l * across] += before[l] * value[l * across - step];
            }
          }
          for (int k = n - 1; k >= 0; --k) {
            const T* inv = &inverse[static_cast<std::size_t>(k) * side_by_side];
            const T* g = &gain[static_cast<std::size_t>(k) * side_by_side];
            T* value = at + k * step;
            for (int l = 0; l < lanes; ++l)
              value[l * across] = value[l * across] * inv[l] + (k + 1 < n ? g[l] * value[l * across + step] : T(0));
          }
        }
    }
  }

  const Blas& blas_;
};

}  // namespace

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  return std::make_unique<CpuAxisProducts>(backend, layout, precision, inverse);
}

}  // namespace poisson::cpu
