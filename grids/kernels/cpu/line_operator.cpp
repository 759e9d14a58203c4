#include "grids/kernels/cpu/line_operator.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/memory/round_up.hpp"
#include "grids/kernels/cpu/line_bundle.hpp"
#include "grids/kernels/cpu/line_sums.hpp"
#include "grids/kernels/cpu/sweep.hpp"
#include "grids/operators/box_colours.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/colours.hpp"
#include "grids/rows/stencil.hpp"

namespace poisson::cpu {
namespace {

template <class T>
class LineSplitting final : public BoundedSplitting {
 public:
  LineSplitting(const LineOperator<T>& A, const EigenvalueBound& bound, int axis)
      : BoundedSplitting(A, bound, true), A_(A), axis_(axis) {}
  void do_start(double alpha, const Field& b, Field& u) const override { A_.line_start(axis_, alpha, b, u); }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    A_.line_step(axis_, step, u, b, previous);
  }

 private:
  const LineOperator<T>& A_;
  int axis_;
};

}  // namespace

template <class T>
void LineOperator<T>::apply_on(const Box& box, const Field& u, Field& Au) const {
  const View<const T> in = u.view<T>();
  const View<T> out = Au.view<T>();
  sweep_beside(u, box, [&](const Segment& s) { times(s, in, out.line(s.j, s.k)); });
}

template <class T>
void LineOperator<T>::do_diagonal(Field& d) const {
  const View<T> out = d.view<T>();
  sweep(unknowns(), [&](const Segment& s) { diagonal(s, out.line(s.j, s.k)); });
}

template <class T>
void LineOperator<T>::do_residual(const Field& u, const Field& b, Field& r) const {
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  dispatch(r.precision(), [&]<class R>(R) {
    const View<R> out = r.view<R>();
    sweep_beside(u, unknowns(), [&](const Segment& s) {
      R* const to = out.line(s.j, s.k);
      if constexpr (std::is_same_v<R, T>) {
        residual(s, in, rhs.line(s.j, s.k), to);
      } else {
        T* const made = line_scratch<T>(layout().n[0]);
        residual(s, in, rhs.line(s.j, s.k), made);
        std::transform(made + s.first, made + s.last, to + s.first, [](T value) { return static_cast<R>(value); });
      }
    });
  });
}

template <class T>
void LineOperator<T>::do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const {
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  const T factor = static_cast<T>(*scale.address());
  const Box& box = unknowns();
  dispatch(r.precision(), [&]<class R>(R) {
    const View<R> out = r.view<R>();
    *norm.address() = sum_over_lines_beside(backend(), u, box, [&](int j, int k) {
      const Segment s{j, k, box.first[0], box.last[0]};
      R* const to = out.line(j, k);
      double* const terms = line_scratch<double, 1>(layout().n[0]);
      if constexpr (std::is_same_v<R, T>) {
        residual(s, in, rhs.line(j, k), factor, to, terms);
      } else {
        T* const made = line_scratch<T>(layout().n[0]);
        residual(s, in, rhs.line(j, k), factor, made, terms);
        std::transform(made + s.first, made + s.last, to + s.first, [](T value) { return static_cast<R>(value); });
      }
      return sum_of_terms(terms, s.first, s.last);
    });
  });
}

template <class T>
template <class Term>
double LineOperator<T>::sum_with_diagonal(const Field& x, const Term& term) const {
  const View<const T> in = x.view<T>();
  return sum([&](const Segment& s) {
    T* const d = line_scratch<T>(layout().n[0]);
    diagonal(s, d);
    return term_sum(d, in.line(s.j, s.k), s.first, s.last, term);
  });
}

template <class T>
void LineOperator<T>::do_norm(const Field& r, Scalar& norm) const {
  *norm.address() = sum_with_diagonal(r, square_over_diagonal<T>);
}

template <class T>
void LineOperator<T>::do_rounding(const Field& u, Scalar& norm) const {
  *norm.address() = sum_with_diagonal(
      u, [](T d, T x) { return static_cast<double>(d) * static_cast<double>(x) * static_cast<double>(x); });
}

