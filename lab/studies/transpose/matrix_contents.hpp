#pragma once

#include <bit>
#include <cstdint>

#include "backends/utilities/transpose.hpp"
#include "lab/harness/contents.hpp"

namespace poisson::lab {

// These functions fill and compare the matrices of the study `transpose` in place.

/// Returns the bits of element `index`: a number in [1, 2), which is unchanged if a variant multiplies it by one.
template <class T>
constexpr T random_element(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t word = random_word(seed, index);
  return sizeof(T) == 4 ? static_cast<T>(0x3F800000U | word >> 41) : static_cast<T>(0x3FF0000000000000U | word >> 12);
}

/// Fills memory with `count` random elements of 4 or 8 bytes.
void fill_elements(Backend& backend, std::size_t element, void* data, std::int64_t count, std::uint64_t seed);
/// Waits, and returns the number of wrong elements in the destination of a transposition (or of a copy). fill_elements
/// must have filled the source with the same seed.
std::int64_t misplaced(Backend& backend, const Transposition& shape, bool transposed, std::uint64_t seed,
                       const void* to);

/// Returns whether element i of a destination, counted without padding, is wrong.
template <class T>
struct Misplaced {
  Transposition shape;
  bool transposed;
  std::uint64_t seed;
  const T* to;

  constexpr bool operator()(std::int64_t i) const {
    const std::int64_t columns = transposed ? shape.rows : shape.columns;  // destination's columns
    const std::int64_t matrix = i / (shape.rows * shape.columns), in_matrix = i % (shape.rows * shape.columns);
    const std::int64_t row = in_matrix / columns, column = in_matrix % columns;
    const std::int64_t source =
        matrix * shape.from_stride + (transposed ? column * shape.from_pitch + row : row * shape.from_pitch + column);
    const std::int64_t target = transposed ? matrix * shape.to_stride + row * shape.to_pitch + column : source;
    return to[target] != random_element<T>(seed, static_cast<std::uint64_t>(source));
  }
};

namespace gpu {  // exists in builds with CUDA
void fill_elements(Backend& backend, std::size_t element, void* data, std::int64_t count, std::uint64_t seed);
std::int64_t misplaced(Backend& backend, const Transposition& shape, bool transposed, std::uint64_t seed,
                       const void* to);
}  // namespace gpu

}  // namespace poisson::lab
