#pragma once

#include "backends/transforms/fourier.hpp"
#include "backends/transforms/trig_kind.hpp"

/// Transforms lines to the coefficients of their modes and back, by one Fourier transform of length N. Two real lines
/// form the real and imaginary part of a complex one, because every step is linear with real factors. Like fourier.hpp,
/// these functions use nothing of the standard library.
namespace poisson {

/// Refers to the tables of the steps. trig_tables.hpp defines the position and frequency of a coefficient.
template <class T>
struct TrigView {
  static constexpr int most_passes = 16;
  TrigKind kind;
  bool lower_dirichlet;
  int n;  ///< N
  int passes;
  FourierPass pass[most_passes];
  Table<Complex<T>> roots;  ///< e^(−2πi q/N), q < N
  Table<Complex<T>> turns;  ///< cos and sin(πk/2N), k ≤ N/2 + 1
  Table<T> divisors;        ///< sines and cosines: 1/(4 sin(πj/N)); mixed cells: 1/(2 cos(π(2j+1)/4N))
  Table<T> weights;         ///< factors of the modes such that vᵀMv = 1
  Table<int> places;        ///< row of frequency k after the passes, k < N

  /// Returns the rows of a line during its transform: its values, and one more for cosines.
  constexpr int rows() const { return n + (kind == TrigKind::cosines ? 1 : 0); }
  constexpr int values() const { return kind == TrigKind::sines ? n - 1 : rows(); }
};

/// Identifies a piece of the work before and after the passes. A piece is a pair of mirrored values or coefficients k
/// and N − k, named by the lower index 0 ≤ k ≤ N/2. `inner` is known at compile time: the piece is neither the first
/// nor the last.
template <bool inner>
struct Piece {
  int k;

