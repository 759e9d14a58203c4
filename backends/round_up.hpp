#pragma once

namespace poisson {

/// n/d rounded up, of numbers that are not negative. Compiled at run time too.
template <class N, class D>
constexpr auto divide_up(N n, D d) {
  return (n + d - 1) / d;
}

/// The least multiple of d that is not below n.
template <class N, class D>
constexpr auto round_up(N n, D d) {
  return divide_up(n, d) * d;
}

}  // namespace poisson
