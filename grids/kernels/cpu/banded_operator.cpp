#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/operators/banded_base.hpp"

namespace poisson::cpu {
namespace {

/// `BandedOperator` implements the verbs of a banded operator on the CPU. Each line is computed link by link: every
/// pass over the line is vector code, and the sums stay in the L1 cache.
template <class T>
class BandedOperator final : public BandedBase<T, BandedOperator<T>> {
  using Base = BandedBase<T, BandedOperator>;
  using Base::layout_, Base::space_, Base::unknowns_, Base::within_, Base::links_, Base::offsets_, Base::guarded_,
      Base::diagonal_, Base::sum_, Base::largest_, Base::exchange;
  using typename Base::Link;

 public:
  BandedOperator(Backend& backend, const Bands& bands)
      : Base(backend, bands), colours_(layout_, offsets_), shape_(diagonal_.template view<T>()) {
    // D is stored for all values, including Dirichlet nodes; Gershgorin's bound covers the unknowns.
    for_each_line(layout_.box(), [&](int j, int k) {
      T* d = diagonal_.template view<T>().line(j, k);
      std::copy_n(sum_line(j, k), layout_.n[0], d);
      for_each_link(j, k, 0, layout_.n[0], [&](const Link& l, const T* entry, int first, int last) {
        (void)l;
        for (int i = first; i < last; ++i) d[i] += entry[i];
      });
    });
    const double most = max_over_lines(unknowns_, 0, [&](int j, int k) {
      std::vector<double> sum(static_cast<std::size_t>(layout_.n[0]));
      const T* d = diagonal_line(j, k);
      for (int i = 0; i < layout_.n[0]; ++i) sum[static_cast<std::size_t>(i)] = std::abs(static_cast<double>(d[i]));
      for_each_link(j, k, 0, layout_.n[0], [&](const Link&, const T* entry, int first, int last) {
        for (int i = first; i < last; ++i) sum[static_cast<std::size_t>(i)] += std::abs(static_cast<double>(entry[i]));
      });
      double largest = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
        largest = std::max(largest, sum[static_cast<std::size_t>(i)] / static_cast<double>(d[i]));
      return largest;
    });
    largest_ = space_.processes().largest(most);
  }

