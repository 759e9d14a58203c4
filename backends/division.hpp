#pragma once

#include <cstdint>

namespace poisson {

/// Quotients by one divisor, which take a multiplication each: n/d = ⌊n·⌈2⁶⁴/d⌉/2⁶⁴⌋ for n and d below 2³¹, since what
/// ⌈ ⌉ adds to the factor stays below 1/d of a quotient. (Granlund and Montgomery, PLDI 1994.)
class Division {
  __extension__ using Product = unsigned __int128;

 public:
  constexpr Division() = default;
  constexpr explicit Division(int divisor)
      : factor_(divisor <= 1 ? 0 : ~std::uint64_t{0} / static_cast<std::uint64_t>(divisor) + 1) {}
  /// Of a number that is not negative.
  constexpr int operator()(int n) const {
    if (factor_ == 0) return n;
    return static_cast<int>((static_cast<Product>(factor_) * static_cast<std::uint32_t>(n)) >> 64);
  }

 private:
  std::uint64_t factor_ = 0;  // 0: of 1
};

}  // namespace poisson
