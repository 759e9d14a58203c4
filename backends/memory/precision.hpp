#pragma once

#include <cstddef>

namespace poisson {

/// Selects the floating-point type of a field.
enum class Precision { fp32, fp64 };

template <class T>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::fp32 : Precision::fp64;

constexpr std::size_t bytes_of(Precision p) {
  return p == Precision::fp32 ? 4 : 8;
}

}  // namespace poisson
