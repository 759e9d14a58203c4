#include "backends/space.hpp"

namespace poisson {
namespace {

constexpr std::int64_t alignment = 128;  // bytes: one line of a GPU's cache, two of a CPU's

Cuts uncut(const Layout& layout) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  return cuts;
}

}  // namespace

// The halo behind the end of a line and the one before the start of the next share the padding between them.
std::int64_t Layout::pitch(Precision p) const {
  const auto step = alignment / static_cast<std::int64_t>(bytes_of(p));
  return (n[0] + 2 + step - 1) / step * step;
}

std::int64_t Layout::allocated(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2, planes = n[2] == 1 ? 1 : n[2] + 2;
  return pitch(p) * rows * planes + alignment / static_cast<std::int64_t>(bytes_of(p));
}

std::int64_t Layout::origin(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2;
  return alignment / static_cast<std::int64_t>(bytes_of(p)) + (n[1] == 1 ? 0 : pitch(p)) +
         (n[2] == 1 ? 0 : pitch(p) * rows);
}

Space::Space(const Layout& layout, const Box& unknowns)
    : parts_(std::make_shared<const Parts>(Parts{layout, unknowns, {}, Exchange(uncut(layout), 0)})) {}

Space::Space(const Cuts& cuts, int patch, const Box& unknowns) {
  const Box own = cuts.patch(patch);
  Layout layout;
  for (std::size_t d = 0; d < 3; ++d) {
    layout.n[d] = own.last[d] - own.first[d];
    layout.periodic[d] = cuts.periodic[d] && cuts.count(d) == 1;
  }
  parts_ = std::make_shared<const Parts>(Parts{layout, unknowns, own.first, Exchange(cuts, patch)});
}

}  // namespace poisson
