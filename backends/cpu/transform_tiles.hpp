#pragma once

// Implements transform_lines. The build instantiates it for each type in a translation unit of its own
// (backends/CMakeLists.txt).

#include <algorithm>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/cpu/transform_lines.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cpu {

// Stores the values of several lines, which are transformed together.
template <class T>
struct Lanes {
  static constexpr int count = static_cast<int>(64 / sizeof(T));
  T v[count];
};
template <class T, class F>
constexpr Lanes<T> each(const F& f) {
  Lanes<T> result;
  for (int l = 0; l < Lanes<T>::count; ++l) result.v[l] = f(l);
  return result;
}
template <class T>
constexpr Lanes<T> operator+(const Lanes<T>& a, const Lanes<T>& b) {
  return each<T>([&](int l) { return a.v[l] + b.v[l]; });
}
template <class T>
constexpr Lanes<T> operator-(const Lanes<T>& a, const Lanes<T>& b) {
  return each<T>([&](int l) { return a.v[l] - b.v[l]; });
}
template <class T>
constexpr Lanes<T> operator-(const Lanes<T>& a) {
  return each<T>([&](int l) { return -a.v[l]; });
}
template <class T>
constexpr Lanes<T> operator*(T factor, const Lanes<T>& a) {
  return each<T>([&](int l) { return factor * a.v[l]; });
}

template <class T>
struct Buffered {
  Complex<Lanes<T>>* rows;
  Complex<Lanes<T>> get(int row) const { return rows[row]; }
  void set(int row, const Complex<Lanes<T>>& value) const { rows[row] = value; }
};

// Represents up to 2 · count lines of a field as complex numbers: the first half are real parts, the second half
// imaginary parts. Missing lines are zero.
template <class T>
class LineTile {
 public:
  LineTile(std::int64_t first, std::int64_t along, std::int64_t across, int lines)
      : first_(first), along_(along), across_(across), lines_(lines) {}

  Complex<Lanes<T>> get(const T* field, int i) const {
    Complex<Lanes<T>> value;
    const T* at = field + first_ + i * along_;
    if (lines_ == 2 * count && across_ == 1) {
      std::copy(at, at + count, value.re.v);
      std::copy(at + count, at + 2 * count, value.im.v);
    } else {
      for (int l = 0; l < count; ++l) {
        value.re.v[l] = l < lines_ ? at[l * across_] : T(0);
        value.im.v[l] = l + count < lines_ ? at[(l + count) * across_] : T(0);
      }
    }
    return value;
  }
  // Calls f(value of the field, value, line) for every value of row i.
  template <class F>
  void each_of(T* field, int i, const Complex<Lanes<T>>& value, const F& f) const {
    T* at = field + first_ + i * along_;
    if (lines_ == 2 * count && across_ == 1) {
      for (int l = 0; l < count; ++l) f(at[l], value.re.v[l], l);
      for (int l = 0; l < count; ++l) f(at[l + count], value.im.v[l], l + count);
    } else {
      for (int l = 0; l < lines_; ++l) f(at[l * across_], l < count ? value.re.v[l] : value.im.v[l - count], l);
    }
  }

  static constexpr int count = Lanes<T>::count;

 private:
  std::int64_t first_, along_, across_;
  int lines_;
};

// Describes what becomes of the results: they replace the values of the target, are multiplied by `factor` and added to
// them, or are divided by sums of eigenvalues.
template <class T>
struct Output {
  enum class Kind { replace, add, divide };
  Kind kind;
  T* target;
  T factor;
  const T *eigenvalues, *others;  ///< along the lines, and of each line

  // This is a separate function, so that the steps of all transforms are compiled once for all kinds of output.
  [[gnu::noinline]] void put(const LineTile<T>& tile, int i, const Complex<Lanes<T>>& value) const {
    switch (kind) {
      case Kind::replace:
        return tile.each_of(target, i, value, [](T& at, T v, int) { at = v; });
      case Kind::add:
        return tile.each_of(target, i, value, [this](T& at, T v, int) { at += factor * v; });
      case Kind::divide:
        return tile.each_of(target, i, value, [this, own = eigenvalues[i]](T& at, T v, int l) {
          const T divisor = own + others[l];
          at = divisor != 0 ? v / divisor : T(0);
        });
    }
  }
};

