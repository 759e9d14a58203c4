#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>

namespace poisson {

/// Contains a value for each axis. Any integer counts the axes.
template <class T>
struct PerAxis : std::array<T, 3> {
  template <std::integral Axis>
  constexpr T& operator[](Axis axis) {
    return std::array<T, 3>::operator[](static_cast<std::size_t>(axis));
  }
  template <std::integral Axis>
  constexpr const T& operator[](Axis axis) const {
    return std::array<T, 3>::operator[](static_cast<std::size_t>(axis));
  }
};

}  // namespace poisson

template <class T>
struct std::tuple_size<poisson::PerAxis<T>> : std::integral_constant<std::size_t, 3> {};
template <std::size_t n, class T>
struct std::tuple_element<n, poisson::PerAxis<T>> {
  using type = T;
};
