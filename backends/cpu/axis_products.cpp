#include "backends/cpu/eliminate_lines.hpp"
#include "backends/cpu/factories.hpp"
#include "backends/cpu/launch.hpp"
#include "backends/cpu/transform_lines.hpp"
#include "backends/transforms/axis_transforms.hpp"
#include "backends/transforms/blas.hpp"
#include "backends/transforms/fold.hpp"

namespace poisson::cpu {
namespace {

class CpuAxisProducts final : public AxisTransforms {
 public:
  CpuAxisProducts(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse)
      : AxisTransforms(backend, layout, precision, inverse), blas_(has_products() ? &Blas::get() : nullptr) {}

 protected:
  void eliminate(Field& w) override {
    dispatch(precision(), [&]<class T>(T) {
      folded(solved()) ? cpu::eliminate_folded(lines(w.view<T>())) : cpu::eliminate(lines(w.view<T>()), cut());
    });
  }
  void take_mean(Field& w, const ConstantLine& line) override {
    dispatch(precision(), [&]<class T>(T) { cpu::take_mean(lines(w.view<T>()), line); });
  }
  void reduce(Field& w, int first) override {
    dispatch(precision(), [&]<class T>(T) {
      const Lines<T> some = batch(w.view<T>(), first);
      cpu::reduce(some, ends().sent<T>(some.lanes));
    });
  }
  void solve_ends(std::int64_t lines) override {
    dispatch(precision(), [&]<class T>(T) { cpu::solve_ends(ends().systems<T>(lines)); });
  }
  void take_ends(Field& w, int first) override {
    dispatch(precision(), [&]<class T>(T) {
      const Lines<T> some = batch(w.view<T>(), first);
      cpu::take_ends<T>(some, ends().ends<T>(some.lanes));
    });
  }
  void transform(const TrigTables& trig, int axis, TrigPath path, const Field& from, Field& to,
                 const Scalar* a) override {
    dispatch(precision(), [&]<class T>(T) {
      std::array<const T*, 3> values{};
      for (int d = 0; d < 3; ++d) values[static_cast<std::size_t>(d)] = static_cast<const T*>(eigenvalues(d));
      transform_lines<T>(trig.view<T>(), axis, path, from.view<T>(), to.view<T>(), a, box(), values);
    });
  }
  // The values are copied first and then folded in the slab.
  void fold(const Field& w, Field& slab, const Box& at, int lag) override {
    dispatch(precision(), [&]<class T>(T) {
      const View<const T> from = w.view<T>();
      const View<T> to = slab.view<T>();
      for_each_line(at, [&](int j, int k) {
        const T* line = from.line(j, k);
        T* target = line_of(to, j, k, lag);
        const int places_lag = solved() == 0 ? lag : 0;
        for (int i = at.first[0]; i < at.last[0]; ++i) target[places().of(i) - places_lag] = line[i];
        places().each_beside([&](int beside) { target[beside] = 0; });
      });
      for (int d = 0; d < 3; ++d)
        if (folds(d)) fold_axis<false>(to, d, at, lag);
    });
  }
  void unfold(Field& slab, Field& w, const Box& at, int lag, Field& u, const Scalar* a) override {
    dispatch(precision(), [&]<class T>(T) {
      const View<T> from = slab.view<T>(), beside = w.view<T>(), to = u.view<T>();
      for (int d = 0; d < 3; ++d)
        if (folds(d)) fold_axis<true>(from, d, at, lag);
      const int places_lag = solved() == 0 ? lag : 0;
      for_each_line(at, [&](int j, int k) {
        const T* line = line_of(from, j, k, lag);
        T* zeros = beside.line(j, k);
        for (int i = places().first; i < box().first[0]; ++i) zeros[i] = 0;
        for (int i = box().last[0]; i < places().end; ++i) zeros[i] = 0;
        put(to.line(j, k), at, a, [&](int i) { return line[places().of(i) - places_lag]; });
      });
    });
  }
  void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) override {
    multiply_batch(batch, a, b, c);
  }
  void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) override {
    multiply_batch(batch, a, b, c);
  }

 private:
  // Writes values to a line, or adds a times the values.
  template <class T, class Value>
  static void put(T* line, const Box& at, const Scalar* a, const Value& value) {
    if (!a) {
      for (int i = at.first[0]; i < at.last[0]; ++i) line[i] = value(i);
      return;
    }
    const T factor = static_cast<T>(*a->address());
    for (int i = at.first[0]; i < at.last[0]; ++i) line[i] += factor * value(i);
  }
  template <class T>
  void multiply_batch(const MatrixBatch& s, const T* a, const T* b, T* c) const {
    for (int batch = 0; batch < s.batches; ++batch)
      blas_->multiply(s.transpose_a, s.transpose_b, s.m, s.n, s.k, a + batch * s.stride_a, static_cast<int>(s.lda),
                      b + batch * s.stride_b, static_cast<int>(s.ldb), c + batch * s.stride_c, static_cast<int>(s.ldc));
  }

  template <class T>
  T* line_of(const View<T>& slab, int j, int k, int lag) const {
    return slab.line(j - (solved() == 1 ? lag : 0), k - (solved() == 2 ? lag : 0));
  }

  // Folds values of a slab along an axis that is not the solved one.
  template <bool back, class T>
  void fold_axis(const View<T>& v, int d, const Box& at, int lag) const {
    const auto axis = static_cast<std::size_t>(d);
    const int turn = box().first[axis] + box().last[axis] - 1;  // sum of an index and its mirror image
    const int places_lag = solved() == 0 ? lag : 0;
    const auto place = [&](int i) { return places().of(i) - places_lag; };
    Box lower = at;
    lower.last[axis] = lower.first[axis] + count(d) / 2;
    for_each_line(lower, [&](int j, int k) {
      T* line = line_of(v, j, k, lag);
      T* image = line_of(v, d == 1 ? turn - j : j, d == 2 ? turn - k : k, lag);
      for (int i = lower.first[0]; i < lower.last[0]; ++i)
        fold_pair<back>(line[place(i)], image[place(d == 0 ? turn - i : i)]);
    });
    if (count(d) % 2 == 0) return;
    Box middle = at;
    middle.first[axis] = turn / 2;
    middle.last[axis] = middle.first[axis] + 1;
    for_each_line(middle, [&](int j, int k) {
      T* line = line_of(v, j, k, lag);
      for (int i = middle.first[0]; i < middle.last[0]; ++i) fold_middle(line[place(i)]);
    });
  }

  const Blas* blas_;  ///< null without products
};

}  // namespace

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  return std::make_unique<CpuAxisProducts>(backend, layout, precision, inverse);
}

}  // namespace poisson::cpu