template <class T>
void run_passes(const TrigView<T>& w, const Buffered<T>& z) {
  for (int p = 0; p < w.passes; ++p) fourier_pass(w.pass[p], z, w.roots, Team{});
}

template <bool forward, class T>
void transform_tile(const TrigView<T>& w, const Buffered<T>& z, const LineTile<T>& tile, const T* values,
                    const Output<T>& output) {
  const auto in = [&](int i) { return tile.get(values, i); };
  const auto out = [&](int i, const Complex<Lanes<T>>& value) { output.put(tile, i, value); };
  with_kind(w.kind, [&]<TrigKind kind>() {
    if constexpr (forward) {
      each_piece(w.n, [&](auto k) { begin_forward<kind>(w, z, k, in); });
      run_passes(w, z);
      each_piece(w.n, [&](auto k) { end_forward<kind>(w, z, k, out); });
    } else {
      TrigSum<Lanes<T>> sum;
      each_piece(w.n, [&](auto k) { begin_backward<kind>(w, z, k, in, sum); });
      if (kind == TrigKind::cosines) z.set(w.n, sum.value);
      run_passes(w, z);
      each_piece(w.n, [&](auto k) { end_backward<kind>(w, z, k, out); });
    }
  });
}

template <class T>
void transform_lines(const TrigView<T>& trig, int axis, TrigPath path, const View<const T>& from, const View<T>& to,
                     const Scalar* a, const Box& box, const std::array<const T*, 3>& eigenvalues) {
  const auto d = static_cast<std::size_t>(axis);
  const std::size_t fast = d == 0 ? 1 : 0, slow = d == 2 ? 1 : 2;
  const std::array<std::int64_t, 3> stride{1, to.sy, to.sz};
  constexpr int most = 2 * LineTile<T>::count;
  const auto extent = [&](std::size_t e) { return box.last[e] - box.first[e]; };
  const int lines = extent(fast), slows = extent(slow), tiles = divide_up(lines, most);
  const auto eigenvalue = [&](std::size_t e, int m) { return eigenvalues[e] ? eigenvalues[e][m] : T(0); };
  const T* const source = &from(box.first[0], box.first[1], box.first[2]);
  T* const target = &to(box.first[0], box.first[1], box.first[2]);
  const T factor = a ? static_cast<T>(*a->address()) : T(1);
#pragma omp parallel if (box.size() > heavy_threshold)
  {
    std::vector<Complex<Lanes<T>>> rows(static_cast<std::size_t>(trig.rows()));
    const Buffered<T> z{rows.data()};
#pragma omp for collapse(2) schedule(static)
    for (int b = 0; b < slows; ++b)
      for (int t = 0; t < tiles; ++t) {
        const int first = t * most, many = std::min(most, lines - first);
        const LineTile<T> tile(b * stride[slow] + first * stride[fast], stride[d], stride[fast], many);
        const bool trip = path == TrigPath::round_trip;
        T others[most];
        if (trip) {
          for (int l = 0; l < many; ++l) others[l] = eigenvalue(fast, first + l) + eigenvalue(slow, b);
          transform_tile<true>(trig, z, tile, source,
                               Output<T>{Output<T>::Kind::divide, target, factor, eigenvalues[d], others});
        }
        const Output<T> output{a ? Output<T>::Kind::add : Output<T>::Kind::replace, target, factor, nullptr, nullptr};
        if (path == TrigPath::forward)
          transform_tile<true>(trig, z, tile, source, output);
        else
          transform_tile<false>(trig, z, tile, trip ? static_cast<const T*>(target) : source, output);
      }
  }
}

}  // namespace poisson::cpu