  void do_apply(const Field& u, Field& Au) const override { apply_on(unknowns_, u, Au); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { apply_on(layout_.box(), u, Au); }

  void do_diagonal(Field& d) const override {
    const auto out = d.view<T>();
    for_each_line(unknowns_, [&](int j, int k) {
      std::copy(diagonal_line(j, k) + unknowns_.first[0], diagonal_line(j, k) + unknowns_.last[0],
                out.line(j, k) + unknowns_.first[0]);
    });
  }

  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      const auto rhs = b.view<T>();
      const auto out = r.view<R>();
      lines(unknowns_, u, [&](int j, int k, const T* Au) {
        const T* from = rhs.line(j, k);
        R* to = out.line(j, k);
        for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) to[i] = static_cast<R>(from[i] - Au[i]);
      });
    });
  }

  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    exchange(u);
    dispatch(r.precision(), [&]<class R>(R) {
      const auto vu = u.view<T>();
      const auto rhs = b.view<T>();
      const auto out = r.view<R>();
      const T s = static_cast<T>(*scale.address());
      *norm.address() = sum_over_lines(space_, unknowns_, [&](int j, int k) {
        const T* Au = product(vu, j, k, unknowns_.first[0], unknowns_.last[0]);
        const T* from = rhs.line(j, k);
        const T* d = diagonal_line(j, k);
        R* to = out.line(j, k);
        double sum = 0;
        for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) {
          const T value = from[i] - Au[i];
          to[i] = static_cast<R>(s * value);
          sum += static_cast<double>(value * value * (T(1) / d[i]));
        }
        return sum;
      });
    });
  }

  void do_norm(const Field& r, Scalar& norm) const override {
    const auto view = r.view<T>();
    *norm.address() = sum_over_lines(space_, unknowns_, [&](int j, int k) {
      const T* d = diagonal_line(j, k);
      double sum = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
        sum += static_cast<double>(view(i, j, k) * view(i, j, k) * (T(1) / d[i]));
      return sum;
    });
  }

  void do_rounding(const Field& u, Scalar& norm) const override {
    const auto view = u.view<T>();
    *norm.address() = sum_over_lines(space_, unknowns_, [&](int j, int k) {
      const T* d = diagonal_line(j, k);
      double sum = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
        sum += static_cast<double>(d[i]) * static_cast<double>(view(i, j, k)) * static_cast<double>(view(i, j, k));
      return sum;
    });
  }

  void point_start(double alpha, const Field& b, Field& u) const {
    const auto rhs = b.view<T>();
    const auto out = u.view<T>();
    const T factor = static_cast<T>(alpha);
    for_each_line(unknowns_, [&](int j, int k) {
      const T* d = diagonal_line(j, k);
      const T* from = rhs.line(j, k);
      T* to = out.line(j, k);
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) to[i] = factor * (T(1) / d[i]) * from[i];
    });
  }

  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    const auto vu = u.view<T>();
    const auto rhs = b.view<T>();
    const auto out = previous.view<T>();
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    lines(unknowns_, u, [&](int j, int k, const T* Au) {
      const T* d = diagonal_line(j, k);
      const T* from = rhs.line(j, k);
      const T* now = vu.line(j, k);
      T* to = out.line(j, k);
      if (beta == T(0))  // the previous iterate may be undefined, even infinite
        for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
          to[i] = now[i] + alpha * (T(1) / d[i]) * (from[i] - Au[i]);
      else
        for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i)
          to[i] = now[i] + alpha * (T(1) / d[i]) * (from[i] - Au[i]) + beta * (now[i] - to[i]);
    });
  }

  void relax_colours(double omega, bool reversed, const Field& b, Field& u) const {
    const auto vu = u.view<T>();
    const auto rhs = b.view<T>();
    const T w = static_cast<T>(omega);
    for (int c = 0; c < colours_.count(); ++c) {
      exchange(u);
      const ColourBox own = colours_.box(reversed ? colours_.count() - 1 - c : c, unknowns_);
      for_each_line(Box{{0, 0, 0}, {own.count(0), own.count(1), own.count(2)}}, [&](int tj, int tk) {
        const int j = own.line(1, tj), k = own.line(2, tk), step = own.step[0];
        const int begin = own.start(j, k), end = unknowns_.last[0];
        T* at = vu.line(j, k);
        const T* s = sum_line(j, k);
        T* Au = scratch();
        for (int i = begin; i < end && i < own.last[0]; i += step) Au[i] = s[i] * at[i];
        for_each_link(j, k, begin, std::min(end, own.last[0]), [&](const Link& l, const T* entry, int first, int last) {
          if (first > begin) first = begin + round_up(first - begin, step);
          const T* there = at + l.shift;
          for (int i = first; i < last; i += step) Au[i] += entry[i] * (at[i] - there[i]);
        });
        const T* d = diagonal_line(j, k);
        const T* from = rhs.line(j, k);
        for (int i = begin; i < end && i < own.last[0]; i += step) at[i] += w * (T(1) / d[i]) * (from[i] - Au[i]);
      });
    }
  }

  void do_project_rhs(Field& b, Scalar& amount) const override {
    *amount.address() = sum_of(b);
    subtract(b, *amount.address() / Base::count());
  }
  void do_project_solution(Field& u) const override { subtract(u, sum_of(u) / Base::count()); }

 private:
  const T* diagonal_line(int j, int k) const { return diagonal_.template view<T>().line(j, k); }
  const T* sum_line(int j, int k) const { return sum_->template view<T>().line(j, k); }

  // Calls f(link, its entries on the line, first, last) for every link, over the values whose neighbours exist.
  template <class F>
  void for_each_link(int j, int k, int first, int last, const F& f) const {
    const std::int64_t line = j * shape_.sy + k * shape_.sz;
    for (const Link& l : links_) {
      int begin = first, end = last;
      if (guarded_) {
        const auto there = [&](std::size_t d, int at) { return at >= within_.first[d] && at < within_.last[d]; };
        if (!there(1, j + l.dy) || !there(2, k + l.dz)) continue;
        begin = std::max(first, within_.first[0] - l.dx);
        end = std::min(last, within_.last[0] - l.dx);
      }
      f(l, l.band + l.at + line, begin, end);
    }
  }

  T* scratch() const {
    thread_local std::vector<T> memory;
    if (memory.size() < static_cast<std::size_t>(layout_.n[0])) memory.resize(static_cast<std::size_t>(layout_.n[0]));
    return memory.data();
  }

  // Returns A u on a line, in the thread's scratch memory.
  const T* product(const View<const T>& u, int j, int k, int first, int last) const {
    T* Au = scratch();
    const T* at = u.line(j, k);
    const T* s = sum_line(j, k);
    for (int i = first; i < last; ++i) Au[i] = s[i] * at[i];
    for_each_link(j, k, first, last, [&](const Link& l, const T* entry, int begin, int end) {
      const T* there = at + l.shift;
#pragma omp simd
      for (int i = begin; i < end; ++i) Au[i] += entry[i] * (at[i] - there[i]);
    });
    return Au;
  }

  template <class F>
  void lines(const Box& box, const Field& u, const F& f) const {
    exchange(u);
    const auto view = u.view<T>();
    for_each_line(box, [&](int j, int k) { f(j, k, product(view, j, k, box.first[0], box.last[0])); });
  }

  void apply_on(const Box& box, const Field& u, Field& Au) const {
    const auto out = Au.view<T>();
    lines(box, u, [&](int j, int k, const T* line) {
      std::copy(line + box.first[0], line + box.last[0], out.line(j, k) + box.first[0]);
    });
  }

  double sum_of(const Field& x) const {
    const auto view = x.view<T>();
    return sum_over_lines(space_, unknowns_, [&](int j, int k) {
      double sum = 0;
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) sum += static_cast<double>(view(i, j, k));
      return sum;
    });
  }
  void subtract(Field& x, double value) const {
    const auto view = x.view<T>();
    for_each_line(unknowns_, [&](int j, int k) {
      for (int i = unknowns_.first[0]; i < unknowns_.last[0]; ++i) view(i, j, k) -= static_cast<T>(value);
    });
  }

  BandColours colours_;
  View<const T> shape_;
};

}  // namespace

std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Operator> {
    return std::make_unique<BandedOperator<T>>(backend, bands);
  });
}

}  // namespace poisson::cpu
