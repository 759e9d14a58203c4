#pragma once

#include "backends/waves/fourier.hpp"
#include "backends/waves/wave_kind.hpp"

/// Transforms of lines to the coefficients of their modes and back, by one Fourier transform of the length N. Real
/// lines go two by two as the real and imaginary part of a complex one: every step is linear with real factors.
/// Free of the standard library, like fourier.hpp.
namespace poisson {

/// What the steps look up. Position and frequency of a coefficient are those of wave_tables.hpp.
template <class T>
struct WaveView {
  static constexpr int most_passes = 16;
  WaveKind kind;
  bool lower_dirichlet;
  int n;  ///< N
  int passes, radix[most_passes];
  const Complex<T>* roots;  ///< e^(−2πi q/N), q < N
  const Complex<T>* turns;  ///< cos and sin(πk/2N), k ≤ N/2 + 1
  const T* divisors;        ///< of sines and cosines 1/(4 sin(πj/N)), of mixed cells 1/(2 cos(π(2j+1)/4N))
  const T* weights;         ///< what makes vᵀMv = 1 of each coefficient's mode
  const int* places;        ///< where frequency k stands after the passes, k < N

  /// Rows of a line while it is transformed: its values, and of cosines one more.
  constexpr int rows() const { return n + (kind == WaveKind::cosines ? 1 : 0); }
  /// Pieces of work in begin and end.
  constexpr int pieces() const { return n / 2 + 1; }
};

/// Σ v_j cos(2πjk/N) and Σ v_j sin(2πjk/N), from what a Fourier transform left.
template <class V>
struct CosineSine {
  Complex<V> cosine, sine;
};
template <class T, class Line>
constexpr auto cosine_and_sine(const WaveView<T>& w, const Line& z, int k) {
  const int wrapped = k < w.n ? k : k - w.n;
  const auto a = z.get(w.places[wrapped]), b = z.get(w.places[wrapped == 0 ? 0 : w.n - wrapped]);
  return CosineSine<decltype(a.re)>{scaled(T(0.5), a + b), scaled(T(0.5), turned(a - b))};
}

/// Puts Σ_k c_k cos(2πjk/N) + s_k sin(2πjk/N) where the Fourier transform will find it, for a k ≤ N/2.
template <class T, class Line, class V>
constexpr void put_frequency(const WaveView<T>& w, const Line& z, int k, const Complex<V>& c, const Complex<V>& s) {
  if (k == 0 || 2 * k == w.n) return z.set(k, c);
  const Complex<V> half_c = scaled(T(0.5), c), half_s = turned(scaled(T(0.5), s));
  z.set(k, half_c + half_s);
  z.set(w.n - k, half_c - half_s);
}

// Cells (DCT-II) and back (DCT-III), after Makhoul, IEEE Trans. ASSP 28, 1980: even values, then odd ones from the end.

/// The coefficients k and N − k of cos(πk(2j+1)/2N).
template <class V>
struct Mirrored {
  Complex<V> lower, upper;
};
template <class T, class Line>
constexpr auto cell_coefficients(const WaveView<T>& w, const Line& z, int k) {
  const auto [c, s] = cosine_and_sine(w, z, k);
  const Complex<T> turn = w.turns[k];
  return Mirrored<decltype(c.re)>{scaled(turn.re, c) - scaled(turn.im, s), scaled(turn.im, c) + scaled(turn.re, s)};
}
template <class T, class Line, class V>
constexpr void put_cell_coefficients(const WaveView<T>& w, const Line& z, int k, const Complex<V>& lower,
                                     const Complex<V>& upper) {
  const Complex<T> turn = w.turns[k];
  if (k == 0) return z.set(0, lower);
  if (2 * k == w.n) return z.set(k, scaled(turn.re, lower));
  put_frequency(w, z, k, scaled(turn.re, lower) + scaled(turn.im, upper),
                scaled(turn.re, upper) - scaled(turn.im, lower));
}
template <class T, class Line, class In>
constexpr void put_cells(const WaveView<T>& w, const Line& z, int j, const In& in) {
  if (2 * j < w.n) z.set(j, in(2 * j));
  if (2 * j + 1 < w.n) z.set(w.n - 1 - j, in(2 * j + 1));
}
template <class T, class Line, class Out>
constexpr void take_cells(const WaveView<T>& w, const Line& z, int j, const Out& out) {
  if (2 * j < w.n) out(2 * j, z.get(w.places[j]));
  if (2 * j + 1 < w.n) out(2 * j + 1, z.get(w.places[w.n - 1 - j]));
}

/// Sines and cosines at nodes (DST-I, DCT-I): waves of even k have the period N, and of the odd ones 2 sin(πj/N)
/// times them is a difference of two of these. Coefficients of even k come first.
constexpr int even_waves(WaveKind kind, int n) {
  return kind == WaveKind::sines ? (n - 1) / 2 : n / 2 + 1;
}

/// f.template operator()<kind>() of the kind that it is.
template <class F>
constexpr void with_kind(WaveKind kind, const F& f) {
  switch (kind) {
    case WaveKind::none:
      return;
    case WaveKind::periodic:
      return f.template operator()<WaveKind::periodic>();
    case WaveKind::sines:
      return f.template operator()<WaveKind::sines>();
    case WaveKind::cosines:
      return f.template operator()<WaveKind::cosines>();
    case WaveKind::cells:
      return f.template operator()<WaveKind::cells>();
    case WaveKind::mixed_nodes:
      return f.template operator()<WaveKind::mixed_nodes>();
    case WaveKind::mixed_cells:
      return f.template operator()<WaveKind::mixed_cells>();
  }
}

/// What begin of all pieces adds up: only cosines have need of it, on the way back.
template <class V>
struct WaveSum {
  Complex<V> value{};
};

/// Piece k of w.pieces() before the passes of a transform to coefficients: in(i), i < values, into the line.
template <WaveKind kind, class T, class Line, class In>
constexpr void begin_forward(const WaveView<T>& w, const Line& z, int k, const In& in) {
  const int n = w.n, values = kind == WaveKind::cosines ? n + 1 : n;
  switch (kind) {
    case WaveKind::none:
      break;
    case WaveKind::periodic:
      z.set(k, in(k));
      if (k > 0 && k < n - k) z.set(n - k, in(n - k));
      break;
    case WaveKind::sines: {
      if (k == 0) return z.set(0, {});
      const auto a = in(k - 1), b = in(n - k - 1);
      const auto even = scaled(w.divisors[k], a + b), odd = scaled(T(0.5), a - b);
      z.set(k, even + odd);
      if (k < n - k) z.set(n - k, even - odd);
      break;
    }
    case WaveKind::cosines: {
      const auto a = in(k), b = in(n - k);
      if (k == 0) {
        z.set(0, a + b);
        z.set(n, a - b);
        return;
      }
      const auto even = scaled(T(0.5), a + b), odd = scaled(w.divisors[k], a - b);
      z.set(k, even + odd);
      if (k < n - k) z.set(n - k, even - odd);
      break;
    }
    case WaveKind::cells:
      put_cells(w, z, k, [&](int j) { return w.lower_dirichlet && j % 2 == 1 ? scaled(T(-1), in(j)) : in(j); });
      break;
    case WaveKind::mixed_nodes: {
      const auto at = [&](int i) { return in(w.lower_dirichlet ? values - 1 - i : i); };
      put_cell_coefficients(w, z, k, at(k), at(k == 0 ? 0 : n - k));
      break;
    }
    case WaveKind::mixed_cells:
      put_cells(w, z, k, [&](int j) { return scaled(w.divisors[j], in(w.lower_dirichlet ? values - 1 - j : j)); });
      break;
  }
}

/// Piece k after the passes: out(position, coefficient).
template <WaveKind kind, class T, class Line, class Out>
constexpr void end_forward(const WaveView<T>& w, const Line& z, int k, const Out& put) {
  const int n = w.n;
  const auto out = [&](int position, const auto& value) { put(position, scaled(w.weights[position], value)); };
  switch (kind) {
    case WaveKind::none:
      break;
    case WaveKind::periodic: {
      const auto [c, s] = cosine_and_sine(w, z, k);
      out(k, c);
      if (k > 0 && k < n - k) out(n - k, s);
      break;
    }
    case WaveKind::sines: {
      const auto here = cosine_and_sine(w, z, k);
      const int evens = even_waves(kind, n);
      if (k > 0 && 2 * k < n) out(k - 1, here.sine);
      if (2 * k + 1 < n) out(evens + k, here.cosine - cosine_and_sine(w, z, k + 1).cosine);
      break;
    }
    case WaveKind::cosines: {
      const auto here = cosine_and_sine(w, z, k);
      const int evens = even_waves(kind, n);
      out(k, here.cosine);
      if (2 * k + 1 <= n) out(evens + k, z.get(n) + cosine_and_sine(w, z, k + 1).sine - here.sine);
      break;
    }
    case WaveKind::cells: {
      const auto [lower, upper] = cell_coefficients(w, z, k);
      out(k, lower);
      if (k > 0 && k < n - k) out(n - k, upper);
      break;
    }
    case WaveKind::mixed_nodes:
      take_cells(w, z, k, out);
      break;
    case WaveKind::mixed_cells: {
      if (2 * k >= n) return;
      const auto here = cell_coefficients(w, z, k), next = cell_coefficients(w, z, k + 1);
      out(k, here.lower + next.lower);
      if (k < n - 1 - k) out(n - 1 - k, next.upper + here.upper);
      break;
    }
  }
}

/// Piece k before the passes of the way back: in(position). What the pieces add to `sum` has to stand in row N behind
/// them where the kind is cosines.
template <WaveKind kind, class T, class Line, class In, class V>
constexpr void begin_backward(const WaveView<T>& w, const Line& z, int k, const In& in, WaveSum<V>& sum) {
  const int n = w.n;
  switch (kind) {
    case WaveKind::none:
      break;
    case WaveKind::periodic:
      put_frequency(w, z, k, in(k), k > 0 && k < n - k ? in(n - k) : Complex<V>{});
      break;
    case WaveKind::sines: {
      const int evens = even_waves(kind, n);
      const auto odd = [&](int m) { return m >= 0 && 2 * m + 1 < n ? in(evens + m) : Complex<V>{}; };
      put_frequency(w, z, k, odd(k) - odd(k - 1), k > 0 && 2 * k < n ? in(k - 1) : Complex<V>{});
      break;
    }
    case WaveKind::cosines: {
      const int evens = even_waves(kind, n);
      const auto odd = [&](int m) { return m >= 0 && 2 * m + 1 <= n ? in(evens + m) : Complex<V>{}; };
      const Complex<V> here = odd(k);
      sum.value = sum.value + here;
      // Frequency (N + 1)/2 of odd N is −(N − 1)/2.
      const Complex<V> step = odd(k - 1) - here;
      put_frequency(w, z, k, in(k), 2 * k + 1 == n ? step - here : step);
      break;
    }
    case WaveKind::cells:
      put_cell_coefficients(w, z, k, in(k), in(k == 0 ? 0 : n - k));
      break;
    case WaveKind::mixed_nodes:
      put_cells(w, z, k, in);
      break;
    case WaveKind::mixed_cells: {
      const auto pair = [&](int m) { return m == 0 ? in(0) : in(m) + in(m - 1); };
      put_cell_coefficients(w, z, k, pair(k), pair(k == 0 ? 0 : n - k));
      break;
    }
  }
}

/// Piece k after the passes of the way back: put(i, value).
template <WaveKind kind, class T, class Line, class Out>
constexpr void end_backward(const WaveView<T>& w, const Line& z, int k, const Out& put) {
  const int n = w.n;
  const auto value = [&](int j) { return z.get(w.places[j]); };
  switch (kind) {
    case WaveKind::none:
      break;
    case WaveKind::periodic:
      put(k, value(k));
      if (k > 0 && k < n - k) put(n - k, value(n - k));
      break;
    case WaveKind::sines: {
      if (k == 0) return;
      const auto a = value(k), b = value(n - k);
      const auto even = scaled(w.divisors[k], a + b), odd = scaled(T(0.5), a - b);
      put(k - 1, even + odd);
      if (k < n - k) put(n - k - 1, even - odd);
      break;
    }
    case WaveKind::cosines: {
      if (k == 0) {
        const auto sum = z.get(n);
        put(0, value(0) + sum);
        put(n, value(0) - sum);
        return;
      }
      const auto a = value(k), b = value(n - k);
      const auto even = scaled(T(0.5), a + b), odd = scaled(w.divisors[k], a - b);
      put(k, even + odd);
      if (k < n - k) put(n - k, even - odd);
      break;
    }
    case WaveKind::cells:
      take_cells(w, z, k,
                 [&](int j, const auto& v) { put(j, w.lower_dirichlet && j % 2 == 1 ? scaled(T(-1), v) : v); });
      break;
    case WaveKind::mixed_nodes: {
      const auto [lower, upper] = cell_coefficients(w, z, k);
      const auto at = [&](int i) { return w.lower_dirichlet ? n - 1 - i : i; };
      put(at(k), lower);
      if (k > 0 && k < n - k) put(at(n - k), upper);
      break;
    }
    case WaveKind::mixed_cells:
      take_cells(w, z, k,
                 [&](int j, const auto& v) { put(w.lower_dirichlet ? n - 1 - j : j, scaled(w.divisors[j], v)); });
      break;
  }
}

}  // namespace poisson
