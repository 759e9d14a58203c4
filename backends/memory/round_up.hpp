#pragma once

namespace poisson {

/// Returns n/d rounded up, for numbers that are not negative. Run-time compilation uses this header as well.
template <class N, class D>
constexpr auto divide_up(N n, D d) {
  return (n + d - 1) / d;
}

/// Returns the smallest multiple of d that is at least n.
template <class N, class D>
constexpr auto round_up(N n, D d) {
  return divide_up(n, d) * d;
}

}  // namespace poisson
