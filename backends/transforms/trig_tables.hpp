#pragma once

#include <vector>

#include "backends/device/backend.hpp"
#include "backends/transforms/trig_transform.hpp"

namespace poisson {

/// Limits the length of a transform: a line of this length fits into the shared memory of a multiprocessor.
inline constexpr int longest_trig = 12288;

/// Returns the radices of the passes of a Fourier transform of length n; empty if n has a prime factor above 7.
std::vector<int> radices_of(int n);
/// Returns whether passes can transform an axis of n cells.
bool is_transformable(int n);

/// Returns twice the number of half trig, over the axis, of the mode at a position of the coefficients. The phase of
/// the mode changes by π·wave/(2N) from cell to cell.
int wave_at(const TrigAxis& trig, int position);
/// Returns Σ over the axis of the squared mode; Neumann nodes at ends count half.
double square_of_wave(const TrigAxis& trig, int position);

/// Stores the tables of the trigonometric transforms of an axis in the memory of a backend.
class TrigTables {
 public:
  TrigTables() = default;
  /// `weights` has a factor for each coefficient; if it is empty, all factors are 1.
  TrigTables(Backend& backend, Precision precision, const TrigAxis& trig, const std::vector<double>& weights);

  explicit operator bool() const { return static_cast<bool>(trig_); }
  const TrigAxis& trig() const { return trig_; }
  /// Returns the tables; T must be the type of the precision.
  template <class T>
  TrigView<T> view() const {
    TrigView<T> v{};
    v.kind = trig_.kind;
    v.lower_dirichlet = trig_.lower_dirichlet;
    v.n = trig_.cells;
    int blocks = 1;
    for (const int radix : radices_) {
      v.pass[v.passes++] = FourierPass::of(v.n, radix, blocks);
      blocks *= radix;
    }
    const auto* const complex = static_cast<const Complex<T>*>(reals_.data());
    const auto* const real = reinterpret_cast<const T*>(complex + v.n + turns_of(v.n));
    v.roots = {complex};
    v.turns = {complex + v.n};
    v.divisors = {real};
    v.weights = {real + v.n};
    v.places = {static_cast<const int*>(places_.data())};
    return v;
  }

 private:
  static constexpr int turns_of(int n) { return n / 2 + 2; }

  TrigAxis trig_;
  std::vector<int> radices_;
  Buffer reals_, places_;
};

}  // namespace poisson