template <class T>
std::unique_ptr<SymmetricSplitting> LineOperator<T>::split_with(const EigenvalueBound& bound,
                                                                std::optional<int> axis) const {
  if (axis) return std::make_unique<LineSplitting<T>>(*this, bound, *axis);
  return std::make_unique<PointSplitting<LineOperator>>(*this, bound);
}

template <class T>
std::unique_ptr<Splitting> LineOperator<T>::split_by_colours() const {
  return std::make_unique<ColourSplitting<LineOperator>>(*this);
}

template <class T>
void LineOperator<T>::point_start(double alpha, const Field& b, Field& u) const {
  const View<const T> rhs = b.view<T>();
  const View<T> out = u.view<T>();
  const T factor = static_cast<T>(alpha);
  sweep(unknowns(), [&](const Segment& s) {
    const T* const from = rhs.line(s.j, s.k);
    T* const to = out.line(s.j, s.k);
    T* const d = line_scratch<T>(layout().n[0]);
    diagonal(s, d);
#pragma omp simd
    for (int i = s.first; i < s.last; ++i) to[i] = factor * (T(1) / d[i]) * from[i];
  });
}

template <class T>
void LineOperator<T>::point_step(PolynomialStep by, const Field& u, const Field& b, Field& previous) const {
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  const View<T> out = previous.view<T>();
  const T alpha = static_cast<T>(by.alpha), beta = static_cast<T>(by.beta);
  sweep_beside(u, unknowns(),
               [&](const Segment& s) { step(s, in, rhs.line(s.j, s.k), alpha, beta, out.line(s.j, s.k)); });
}

/// Gauss–Seidel relaxes colour after colour. A colour has every second value of a line. Loops over such values compile
/// to scalar code or gathers. Vector code therefore computes all values of the line into scratch memory, and only the
/// values of the colour are copied.
template <class T>
void LineOperator<T>::relax_colours(double omega, bool reversed, const Field& b, Field& u) const {
  if (is_star())
    relax_star_colours(static_cast<T>(omega), reversed, b, u);
  else
    relax_box_colours(static_cast<T>(omega), reversed, b, u);
}

/// Does one sweep over the colours of a 5- or 7-point stencil. Results for values of other colours are discarded, since
/// another thread may be relaxing the neighbours of these values.
template <class T>
void LineOperator<T>::relax_star_colours(T omega, bool reversed, const Field& b, Field& u) const {
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  const View<T> out = u.view<T>();
  const auto colours = colours_on<Colours>(space());
  for (int turn = 0; turn < colours.count(); ++turn) {
    const int colour = reversed ? colours.count() - 1 - turn : turn;
    sweep_beside(u, unknowns(), [&](const Segment& s) {
      T* const at = out.line(s.j, s.k);
      T* const made = line_scratch<T>(layout().n[0]);
      relaxed(s, in, rhs.line(s.j, s.k), omega, made);
      const auto own = colours.on_line(colour, s.j, s.k, s.first, s.last);
      for (int i = own.first; i < own.last; i += 2) at[i] = made[i];
    });
  }
}

/// Does one sweep over the colours of a 9- or 27-point stencil. Lines of one colour are not neighbours, and the colours
/// of a line are consecutive. If x is not cut, a line therefore relaxes all its colours in turn and reads its rows
/// once.
template <class T>
void LineOperator<T>::relax_box_colours(T omega, bool reversed, const Field& b, Field& u) const {
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  const View<T> out = u.view<T>();
  const auto colours = colours_on<BoxColours>(space());
  const bool whole_lines = space().part().cuts().count(0) == 1, closed = layout().periodic[0];
  const int nx = layout().n[0], along = whole_lines ? colours.colours[0] : 1;  // colours per pass of a line
  for (int turn = 0; turn < colours.count(); turn += along)
    sweep_beside(u, unknowns(), [&](const Segment& s) {
      const auto own = [&](int t) {
        return colours.on_line(reversed ? colours.count() - 1 - t : t, s.j, s.k, s.first, s.last);
      };
      bool some = false;
      for (int t = turn; t < turn + along; ++t) some = some || own(t).count() > 0;
      if (!some) return;
      T* const at = out.line(s.j, s.k);
      T* const rest = line_scratch<T>(nx, 4);
      T *const before = rest + nx, *const after = before + nx, *const factor = after + nx;
      without_line(s, in, rhs.line(s.j, s.k), omega, rest, before, after, factor);
      for (int t = turn; t < turn + along; ++t) {
        const auto values = own(t);
        for (int i = values.first; i < values.last; i += 2)
          at[i] += factor[i] * (rest[i] - sum_of_products(before[i], at[i] - at[i - 1], after[i], at[i] - at[i + 1]));
        if (closed && whole_lines) {
          at[-1] = at[nx - 1];
          at[nx] = at[0];
        }
      }
    });
}

