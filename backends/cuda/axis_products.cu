#include <optional>

#include "backends/cuda/cublas.hpp"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/eliminate_lines.hpp"
#include "backends/cuda/factories.hpp"
#include "backends/cuda/transform_lines.hpp"
#include "backends/transforms/axis_transforms.hpp"
#include "backends/transforms/fold.hpp"

namespace poisson::cuda {
namespace {

// Adds the offset of a slab (`lag`) and the sum of an index and its mirror image (`turn`).
struct FoldPlaces : PlacesAlongX {
  int lag[3], turn[3];
};

// Contains a thread's values at all mirrored places of the folded axes.
template <class T, bool x, bool y, bool z, bool back>
struct Mirrored {
  T value[2][2][2];

  __device__ static void fold_values(bool middle, T& lower, T& upper) {
    if (middle)
      fold_middle(lower);
    else
      fold_pair<back>(lower, upper);
  }
  __device__ void fold(bool middle_x, bool middle_y, bool middle_z) {
    if (x)
#pragma unroll
      for (int c = 0; c <= z; ++c)
#pragma unroll
        for (int b = 0; b <= y; ++b) fold_values(middle_x, value[c][b][0], value[c][b][x]);
    if (y)
#pragma unroll
      for (int c = 0; c <= z; ++c)
#pragma unroll
        for (int a = 0; a <= x; ++a) fold_values(middle_y, value[c][0][a], value[c][y][a]);
    if (z)
#pragma unroll
      for (int b = 0; b <= y; ++b)
#pragma unroll
        for (int a = 0; a <= x; ++a) fold_values(middle_z, value[0][b][a], value[z][b][a]);
  }
  // Calls f(value, i, j, k) once for every place: a value in the middle is its own image.
  template <class F>
  __device__ void each(int i, int j, int k, const int* turn, const F& f) {
#pragma unroll
    for (int c = 0; c <= z; ++c)
#pragma unroll
      for (int b = 0; b <= y; ++b)
#pragma unroll
        for (int a = 0; a <= x; ++a)
          if ((!a || 2 * i != turn[0]) && (!b || 2 * j != turn[1]) && (!c || 2 * k != turn[2]))
            f(value[c][b][a], a ? turn[0] - i : i, b ? turn[1] - j : j, c ? turn[2] - k : k);
  }
};

// Folds values of a field into a slab.
template <class T, bool x, bool y, bool z>
struct Fold {
  View<const T> from;
  View<T> to;
  FoldPlaces p;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    Mirrored<T, x, y, z, false> m;
    for (int k = k0; k < k1; ++k) {
      m.each(i, j, k, p.turn, [&](T& value, int a, int b, int c) { value = from(a, b, c); });
      m.fold(2 * i == p.turn[0], 2 * j == p.turn[1], 2 * k == p.turn[2]);
      m.each(i, j, k, p.turn, [&](T value, int a, int b, int c) {
        T* const line = to.line(b - p.lag[1], c - p.lag[2]);
        line[p.of(a) - p.lag[0]] = value;
        if (a == p.values) p.each_beside([&](int beside) { line[beside] = 0; });
      });
    }
  }
};

// Unfolds values of a slab into a field, or adds them times a factor to its values.
template <class T, bool x, bool y, bool z>
struct Unfold {
  View<const T> from;
  View<T> w, to;
  const double* factor;
  FoldPlaces p;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    Mirrored<T, x, y, z, true> m;
    const T a = factor ? static_cast<T>(*factor) : T(1);
    for (int k = k0; k < k1; ++k) {
      m.each(i, j, k, p.turn,
             [&](T& value, int ai, int b, int c) { value = from(p.of(ai) - p.lag[0], b - p.lag[1], c - p.lag[2]); });
      m.fold(2 * i == p.turn[0], 2 * j == p.turn[1], 2 * k == p.turn[2]);
      m.each(i, j, k, p.turn, [&](T value, int ai, int b, int c) {
        if (factor)
          to(ai, b, c) += a * value;
        else
          to(ai, b, c) = value;
        if (ai != p.values) return;
        T* const line = w.line(b, c);
        for (int beside = p.first; beside < p.values; ++beside) line[beside] = 0;
        for (int beside = p.last; beside < p.end; ++beside) line[beside] = 0;
      });
    }
  }
};

// Returns the bytes that elimination stores for lines that are not cut.
std::size_t kept_bytes(const TensorInverse& inverse, Precision precision) {
  const auto s = static_cast<std::size_t>(inverse.solved);
  if (inverse.slabs > 1 || inverse.bases[s].trig) return 0;
  const int n = inverse.unknowns.last[s] - inverse.unknowns.first[s];
  return static_cast<std::size_t>(kept_of_lines(n, inverse.unknowns.size() / n, inverse.bases[s].folded)) *
         bytes_of(precision);
}

class CudaAxisProducts final : public AxisTransforms {
 public:
  CudaAxisProducts(CudaBackend& device, const Layout& layout, Precision precision, const TensorInverse& inverse)
      : AxisTransforms(device, layout, precision, inverse), device_(device) {
    if (has_products()) cublas_.emplace(device);
    if (const std::size_t kept = kept_bytes(inverse, precision); kept > 0) kept_ = device.allocate(kept);
  }

