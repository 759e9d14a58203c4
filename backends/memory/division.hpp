#pragma once

#include <cstdint>

namespace poisson {

/// Divides by a fixed divisor with one multiplication: n/d = ⌊n·⌈2⁶⁴/d⌉/2⁶⁴⌋ for n and d below 2³¹. Rounding the factor
/// up adds less than 1/d to a quotient (Granlund and Montgomery, PLDI 1994).
class Division {
  __extension__ using Product = unsigned __int128;

 public:
  constexpr Division() = default;
  constexpr explicit Division(int divisor)
      : factor_(divisor <= 1 ? 0 : ~std::uint64_t{0} / static_cast<std::uint64_t>(divisor) + 1) {}
  /// Returns n/d for n ≥ 0.
  constexpr int operator()(int n) const {
    if (factor_ == 0) return n;
    return static_cast<int>((static_cast<Product>(factor_) * static_cast<std::uint32_t>(n)) >> 64);
  }

 private:
  std::uint64_t factor_ = 0;  // 0 if the divisor is 1
};

}  // namespace poisson
