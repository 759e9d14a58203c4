#include "backends/cpu/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/memory/round_up.hpp"

namespace poisson::cpu {

void copy(Backend&, const void* from, void* to, std::size_t bytes) {
  // A thread copies piece after piece. For pieces this large memcpy bypasses the caches, and more than two of them are
  // worth the start of the threads.
  constexpr std::size_t piece = std::size_t{1} << 20;
  const auto pieces = static_cast<std::int64_t>(divide_up(bytes, piece));
#pragma omp parallel for schedule(static) if (pieces > 2)
  for (std::int64_t p = 0; p < pieces; ++p) {
    const std::size_t first = static_cast<std::size_t>(p) * piece;
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, std::min(piece, bytes - first));
  }
}

}  // namespace poisson::cpu
