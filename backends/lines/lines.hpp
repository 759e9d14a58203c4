#pragma once

#include <cstdint>

#include "backends/memory/round_up.hpp"

namespace poisson {

/// On a GPU elimination stores one number for this many values of a line.
inline constexpr int values_of_kept = 8;

/// Returns the numbers that elimination stores for `lines` lines of n values, folded or not.
constexpr std::int64_t kept_of_lines(int n, std::int64_t lines, bool folded = false) {
  const auto segments = [](int values) { return divide_up(values, values_of_kept); };
  return lines * (folded ? 2 * segments(n - n / 2) : segments(n));
}

/// Describes the places of the lines along an axis of a field, one line for each place across the axis. Compiles for
/// every backend.
template <class T>
struct PlacesOfLines {
  using Value = T;
  T* values = nullptr;  ///< first value of the first line
  /// Steps from one value of a line to the next, and from line to line along the faster and the slower axis across.
  std::int64_t step = 0, across = 0, slow_step = 0;
  int n = 0, lanes = 0, slows = 0;
  int half = 0, gap = 0;  ///< lanes from `half` on are shifted by `gap` values

  constexpr std::int64_t count() const { return std::int64_t{lanes} * slows; }
  constexpr T* at(int lane, int slow) const {
    return values + slow * slow_step + lane * across + (lane < half ? 0 : gap);
  }
};

/// Describes tridiagonal systems K + μM, where μ is the sum of the eigenvalues of the other axes (AxisLines).
template <class T>
struct Lines : PlacesOfLines<T> {
  const T *fast_eigenvalues = nullptr, *slow_eigenvalues = nullptr;
  const T *sum = nullptr, *coupling = nullptr, *mass_sum = nullptr, *mass_off = nullptr;

  /// The rows of a line are functions of this number, μ.
  using Own = T;
  constexpr T own(int lane, int slow) const {
    return (fast_eigenvalues ? fast_eigenvalues[lane] : T(0)) + (slow_eigenvalues ? slow_eigenvalues[slow] : T(0));
  }
  /// Returns the row sum of row k.
  constexpr T row(int k, T mu) const { return sum[k] + mu * mass_sum[k]; }
  /// Returns the coupling of row k to row k + 1.
  constexpr T onwards(int k, T mu) const { return coupling[k] - mu * mass_off[k]; }

  /// Returns the lines first … last − 1 along the slower axis.
  constexpr Lines slice(int first, int last) const {
    Lines some = *this;
    some.values += first * this->slow_step;
    if (slow_eigenvalues) some.slow_eigenvalues += first;
    some.slows = last - first;
    return some;
  }
  /// Returns the lines without their ends; row −1 is the first end.
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

/// Describes tridiagonal systems whose rows are stored in fields with the layout of the values.
template <class T>
struct StoredLines : PlacesOfLines<T> {
  const T *sum = nullptr, *coupling = nullptr;  ///< point to the first row of the first line

  /// Identifies a line by its offset from the first one.
  using Own = std::int64_t;
  constexpr Own own(int lane, int slow) const { return this->at(lane, slow) - this->values; }
  constexpr T row(int k, Own from) const { return sum[from + k * this->step]; }
  constexpr T onwards(int k, Own from) const { return coupling[from + k * this->step]; }

  constexpr StoredLines slice(int first, int last) const {
    StoredLines some = moved(first * this->slow_step);
    some.slows = last - first;
    return some;
  }
  constexpr StoredLines between_ends() const {
    StoredLines inner = moved(this->step);
    inner.n -= 2;
    return inner;
  }

 private:
  constexpr StoredLines moved(std::int64_t by) const {
    StoredLines other = *this;
    other.values += by;
    other.sum += by;
    other.coupling += by;
    return other;
  }
};

}  // namespace poisson