template <class T>
template <class Right, class Store>
void LineOperator<T>::solve_lines(int axis, const Right& right, const Store& store) const {
  // A bundle contains `width` neighbouring lines along x, or along y if the lines run along x.
  const Box& box = unknowns();
  const std::size_t d = static_cast<std::size_t>(axis), across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
  const bool cyclic = layout().periodic[d];
  constexpr int width = LineBundle<T>::width;
  const int first = box.first[d], n = box.last[d] - first;
  const int bundles = divide_up(box.last[across] - box.first[across], width);
  const int others = box.last[other] - box.first[other];
#pragma omp parallel for collapse(2) schedule(static) if (box.size() > heavy_threshold)
  for (int o = 0; o < others; ++o)
    for (int p = 0; p < bundles; ++p) {
      LineBundle<T>& bundle = LineBundle<T>::of_length(n);
      const int begin = box.first[across] + p * width, lines = std::min(width, box.last[across] - begin);
      const int at = box.first[other] + o;
      if (axis == 0) {
        // Blocks of lines are transposed together, because their entries are adjacent in the bundle.
        constexpr int most = 8;
        const int nx = layout().n[0];
        T* const lower = line_scratch<T>(nx, 4 * most);
        T *const diagonal = lower + most * nx, *const upper = diagonal + most * nx, *const rhs = upper + most * nx;
        for (int block = 0; block < lines; block += most) {
          const int count = std::min(most, lines - block);
          for (int w = 0; w < count; ++w) {
            const Segment s{begin + block + w, at, box.first[0], box.last[0]};
            couplings(s, axis, lower + w * nx, diagonal + w * nx, upper + w * nx);
            right(s, rhs + w * nx);
          }
          for (int t = 0; t < n; ++t)
            for (int w = 0; w < count; ++w) {
              const int from = w * nx + first + t;
              bundle.lower(t)[block + w] = lower[from];
              bundle.diagonal(t)[block + w] = diagonal[from];
              bundle.upper(t)[block + w] = upper[from];
              bundle.rhs(t)[block + w] = rhs[from];
            }
        }
      } else {
        for (int t = 0; t < n; ++t) {
          const Segment s{axis == 1 ? first + t : at, axis == 1 ? at : first + t, begin, begin + lines};
          couplings(s, axis, bundle.lower(t) - begin, bundle.diagonal(t) - begin, bundle.upper(t) - begin);
          right(s, bundle.rhs(t) - begin);
        }
      }
      if (!cyclic && n > 0) {
        std::fill_n(bundle.lower(0), lines, T(0));
        std::fill_n(bundle.upper(n - 1), lines, T(0));
      }
      bundle.solve(lines, cyclic);
      for (int t = 0; t < n; ++t)
        for (int w = 0; w < lines; ++w) {
          if (axis == 0)
            store(first + t, begin + w, at, bundle.rhs(t)[w]);
          else
            store(begin + w, axis == 1 ? first + t : at, axis == 1 ? at : first + t, bundle.rhs(t)[w]);
        }
    }
}

template <class T>
void LineOperator<T>::line_start(int axis, double alpha, const Field& b, Field& u) const {
  const View<const T> rhs = b.view<T>();
  const View<T> out = u.view<T>();
  const T factor = static_cast<T>(alpha);
  solve_lines(
      axis,
      [&](const Segment& s, T* to) {
        const T* const from = rhs.line(s.j, s.k);
        for (int i = s.first; i < s.last; ++i) to[i] = from[i];
      },
      [=](int i, int j, int k, T e) { out(i, j, k) = factor * e; });
}

