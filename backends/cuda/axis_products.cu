#include "backends/cuda/axis_products.hpp"

#include "backends/axis_transforms.hpp"
#include "backends/cuda/cublas.hpp"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/fold.hpp"

namespace poisson::cuda {
namespace {

// Folds the axes x, y and z that are to be: a thread has the values at all mirrored places.
template <class T, bool x, bool y, bool z, bool back>
struct FoldColumns {
  View<T> v;
  int turn[3];  // of an index and its mirror image in sum

  __device__ static void fold_values(bool middle, T& lower, T& upper) {
    if (middle)
      fold_middle(lower);
    else
      fold_pair<back>(lower, upper);
  }
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const int other_i = turn[0] - i, other_j = turn[1] - j;
    for (int k = k0; k < k1; ++k) {
      const int other_k = turn[2] - k;
      T value[2][2][2];
#pragma unroll
      for (int c = 0; c <= z; ++c)
#pragma unroll
        for (int b = 0; b <= y; ++b)
#pragma unroll
          for (int a = 0; a <= x; ++a) value[c][b][a] = v(a ? other_i : i, b ? other_j : j, c ? other_k : k);
      if (x)
#pragma unroll
        for (int c = 0; c <= z; ++c)
#pragma unroll
          for (int b = 0; b <= y; ++b) fold_values(i == other_i, value[c][b][0], value[c][b][x]);
      if (y)
#pragma unroll
        for (int c = 0; c <= z; ++c)
#pragma unroll
          for (int a = 0; a <= x; ++a) fold_values(j == other_j, value[c][0][a], value[c][y][a]);
      if (z)
#pragma unroll
        for (int b = 0; b <= y; ++b)
#pragma unroll
          for (int a = 0; a <= x; ++a) fold_values(k == other_k, value[0][b][a], value[z][b][a]);
#pragma unroll
      for (int c = 0; c <= z; ++c)
#pragma unroll
        for (int b = 0; b <= y; ++b)
#pragma unroll
          for (int a = 0; a <= x; ++a)
            if ((!a || i != other_i) && (!b || j != other_j) && (!c || k != other_k))
              v(a ? other_i : i, b ? other_j : j, c ? other_k : k) = value[c][b][a];
    }
  }
};

template <class T>
struct LineTables {
  const T *sum, *coupling, *mass_sum, *mass_off;
};

// So many values of a line are at hand at a time, and what elimination needs of one is kept between.
constexpr int segment = 16;
constexpr int line_threads = 128;

// A line for each thread: elimination without cancellation (cpu/axis_products.cpp) writes over the values, and keeps of
// the pivots what the way back begins a segment with, from where it works them out once more.
template <class T>
__global__ void __launch_bounds__(line_threads)
    lines_kernel(T* values, std::int64_t step, std::int64_t across, std::int64_t slow_step, int lanes, int slows, int n,
                 const T* fast_eigenvalues, const T* slow_eigenvalues, LineTables<T> table, T* kept) {
  await_others();
  const std::int64_t lines = std::int64_t{lanes} * slows;
  const std::int64_t line = std::int64_t{blockIdx.x} * line_threads + threadIdx.x;
  if (line >= lines) return;
  const int a = static_cast<int>(line % lanes), b = static_cast<int>(line / lanes);
  T* at = values + b * slow_step + a * across;
  const T mu = (fast_eigenvalues ? fast_eigenvalues[a] : T(0)) + (slow_eigenvalues ? slow_eigenvalues[b] : T(0));
  const int segments = (n + segment - 1) / segment;

  T left = 0, gain = 0, before = 0;  // of the row before: pivot but for its coupling, coupling over pivot, value
  for (int s = 0; s < segments; ++s) {
    T* const here = at + s * segment * step;
    const int first = s * segment, many = min(segment, n - first);
    kept[s * lines + line] = gain * left;
    T value[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? here[m * step] : T(0);
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) {
        const T onwards = table.coupling[first + m] - mu * table.mass_off[first + m];
        left = table.sum[first + m] + mu * table.mass_sum[first + m] + gain * left;
        value[m] += gain * before;
        const T pivot = left + onwards;
        gain = pivot != 0 ? onwards / pivot : T(0);
        before = value[m];
      }
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) here[m * step] = value[m];
  }
  T after = 0;
  for (int s = segments - 1; s >= 0; --s) {
    T* const here = at + s * segment * step;
    const int first = s * segment, many = min(segment, n - first);
    T value[segment], gains[segment];
#pragma unroll
    for (int m = 0; m < segment; ++m) value[m] = m < many ? here[m * step] : T(0);
    T passed = kept[s * lines + line];
#pragma unroll
    for (int m = 0; m < segment; ++m)
      if (m < many) {
        const T onwards = table.coupling[first + m] - mu * table.mass_off[first + m];
        const T remains = table.sum[first + m] + mu * table.mass_sum[first + m] + passed;
        const T pivot = remains + onwards;
        const T inverse = pivot != 0 ? 1 / pivot : T(0);
        gains[m] = onwards * inverse;
        passed = gains[m] * remains;
        value[m] *= inverse;
      }
#pragma unroll
    for (int m = segment - 1; m >= 0; --m)
      if (m < many) {
        after = value[m] + gains[m] * after;
        here[m * step] = after;
      }
  }
}

