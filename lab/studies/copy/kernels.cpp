#include "lab/studies/copy/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "lab/harness/contents.hpp"

namespace poisson::lab {
namespace {

struct Pair {
  std::uint64_t first, second;
};

template <class T>
void copy_elements(Backend&, const void* from, void* to, std::size_t bytes) {
  const auto* const x = static_cast<const T*>(from);
  auto* const y = static_cast<T*>(to);
  const auto count = static_cast<std::int64_t>(bytes / sizeof(T));
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i];
}

template <class T>
CopyVariant elements() {
  return {.name = std::to_string(sizeof(T)) + " B", .width = sizeof(T), .launch = copy_elements<T>};
}

}  // namespace

std::span<const CopyVariant> cpu_copy_variants() {
  static const std::array all{
      elements<std::uint8_t>(),
      elements<std::uint16_t>(),
      elements<std::uint32_t>(),
      elements<std::uint64_t>(),
      elements<Pair>(),
      CopyVariant{
          .name = "memcpy, one thread",
          .launch = [](Backend&, const void* from, void* to, std::size_t bytes) { std::memcpy(to, from, bytes); }},
      CopyVariant{.name = "memcpy", .launch = copy_bytes},
  };
  return all;
}

const CopyVariant& broken_copy_variant() {
  static const CopyVariant broken{.name = "broken on purpose",
                                  .launch = [](Backend& backend, const void* from, void* to, std::size_t bytes) {
                                    copy_bytes(backend, from, to, bytes - std::min(bytes, sizeof(double)));
                                  }};
  return broken;
}

}  // namespace poisson::lab
