#include <algorithm>
#include <cstdint>

#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

// Calls f with the element type of the shape.
template <class F>
void with_element(const Transposition& shape, const F& f) {
  if (shape.element == 4)
    f(std::uint32_t{});
  else
    f(std::uint64_t{});
}

// Moves element by element. The inner loop runs along the rows of the source, or along those of the destination.
template <bool along_source, bool transposes>
void element_by_element(Backend&, const Transposition& s, const void* from, void* to) {
  with_element(s, [&]<class T>(T) {
    const std::int64_t outer = along_source ? s.rows : s.columns, inner = along_source ? s.columns : s.rows;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t b = 0; b < s.batch; ++b)
      for (std::int64_t i = 0; i < outer; ++i) {
        const T* const x = static_cast<const T*>(from) + b * s.from_stride;
        T* const y = static_cast<T*>(to) + b * (transposes ? s.to_stride : s.from_stride);
        for (std::int64_t j = 0; j < inner; ++j) {
          const std::int64_t r = along_source ? i : j, c = along_source ? j : i;
          y[transposes ? c * s.to_pitch + r : r * s.from_pitch + c] = x[r * s.from_pitch + c];
        }
      }
  });
}

// Transposes by tiles that fit into L1, without copying a tile.
void by_tiles(Backend&, const Transposition& s, const void* from, void* to) {
  constexpr std::int64_t side = 32;
  with_element(s, [&]<class T>(T) {
#pragma omp parallel for collapse(3) schedule(static)
    for (std::int64_t b = 0; b < s.batch; ++b)
      for (std::int64_t r0 = 0; r0 < s.rows; r0 += side)
        for (std::int64_t c0 = 0; c0 < s.columns; c0 += side) {
          const T* const x = static_cast<const T*>(from) + b * s.from_stride;
          T* const y = static_cast<T*>(to) + b * s.to_stride;
          for (std::int64_t c = c0; c < std::min(c0 + side, s.columns); ++c)
            for (std::int64_t r = r0; r < std::min(r0 + side, s.rows); ++r)
              y[c * s.to_pitch + r] = x[r * s.from_pitch + c];
        }
  });
}

}  // namespace

std::vector<TransposeVariant> cpu_transpose_variants() {
  using namespace transpose_names;
  return {
      {.name = std::string(naive_read), .launch = element_by_element<true, true>},
      {.name = std::string(naive_write), .launch = element_by_element<false, true>},
      {.name = std::string(copy), .transposes = false, .launch = element_by_element<true, false>},
      {.name = std::string(strided_copy), .transposes = false, .launch = element_by_element<false, false>},
      {.name = "tiled", .launch = by_tiles},
      {.name = std::string(library), .launch = transpose},
  };
}

TransposeVariant broken_transpose_variant() {
  return {.name = "broken on purpose",
          .launch = [](Backend& backend, const Transposition& shape, const void* from, void* to) {
            Transposition less = shape;
            less.rows -= 1;
            if (less.rows > 0) transpose(backend, less, from, to);
          }};
}

}  // namespace poisson::lab