// What elimination keeps.
std::size_t kept_values(const TensorInverse& inverse) {
  const auto s = static_cast<std::size_t>(inverse.solved);
  const std::int64_t n = inverse.unknowns.last[s] - inverse.unknowns.first[s];
  return static_cast<std::size_t>((n + segment - 1) / segment * (inverse.unknowns.size() / n));
}

class CudaAxisProducts final : public AxisTransforms {
 public:
  CudaAxisProducts(CudaBackend& device, const Layout& layout, Precision precision, const TensorInverse& inverse)
      : AxisTransforms(device, layout, precision, inverse), device_(device), cublas_(device) {
    kept_ = device.allocate(kept_values(inverse) * bytes_of(precision));
  }

  void fold(Field& w) override { fold_axes<false>(w); }
  void unfold(Field& w) override { fold_axes<true>(w); }

  void solve_lines(Field& w) override {
    dispatch(precision(), [&]<class T>(T) {
      const View<T> v = coefficients(w).template view<T>();
      const auto s = static_cast<std::size_t>(solved());
      const std::size_t fast = s == 0 ? 1 : 0, slow = s == 2 ? 1 : 2;
      const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
      const int n = count(solved()), lanes = count(static_cast<int>(fast)), slows = count(static_cast<int>(slow));
      const T* table = static_cast<const T*>(lines());
      const auto of = [&](std::size_t d) { return static_cast<const T*>(eigenvalues(static_cast<int>(d))); };
      const std::int64_t lines_in_all = std::int64_t{lanes} * slows;
      launch(lines_kernel<T>, static_cast<unsigned>((lines_in_all + line_threads - 1) / line_threads), line_threads,
             device_.stream(), &v(box().first[0], box().first[1], box().first[2]), stride[s], stride[fast],
             stride[slow], lanes, slows, n, of(fast), of(slow),
             LineTables<T>{table, table + n, table + 2 * n, table + 3 * n}, static_cast<T*>(kept_.data()));
    });
  }

 protected:
  void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) override {
    cublas_.multiply(device_.stream(), shape(batch), a, b, c);
  }
  void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) override {
    cublas_.multiply(device_.stream(), shape(batch), a, b, c);
  }

 private:
  static Cublas::Shape shape(const MatrixBatch& s) {
    return {s.transpose_a,
            s.transpose_b,
            s.m,
            s.n,
            s.k,
            static_cast<int>(s.lda),
            static_cast<int>(s.ldb),
            static_cast<int>(s.ldc),
            s.batches,
            s.stride_a,
            s.stride_b,
            s.stride_c};
  }

  template <bool back>
  void fold_axes(Field& w) {
    dispatch(precision(), [&]<class T>(T) {
      const View<T> v = w.view<T>();
      Box lower = box();
      int turn[3];
      for (std::size_t d = 0; d < 3; ++d) {
        turn[d] = lower.first[d] + lower.last[d] - 1;
        if (folded(static_cast<int>(d))) lower.last[d] = lower.first[d] + (count(static_cast<int>(d)) + 1) / 2;
      }
      const auto run = [&]<bool x, bool y, bool z>() {
        const FoldColumns<T, x, y, z, back> columns{v, {turn[0], turn[1], turn[2]}};
        for_columns(device_.stream(), lower, columns);
      };
      const auto with_z = [&]<bool x, bool y>() {
        if (folded(2))
          run.template operator()<x, y, true>();
        else if (x || y)
          run.template operator()<x, y, false>();
      };
      if (folded(0))
        folded(1) ? with_z.template operator()<true, true>() : with_z.template operator()<true, false>();
      else
        folded(1) ? with_z.template operator()<false, true>() : with_z.template operator()<false, false>();
    });
  }

  CudaBackend& device_;
  Cublas cublas_;
  Buffer kept_;
};

}  // namespace

std::size_t products_bytes(const TensorInverse& inverse, Precision precision) {
  return kept_values(inverse) * bytes_of(precision) + Cublas::workspace_bytes;
}

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  return std::make_unique<CudaAxisProducts>(dynamic_cast<CudaBackend&>(backend), layout, precision, inverse);
}

}  // namespace poisson::cuda