 protected:
  void eliminate(Field& w) override {
    dispatch(precision(), [&]<class T>(T) {
      T* const kept = static_cast<T*>(cut() ? ends().kept() : kept_.data());
      if (folded(solved()))
        eliminate_folded_lines(device_.stream(), lines(w.view<T>()), kept);
      else
        eliminate_lines(device_.stream(), lines(w.view<T>()), cut(), kept);
    });
  }
  void take_mean(Field& w, const ConstantLine& line) override {
    dispatch(precision(), [&]<class T>(T) { cuda::take_mean(device_.stream(), lines(w.view<T>()), line); });
  }
  void reduce(Field& w, int first) override {
    dispatch(precision(), [&]<class T>(T) {
      const Lines<T> some = batch(w.view<T>(), first);
      reduce_lines(device_.stream(), some, ends().sent<T>(some.lanes));
    });
  }
  void solve_ends(std::int64_t lines) override {
    dispatch(precision(), [&]<class T>(T) { cuda::solve_ends(device_.stream(), ends().systems<T>(lines)); });
  }
  void take_ends(Field& w, int first) override {
    dispatch(precision(), [&]<class T>(T) {
      const Lines<T> some = batch(w.view<T>(), first);
      cuda::take_ends<T>(device_.stream(), some, ends().ends<T>(some.lanes));
    });
  }
  void transform(const TrigTables& trig, int axis, TrigPath path, const Field& from, Field& to,
                 const Scalar* a) override {
    dispatch(precision(), [&]<class T>(T) {
      std::array<const T*, 3> values{};
      for (int d = 0; d < 3; ++d) values[static_cast<std::size_t>(d)] = static_cast<const T*>(eigenvalues(d));
      transform_lines<T>(device_.stream(), trig.view<T>(), axis, path, from.view<T>(), to.view<T>(), a, box(), values);
    });
  }
  void fold(const Field& w, Field& slab, const Box& at, int lag) override {
    dispatch(precision(), [&]<class T>(T) {
      with_axes([&](int d) { return folds(d); },
                [&]<bool x, bool y, bool z>() {
                  for_columns(device_.stream(), lower(at, x, y, z),
                              Fold<T, x, y, z>{w.view<T>(), slab.view<T>(), fold_places(lag)});
                });
    });
  }
  void unfold(Field& slab, Field& w, const Box& at, int lag, Field& to, const Scalar* a) override {
    dispatch(precision(), [&]<class T>(T) {
      with_axes([&](int d) { return folds(d); },
                [&]<bool x, bool y, bool z>() {
                  for_columns(device_.stream(), lower(at, x, y, z),
                              Unfold<T, x, y, z>{slab.view<T>(), w.view<T>(), to.view<T>(), a ? a->address() : nullptr,
                                                 fold_places(lag)});
                });
    });
  }
  void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) override {
    cublas_->multiply(device_.stream(), shape(batch), a, b, c);
  }
  void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) override {
    cublas_->multiply(device_.stream(), shape(batch), a, b, c);
  }

 private:
  static Cublas::Shape shape(const MatrixBatch& s) {
    return {
        s.transpose_a,           s.transpose_b,           s.m,       s.n,        s.k,        static_cast<int>(s.lda),
        static_cast<int>(s.ldb), static_cast<int>(s.ldc), s.batches, s.stride_a, s.stride_b, s.stride_c};
  }

  FoldPlaces fold_places(int lag) const {
    FoldPlaces p{places(), {}, {}};
    p.lag[solved()] = lag;
    for (std::size_t d = 0; d < 3; ++d) p.turn[d] = box().first[d] + box().last[d] - 1;
    return p;
  }
  // Returns the box of the lower mirrored values, including the values in the middle.
  Box lower(Box at, bool x, bool y, bool z) const {
    const bool of[3]{x, y, z};
    for (std::size_t d = 0; d < 3; ++d)
      if (of[d]) at.last[d] = at.first[d] + (count(static_cast<int>(d)) + 1) / 2;
    return at;
  }
  // Calls f<x, y, z>() with is(axis) of each axis.
  template <class Is, class F>
  static void with_axes(const Is& is, const F& f) {
    const auto with_z = [&]<bool x, bool y>() {
      is(2) ? f.template operator()<x, y, true>() : f.template operator()<x, y, false>();
    };
    if (is(0))
      is(1) ? with_z.template operator()<true, true>() : with_z.template operator()<true, false>();
    else
      is(1) ? with_z.template operator()<false, true>() : with_z.template operator()<false, false>();
  }

  CudaBackend& device_;
  std::optional<Cublas> cublas_;  ///< exists if matrices are multiplied
  Buffer kept_;                   ///< for uncut lines
};

}  // namespace

std::size_t products_bytes(const TensorInverse& inverse, Precision precision, bool multiplies) {
  return kept_bytes(inverse, precision) + (multiplies ? Cublas::workspace_bytes : 0);
}

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  return std::make_unique<CudaAxisProducts>(dynamic_cast<CudaBackend&>(backend), layout, precision, inverse);
}

}  // namespace poisson::cuda
