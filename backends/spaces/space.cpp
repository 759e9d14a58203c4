#include "backends/spaces/space.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "backends/memory/round_up.hpp"

namespace poisson {
namespace {

constexpr std::int64_t alignment = 128;  // bytes: one cache line of a GPU, two of a CPU

Cuts uncut(const Layout& layout) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  return cuts;
}

}  // namespace

// The halo after the end of a line and the halo before the start of the next line share the padding between them.
std::int64_t Layout::pitch(Precision p) const {
  const auto step = alignment / static_cast<std::int64_t>(bytes_of(p));
  return round_up(n[0] + 2 * halo[0], step);
}

std::int64_t Layout::allocated(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2 * halo[1], planes = n[2] == 1 ? 1 : n[2] + 2 * halo[2];
  return pitch(p) * rows * planes + alignment / static_cast<std::int64_t>(bytes_of(p));
}

std::int64_t Layout::origin(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2 * halo[1];
  return alignment / static_cast<std::int64_t>(bytes_of(p)) + (n[1] == 1 ? 0 : pitch(p) * halo[1]) +
         (n[2] == 1 ? 0 : pitch(p) * rows * halo[2]);
}

Space::Space(const Layout& layout, const Box& unknowns)
    : parts_(std::make_shared<const Parts>(of_patch(uncut(layout), 0, unknowns, one_process()))) {
  if (layout.cut()) throw std::logic_error("a part of a grid has a space of its own");
}

Space::Parts Space::of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                             std::shared_ptr<const Processes> processes) {
  const Box own = cuts.patch(patch);
  Box unknowns;
  for (std::size_t d = 0; d < 3; ++d) {
    unknowns.first[d] = std::max(all_unknowns.first[d], own.first[d]) - own.first[d];
    unknowns.last[d] = std::min(all_unknowns.last[d], own.last[d]) - own.first[d];
  }
  std::array<int, 3> most{};
  for (int p = 0; p < cuts.patches(); ++p)
    for (std::size_t d = 0; d < 3; ++d) most[d] = std::max(most[d], cuts.layout(p).n[d]);
  return {cuts.layout(patch),   unknowns, own.first,    Exchange(cuts, patch),
          std::move(processes), most,     all_unknowns, cuts};
}

Space::Space(const Cuts& cuts, int patch, const Box& all_unknowns)
    : parts_(std::make_shared<const Parts>(of_patch(cuts, patch, all_unknowns, one_process()))) {}

Space::Space(const Share& share, const Box& all_unknowns)
    : parts_(std::make_shared<const Parts>(of_patch(share.cuts, share.patch(), all_unknowns, share.processes))) {}

Box Space::with_ends(int patch) const {
  Box box = cuts().patch(patch);
  for (std::size_t d = 0; d < 3; ++d) {
    if (d > 0 && all()[d] == 1) continue;
    if (box.first[d] == 0) --box.first[d];
    if (box.last[d] == all()[d]) ++box.last[d];
  }
  return box;
}

Space Space::without_exchange() const {
  Space same = *this;
  auto parts = std::make_shared<Parts>(*parts_);
  parts->halo = Exchange();
  same.parts_ = std::move(parts);
  return same;
}

Layout Cuts::layout(int number) const {
  const Box own = patch(number);
  Layout layout;
  for (std::size_t d = 0; d < 3; ++d) {
    layout.n[d] = own.last[d] - own.first[d];
    layout.periodic[d] = periodic[d] && count(d) == 1;
    if (count(d) > 1) layout.halo[d] = cut_halo;
  }
  return layout;
}

}  // namespace poisson