  constexpr operator int() const { return k; }
  constexpr bool first() const { return !inner && k == 0; }
  constexpr bool before_middle(int n) const { return inner || 2 * k < n; }
  constexpr bool next_before_middle(int n) const { return inner || 2 * k + 1 < n; }
  constexpr bool next_not_behind(int n) const { return inner || 2 * k + 1 <= n; }
  /// Returns whether k and N − k differ.
  constexpr bool mirrored(int n) const { return !first() && before_middle(n); }
};
/// Calls f(piece) for all pieces.
template <class F>
constexpr void each_piece(int n, const F& f) {
  f(Piece<false>{0});
  for (int k = 1; k < n / 2; ++k) f(Piece<true>{k});
  if (n > 1) f(Piece<false>{n / 2});
}

/// Stores Σ v_j cos(2πjk/N) and Σ v_j sin(2πjk/N), computed from the result of a Fourier transform.
template <class V>
struct CosineSine {
  Complex<V> cosine, sine;
};
template <class T, class Line>
constexpr auto cosine_and_sine(const TrigView<T>& w, const Line& z, int k) {
  const int wrapped = k < w.n ? k : k - w.n;
  const auto a = z.get(w.places[wrapped]), b = z.get(w.places[wrapped == 0 ? 0 : w.n - wrapped]);
  return CosineSine<decltype(a.re)>{scaled(T(0.5), a + b), scaled(T(0.5), turned(a - b))};
}

/// Writes Σ_k c_k cos(2πjk/N) + s_k sin(2πjk/N) as input of the Fourier transform, for one k ≤ N/2.
template <class T, class Line, class V, bool inner>
constexpr void put_frequency(const TrigView<T>& w, const Line& z, Piece<inner> k, const Complex<V>& c,
                             const Complex<V>& s) {
  if (!k.mirrored(w.n)) return z.set(k, c);
  const Complex<V> half_c = scaled(T(0.5), c), half_s = turned(scaled(T(0.5), s));
  z.set(k, half_c + half_s);
  z.set(w.n - k, half_c - half_s);
}

// Transforms in cells (DCT-II) and back (DCT-III), after Makhoul, IEEE Trans. ASSP 28, 1980: even values come first,
// then odd ones in reverse order.

/// Stores the coefficients k and N − k of cos(πk(2j+1)/2N).
template <class V>
struct Mirrored {
  Complex<V> lower, upper;
};
template <class T, class Line>
constexpr auto cell_coefficients(const TrigView<T>& w, const Line& z, int k) {
  const auto [c, s] = cosine_and_sine(w, z, k);
  const Complex<T> turn = w.turns[k];
  return Mirrored<decltype(c.re)>{scaled(turn.re, c) - scaled(turn.im, s), scaled(turn.im, c) + scaled(turn.re, s)};
}
template <class T, class Line, class V, bool inner>
constexpr void put_cell_coefficients(const TrigView<T>& w, const Line& z, Piece<inner> k, const Complex<V>& lower,
                                     const Complex<V>& upper) {
  const Complex<T> turn = w.turns[k];
  if (k.first()) return z.set(0, lower);
  if (!k.before_middle(w.n)) return z.set(k, scaled(turn.re, lower));
  put_frequency(w, z, k, scaled(turn.re, lower) + scaled(turn.im, upper),
                scaled(turn.re, upper) - scaled(turn.im, lower));
}
template <class T, class Line, class In, bool inner>
constexpr void put_cells(const TrigView<T>& w, const Line& z, Piece<inner> j, const In& in) {
  if (j.before_middle(w.n)) z.set(j, in(2 * j));
  if (j.next_before_middle(w.n)) z.set(w.n - 1 - j, in(2 * j + 1));
}
template <class T, class Line, class Out, bool inner>
constexpr void take_cells(const TrigView<T>& w, const Line& z, Piece<inner> j, const Out& out) {
  if (j.before_middle(w.n)) out(2 * j, z.get(w.places[j]));
  if (j.next_before_middle(w.n)) out(2 * j + 1, z.get(w.places[w.n - 1 - j]));
}

/// Sines and cosines at nodes (DST-I, DCT-I): modes of even k have the period N. A mode of odd k times 2 sin(πj/N) is a
/// difference of two such modes. Coefficients of even k come first.
constexpr int even_trig(TrigKind kind, int n) {
  return kind == TrigKind::sines ? (n - 1) / 2 : n / 2 + 1;
}

/// Calls f.template operator()<kind>() for the given kind.
template <class F>
constexpr void with_kind(TrigKind kind, const F& f) {
  switch (kind) {
    case TrigKind::none:
      return;
    case TrigKind::periodic:
      return f.template operator()<TrigKind::periodic>();
    case TrigKind::sines:
      return f.template operator()<TrigKind::sines>();
    case TrigKind::cosines:
      return f.template operator()<TrigKind::cosines>();
    case TrigKind::cells:
      return f.template operator()<TrigKind::cells>();
    case TrigKind::mixed_nodes:
      return f.template operator()<TrigKind::mixed_nodes>();
    case TrigKind::mixed_cells:
      return f.template operator()<TrigKind::mixed_cells>();
  }
}

/// Accumulates a sum over all pieces, which cosines need on the way back.
template <class V>
struct TrigSum {
  Complex<V> value{};
};

/// Processes a piece before the passes of a forward transform: reads in(i), i < values, and writes the line.
template <TrigKind kind, class T, class Line, class In, bool inner>
constexpr void begin_forward(const TrigView<T>& w, const Line& z, Piece<inner> k, const In& in) {
  const int n = w.n, values = kind == TrigKind::cosines ? n + 1 : n;
  switch (kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic:
      z.set(k, in(k));
      if (k.mirrored(n)) z.set(n - k, in(n - k));
      break;
    case TrigKind::sines: {
      if (k.first()) return z.set(0, {});
      const auto a = in(k - 1), b = in(n - k - 1);
      const auto even = scaled(w.divisors[k], a + b), odd = scaled(T(0.5), a - b);
      z.set(k, even + odd);
      if (k.mirrored(n)) z.set(n - k, even - odd);
      break;
    }
    case TrigKind::cosines: {
      const auto a = in(k), b = in(n - k);
      if (k.first()) {
        z.set(0, a + b);
        z.set(n, a - b);
        return;
      }
      const auto even = scaled(T(0.5), a + b), odd = scaled(w.divisors[k], a - b);
      z.set(k, even + odd);
      if (k.mirrored(n)) z.set(n - k, even - odd);
      break;
    }
    case TrigKind::cells:
      put_cells(w, z, k, [&](int j) { return w.lower_dirichlet && j % 2 == 1 ? scaled(T(-1), in(j)) : in(j); });
      break;
    case TrigKind::mixed_nodes: {
      const auto at = [&](int i) { return in(w.lower_dirichlet ? values - 1 - i : i); };
      put_cell_coefficients(w, z, k, at(k), at(k.first() ? 0 : n - k));
      break;
    }
    case TrigKind::mixed_cells:
      put_cells(w, z, k, [&](int j) { return scaled(w.divisors[j], in(w.lower_dirichlet ? values - 1 - j : j)); });
      break;
  }
}

/// Processes a piece after the passes of a forward transform: calls out(position, coefficient).
template <TrigKind kind, class T, class Line, class Out, bool inner>
constexpr void end_forward(const TrigView<T>& w, const Line& z, Piece<inner> k, const Out& put) {
  const int n = w.n;
  const auto out = [&](int position, const auto& value) { put(position, scaled(w.weights[position], value)); };
  switch (kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic: {
      const auto [c, s] = cosine_and_sine(w, z, k);
      out(k, c);
      if (k.mirrored(n)) out(n - k, s);
      break;
    }
    case TrigKind::sines: {
      const auto here = cosine_and_sine(w, z, k);
      const int evens = even_trig(kind, n);
      if (k.mirrored(n)) out(k - 1, here.sine);
      if (k.next_before_middle(n)) out(evens + k, here.cosine - cosine_and_sine(w, z, k + 1).cosine);
      break;
    }
    case TrigKind::cosines: {
      const auto here = cosine_and_sine(w, z, k);
      const int evens = even_trig(kind, n);
      out(k, here.cosine);
      if (k.next_not_behind(n)) out(evens + k, z.get(n) + cosine_and_sine(w, z, k + 1).sine - here.sine);
      break;
    }
    case TrigKind::cells: {
      const auto [lower, upper] = cell_coefficients(w, z, k);
      out(k, lower);
      if (k.mirrored(n)) out(n - k, upper);
      break;
    }
    case TrigKind::mixed_nodes:
      take_cells(w, z, k, out);
      break;
    case TrigKind::mixed_cells: {
      if (!k.before_middle(n)) return;
      const auto here = cell_coefficients(w, z, k), next = cell_coefficients(w, z, k + 1);
      out(k, here.lower + next.lower);
      if (k.next_before_middle(n)) out(n - 1 - k, next.upper + here.upper);
      break;
    }
  }
}

/// Processes a piece before the passes of a backward transform: reads in(position). For cosines the caller must store
/// `sum` in row N after the last piece.
template <TrigKind kind, class T, class Line, class In, class V, bool inner>
constexpr void begin_backward(const TrigView<T>& w, const Line& z, Piece<inner> k, const In& in, TrigSum<V>& sum) {
  const int n = w.n;
  switch (kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic:
      put_frequency(w, z, k, in(k), k.mirrored(n) ? in(n - k) : Complex<V>{});
      break;
    case TrigKind::sines: {
      const int evens = even_trig(kind, n);
      const Complex<V> here = k.next_before_middle(n) ? in(evens + k) : Complex<V>{};
      const Complex<V> before = k.first() ? Complex<V>{} : in(evens + k - 1);
      put_frequency(w, z, k, here - before, k.mirrored(n) ? in(k - 1) : Complex<V>{});
      break;
    }
    case TrigKind::cosines: {
      const int evens = even_trig(kind, n);
      const Complex<V> here = k.next_not_behind(n) ? in(evens + k) : Complex<V>{};
      const Complex<V> before = k.first() ? Complex<V>{} : in(evens + k - 1);
      sum.value = sum.value + here;
      // For odd N the frequency (N + 1)/2 equals −(N − 1)/2.
      const Complex<V> step = before - here;
      put_frequency(w, z, k, in(k), !k.next_before_middle(n) && 2 * k + 1 == n ? step - here : step);
      break;
    }
    case TrigKind::cells:
      put_cell_coefficients(w, z, k, in(k), in(k.first() ? 0 : n - k));
      break;
    case TrigKind::mixed_nodes:
      put_cells(w, z, k, in);
      break;
    case TrigKind::mixed_cells: {
      const auto pair = [&](int m) { return k.first() ? in(0) : in(m) + in(m - 1); };
      put_cell_coefficients(w, z, k, pair(k), pair(n - k));
      break;
    }
  }
}

/// Processes a piece after the passes of a backward transform: calls put(i, value).
template <TrigKind kind, class T, class Line, class Out, bool inner>
constexpr void end_backward(const TrigView<T>& w, const Line& z, Piece<inner> k, const Out& put) {
  const int n = w.n;
  const auto value = [&](int j) { return z.get(w.places[j]); };
  switch (kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic:
      put(k, value(k));
      if (k.mirrored(n)) put(n - k, value(n - k));
      break;
    case TrigKind::sines: {
      if (k.first()) return;
      const auto a = value(k), b = value(n - k);
      const auto even = scaled(w.divisors[k], a + b), odd = scaled(T(0.5), a - b);
      put(k - 1, even + odd);
      if (k.mirrored(n)) put(n - k - 1, even - odd);
      break;
    }
    case TrigKind::cosines: {
      if (k.first()) {
        const auto sum = z.get(n);
        put(0, value(0) + sum);
        put(n, value(0) - sum);
        return;
      }
      const auto a = value(k), b = value(n - k);
      const auto even = scaled(T(0.5), a + b), odd = scaled(w.divisors[k], a - b);
      put(k, even + odd);
      if (k.mirrored(n)) put(n - k, even - odd);
      break;
    }
    case TrigKind::cells:
      take_cells(w, z, k,
                 [&](int j, const auto& v) { put(j, w.lower_dirichlet && j % 2 == 1 ? scaled(T(-1), v) : v); });
      break;
    case TrigKind::mixed_nodes: {
      const auto [lower, upper] = cell_coefficients(w, z, k);
      const auto at = [&](int i) { return w.lower_dirichlet ? n - 1 - i : i; };
      put(at(k), lower);
      if (k.mirrored(n)) put(at(n - k), upper);
      break;
    }
    case TrigKind::mixed_cells:
      take_cells(w, z, k,
                 [&](int j, const auto& v) { put(w.lower_dirichlet ? n - 1 - j : j, scaled(w.divisors[j], v)); });
      break;
  }
}

}  // namespace poisson
