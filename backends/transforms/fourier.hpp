#pragma once

#include <cstdint>

#include "backends/transforms/table.hpp"

/// Computes the discrete Fourier transform of a line in place, by passes of radix 2 to 8. The functions use nothing of
/// the standard library, so they compile for every backend. V contains the values of all lines that are transformed
/// together; T is the type of one value.
namespace poisson {

template <class V>
struct alignas(2 * sizeof(V)) Complex {
  V re, im;
};
template <class V>
constexpr Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
constexpr Complex<V> operator-(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V, class T>
constexpr Complex<V> scaled(T factor, const Complex<V>& a) {
  return {factor * a.re, factor * a.im};
}
/// Returns a times i.
template <class V>
constexpr Complex<V> turned(const Complex<V>& a) {
  return {-a.im, a.re};
}
template <class V, class T>
constexpr Complex<V> times(const Complex<T>& w, const Complex<V>& a) {
  return {w.re * a.re - w.im * a.im, w.re * a.im + w.im * a.re};
}

/// Return cos and sin of 2π k/radix.
template <int radix>
constexpr double cosine_of(int k) {
  if (radix == 3) return k % 3 == 0 ? 1 : -0.5;
  const int q = k % radix, m = q <= radix / 2 ? q : radix - q;
  if (radix == 5) return m == 0 ? 1 : m == 1 ? 0.30901699437494742410 : -0.80901699437494742410;
  return m == 0 ? 1 : m == 1 ? 0.62348980185873353053 : m == 2 ? -0.22252093395631440429 : -0.90096886790241912624;
}
template <int radix>
constexpr double sine_of(int k) {
  const int q = k % radix, m = q <= radix / 2 ? q : radix - q;
  const double sign = q <= radix / 2 ? 1 : -1;
  if (radix == 3) return m == 0 ? 0 : sign * 0.86602540378443864676;
  if (radix == 5) return m == 0 ? 0 : sign * (m == 1 ? 0.95105651629515357212 : 0.58778525229247312917);
  return m == 0 ? 0
                : sign * (m == 1   ? 0.78183148246802980871
                          : m == 2 ? 0.97492791218182360702
                                   : 0.43388373911755812048);
}

/// Computes y_q = Σ_r x_r e^(−2πi rq/radix) in place. For an odd radix, sums and differences of mirrored values have
/// real factors.
template <class T, int radix>
struct Butterfly {
  template <class V>
  static constexpr void apply(Complex<V>* x) {
    constexpr int half = (radix - 1) / 2;
    Complex<V> sum[half], difference[half], y[radix];
    y[0] = x[0];
    for (int r = 0; r < half; ++r) {
      sum[r] = x[r + 1] + x[radix - 1 - r];
      difference[r] = x[r + 1] - x[radix - 1 - r];
      y[0] = y[0] + sum[r];
    }
    for (int q = 1; q <= half; ++q) {
      Complex<V> even = x[0], odd = scaled(T(sine_of<radix>(q)), difference[0]);
      for (int r = 0; r < half; ++r) even = even + scaled(T(cosine_of<radix>(q * (r + 1))), sum[r]);
      for (int r = 1; r < half; ++r) odd = odd + scaled(T(sine_of<radix>(q * (r + 1))), difference[r]);
      y[q] = even - turned(odd);
      y[radix - q] = even + turned(odd);
    }
    for (int q = 0; q < radix; ++q) x[q] = y[q];
  }
};
template <class T>
struct Butterfly<T, 2> {
  template <class V>
  static constexpr void apply(Complex<V>* x) {
    const Complex<V> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
};
template <class T>
struct Butterfly<T, 4> {
  template <class V>
  static constexpr void apply(Complex<V>* x) {
    const Complex<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned(x[1] - x[3]);
    x[0] = a + c;
    x[1] = b - d;
    x[2] = a - c;
    x[3] = b + d;
  }
};
template <class T>
struct Butterfly<T, 8> {
  template <class V>
  static constexpr void apply(Complex<V>* x) {
    constexpr T root = T(0.70710678118654752440);
    Complex<V> even[4] = {x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]};
    const Complex<V> a = x[1] - x[5], b = x[2] - x[6], c = x[3] - x[7];
    Complex<V> odd[4] = {x[0] - x[4],
                         scaled(root, Complex<V>{a.re + a.im, a.im - a.re}),
                         {b.im, -b.re},
                         scaled(root, Complex<V>{c.im - c.re, -c.re - c.im})};
    Butterfly<T, 4>::apply(even);
    Butterfly<T, 4>::apply(odd);
    for (int q = 0; q < 4; ++q) {
      x[2 * q] = even[q];
      x[2 * q + 1] = odd[q];
    }
  }
};

/// Assigns the pieces of work on a line to a thread: pieces `first`, `first` + `step`, ….
struct Team {
  int first = 0, step = 1;
};

/// Describes one pass over n = blocks · radix · apart values.
struct FourierPass {
  int radix, apart, blocks;
  std::uint32_t reciprocal;  ///< ⌊2³²/apart⌋ + 1: gives exact quotients for all pieces without a division

  static constexpr FourierPass of(int n, int radix, int blocks) {
    const int apart = n / (blocks * radix);
    const auto turn = std::uint64_t{1} << 32;
    return {radix, apart, blocks, static_cast<std::uint32_t>(turn / static_cast<std::uint64_t>(apart) + 1)};
  }
  constexpr int block_of(int piece) const {
    return apart == 1 ? piece : static_cast<int>((static_cast<std::uint64_t>(piece) * reciprocal) >> 32);
  }
};

/// Runs a decimation-in-frequency pass over a line of n values, which consists of `blocks` pieces. In each piece,
/// values with the distance `apart` become the values of `radix` new pieces. roots[q] = e^(−2πi q/n). No two
/// butterflies share a value.
template <int radix, class T, class Line>
constexpr void fourier_pass(const FourierPass& pass, const Line& z, Table<Complex<T>> roots, const Team& team) {
  const int apart = pass.apart, butterflies = pass.blocks * apart;
  for (int piece = team.first; piece < butterflies; piece += team.step) {
    const int block = pass.block_of(piece), j = piece - block * apart, at = block * apart * radix + j;
    decltype(z.get(0)) x[radix];
    for (int r = 0; r < radix; ++r) x[r] = z.get(at + r * apart);
    Butterfly<T, radix>::apply(x);
    z.set(at, x[0]);
    if (apart == 1)
      for (int q = 1; q < radix; ++q) z.set(at + q, x[q]);
    else
      for (int q = 1; q < radix; ++q) z.set(at + q * apart, times(roots[j * q * pass.blocks], x[q]));
  }
}

/// Does the same for a radix that is known at run time.
template <class T, class Line>
constexpr void fourier_pass(const FourierPass& pass, const Line& z, Table<Complex<T>> roots, const Team& team) {
  switch (pass.radix) {
    case 2:
      return fourier_pass<2>(pass, z, roots, team);
    case 3:
      return fourier_pass<3>(pass, z, roots, team);
    case 4:
      return fourier_pass<4>(pass, z, roots, team);
    case 5:
      return fourier_pass<5>(pass, z, roots, team);
    case 7:
      return fourier_pass<7>(pass, z, roots, team);
    default:
      return fourier_pass<8>(pass, z, roots, team);
  }
}

}  // namespace poisson
