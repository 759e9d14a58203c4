#include "backends/spaces/layout.hpp"

#include "backends/memory/round_up.hpp"

namespace poisson {
namespace {

// Returns the values in 128 bytes: one cache line of a GPU, two of a CPU.
std::int64_t aligned_values(Precision p) {
  return 128 / static_cast<std::int64_t>(bytes_of(p));
}

}  // namespace

// The halo after the end of a line and the halo before the start of the next line share the padding between them.
std::int64_t Layout::pitch(Precision p) const {
  return round_up(n[0] + 2 * halo[0], aligned_values(p));
}

std::int64_t Layout::stride(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2 * halo[1], planes = n[2] == 1 ? 1 : n[2] + 2 * halo[2];
  return pitch(p) * rows * planes;
}

// The halo before the first line needs memory of its own.
std::int64_t Layout::allocated(Precision p, std::int64_t patches) const {
  return stride(p) * patches + (halo[0] == 0 ? 0 : aligned_values(p));
}

std::int64_t Layout::origin(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2 * halo[1];
  return (halo[0] == 0 ? 0 : aligned_values(p)) + (n[1] == 1 ? 0 : pitch(p) * halo[1]) +
         (n[2] == 1 ? 0 : pitch(p) * rows * halo[2]);
}

Box Layout::with_halo() const {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const int wide = d == 0 || n[d] > 1 ? halo[d] : 0;
    box.first[d] = -wide;
    box.last[d] = n[d] + wide;
  }
  return box;
}

}  // namespace poisson
