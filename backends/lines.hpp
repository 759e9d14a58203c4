#pragma once

#include <cstdint>

#include "backends/round_up.hpp"

namespace poisson {

/// On a GPU elimination keeps a number for every so many values of a line.
inline constexpr int values_of_kept = 8;

/// Numbers that it keeps of so many lines of n values, which are folded or not.
constexpr std::int64_t kept_of_lines(int n, std::int64_t lines, bool folded = false) {
  const auto segments = [](int values) { return divide_up(values, values_of_kept); };
  return lines * (folded ? 2 * segments(n - n / 2) : segments(n));
}

/// Where the lines along an axis of a field lie, one for each place across it. Compiles for every backend.
template <class T>
struct PlacesOfLines {
  using Value = T;
  T* values = nullptr;  ///< the first of the first line
  /// From one value of a line to the next, and from line to line along the faster and the slower axis across.
  std::int64_t step = 0, across = 0, slow_step = 0;
  int n = 0, lanes = 0, slows = 0;
  int half = 0, gap = 0;  ///< lanes from `half` on lie so many values further

  constexpr std::int64_t count() const { return std::int64_t{lanes} * slows; }
  constexpr T* at(int lane, int slow) const {
    return values + slow * slow_step + lane * across + (lane < half ? 0 : gap);
  }
};

/// Tridiagonal systems with the rows of K + μM, μ the sum of what both other axes have (AxisLines).
template <class T>
struct Lines : PlacesOfLines<T> {
  const T *fast_eigenvalues = nullptr, *slow_eigenvalues = nullptr;
  const T *sum = nullptr, *coupling = nullptr, *mass_sum = nullptr, *mass_off = nullptr;

  /// What the rows of a line know of it.
  using Own = T;
  constexpr T own(int lane, int slow) const {
    return (fast_eigenvalues ? fast_eigenvalues[lane] : T(0)) + (slow_eigenvalues ? slow_eigenvalues[slow] : T(0));
  }
  /// What row k sums to.
  constexpr T row(int k, T mu) const { return sum[k] + mu * mass_sum[k]; }
  /// What couples it to row k + 1.
  constexpr T onwards(int k, T mu) const { return coupling[k] - mu * mass_off[k]; }

  /// Some of them, by the slower axis.
  constexpr Lines slice(int first, int last) const {
    Lines some = *this;
    some.values += first * this->slow_step;
    if (slow_eigenvalues) some.slow_eigenvalues += first;
    some.slows = last - first;
    return some;
  }
  /// What lies between their ends; row −1 is the first end.
  constexpr Lines between_ends() const {
    Lines inner = *this;
    inner.values += this->step;
    ++inner.sum;
    ++inner.coupling;
    ++inner.mass_sum;
    ++inner.mass_off;
    inner.n -= 2;
    return inner;
  }
};

/// Tridiagonal systems whose rows are held in fields of the layout of the values.
template <class T>
struct HeldLines : PlacesOfLines<T> {
  const T *sum = nullptr, *coupling = nullptr;  ///< of the first row of the first line

  /// How far a line begins behind the first one.
  using Own = std::int64_t;
  constexpr Own own(int lane, int slow) const { return this->at(lane, slow) - this->values; }
  constexpr T row(int k, Own from) const { return sum[from + k * this->step]; }
  constexpr T onwards(int k, Own from) const { return coupling[from + k * this->step]; }

  constexpr HeldLines slice(int first, int last) const {
    HeldLines some = moved(first * this->slow_step);
    some.slows = last - first;
    return some;
  }
  constexpr HeldLines between_ends() const {
    HeldLines inner = moved(this->step);
    inner.n -= 2;
    return inner;
  }

 private:
  constexpr HeldLines moved(std::int64_t by) const {
    HeldLines other = *this;
    other.values += by;
    other.sum += by;
    other.coupling += by;
    return other;
  }
};

}  // namespace poisson