template <class T>
void LineOperator<T>::line_step(int axis, PolynomialStep by, const Field& u, const Field& b, Field& previous) const {
  backend().exchange(u);
  const View<const T> in = u.view<T>(), rhs = b.view<T>();
  const View<T> out = previous.view<T>();
  const T alpha = static_cast<T>(by.alpha), beta = static_cast<T>(by.beta);
  solve_lines(
      axis, [&](const Segment& s, T* to) { residual(s, in, rhs.line(s.j, s.k), to); },
      [=](int i, int j, int k, T e) {
        const T now = in(i, j, k);
        out(i, j, k) = now + alpha * e + (beta == T(0) ? T(0) : beta * (now - out(i, j, k)));
      });
}

template <class T>
void LineOperator<T>::measure_volume() {
  volume_ = sum([&](const Segment& s) {
    T* const mass = line_scratch<T>(layout().n[0]);
    masses(s, mass);
    double sum = 0;
    for (int i = s.first; i < s.last; ++i) sum += static_cast<double>(mass[i]);
    return sum;
  });
}

template <class T>
double LineOperator<T>::sum_of(const View<const T>& b) const {
  return sum([&](const Segment& s) {
    const T* const from = b.line(s.j, s.k);
    double sum = 0;
    for (int i = s.first; i < s.last; ++i) sum += static_cast<double>(from[i]);
    return sum;
  });
}

template <class T>
void LineOperator<T>::do_project_rhs(Field& b, Scalar& amount) const {
  const View<T> rhs = b.view<T>();
  const double total = sum_of(rhs);
  *amount.address() = total;
  const double share = total / volume_;
  sweep(unknowns(), [&](const Segment& s) {
    T* const at = rhs.line(s.j, s.k);
    T* const mass = line_scratch<T>(layout().n[0]);
    masses(s, mass);
    for (int i = s.first; i < s.last; ++i) at[i] -= static_cast<T>(share * static_cast<double>(mass[i]));
  });
}

template <class T>
void LineOperator<T>::project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const {
  this->timed(traffic("project rhs"), {&b},
              [this, &b, &amount, &before, &after] { do_project_rhs(b, amount, before, after); });
}

// The norms have the bits of do_norm before and after do_project_rhs.
template <class T>
void LineOperator<T>::do_project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const {
  struct Norms {
    double before, after;
  };
  const auto add = [](const Norms& x, const Norms& y) { return Norms{x.before + y.before, x.after + y.after}; };
  const View<T> rhs = b.view<T>();
  const double total = sum_of(rhs), share = total / volume_;
  const Box& box = unknowns();
  const Norms norms = reduce_over_lines(
      space(), box, Norms{0, 0},
      [&](int j, int k) {
        const Segment s{j, k, box.first[0], box.last[0]};
        T* const at = rhs.line(j, k);
        T* const mass = line_scratch<T>(layout().n[0]);
        T* const d = line_scratch<T, 2>(layout().n[0]);
        masses(s, mass);
        diagonal(s, d);
        const auto norm = [&] { return term_sum(d, at, s.first, s.last, square_over_diagonal<T>); };
        const double of_given = norm();
        for (int i = s.first; i < s.last; ++i) at[i] -= static_cast<T>(share * static_cast<double>(mass[i]));
        return Norms{of_given, norm()};
      },
      add);
  *amount.address() = total;
  *before.address() = norms.before;
  *after.address() = norms.after;
}

template <class T>
void LineOperator<T>::do_project_solution(Field& u) const {
  const View<T> values = u.view<T>();
  const double mean = sum([&](const Segment& s) {
                        const T* const from = values.line(s.j, s.k);
                        T* const mass = line_scratch<T>(layout().n[0]);
                        masses(s, mass);
                        double sum = 0;
                        for (int i = s.first; i < s.last; ++i)
                          sum += static_cast<double>(mass[i]) * static_cast<double>(from[i]);
                        return sum;
                      }) /
                      volume_;
  sweep(unknowns(), [&](const Segment& s) {
    T* const at = values.line(s.j, s.k);
    for (int i = s.first; i < s.last; ++i) at[i] -= static_cast<T>(mean);
  });
}

template class LineOperator<float>;
template class LineOperator<double>;

}  // namespace poisson::cpu
