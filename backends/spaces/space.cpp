#include "backends/spaces/space.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace poisson {
namespace {

Cuts uncut(const Layout& layout) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  return cuts;
}

}  // namespace

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
  const Layout layout = cuts.layout(patch);
  const bool flat = cuts.n[2] == 1;
  PatchGroup group{layout, {{unknowns, layout.box(), own.first[flat ? 1 : 2]}}, layout.box()};
  return {.layout = layout,
          .unknowns = unknowns,
          .origin = own.first,
          .halo = Exchange(cuts, patch),
          .processes = std::move(processes),
          .most = most,
          .all_unknowns = all_unknowns,
          .cuts = cuts,
          .groups = {std::move(group)},
          .flat = flat,
          .global = cuts.patches() == 1,
          .most_planes = most[flat ? 1 : 2],
          .unknown_count = all_unknowns.size(),
          .size = std::int64_t{1} * cuts.n[0] * cuts.n[1] * cuts.n[2]};
}

Space::Space(std::vector<PatchGroup> groups, Exchange halo, std::shared_ptr<const Processes> processes) {
  Parts parts{};
  std::int64_t unknowns = 0, values = 0;
  parts.flat = std::ranges::all_of(groups, [](const PatchGroup& g) { return g.layout.n[2] == 1; });
  parts.flat = !processes->any(!parts.flat);
  for (const PatchGroup& group : groups)
    for (const PatchGroup::Patch& patch : group.patches) {
      parts.most_planes += counted_planes(patch, parts.flat);
      values += patch.counted.size();
      unknowns += intersection(patch.counted, patch.unknowns).size();
    }
  parts.most_planes = static_cast<int>(processes->largest(parts.most_planes));
  for (const std::int64_t own : processes->gather(unknowns)) parts.unknown_count += own;
  for (const std::int64_t own : processes->gather(values)) parts.size += own;
  if (groups.empty()) groups.emplace_back();
  parts.layout = groups.front().layout;
  if (!groups.front().patches.empty()) parts.unknowns = groups.front().patches.front().unknowns;
  parts.halo = std::move(halo);
  parts.most = parts.layout.n;
  parts.all_unknowns = parts.unknowns;
  parts.cuts = uncut(parts.layout);
  parts.groups = std::move(groups);
  parts.global = processes->alone();
  parts.processes = std::move(processes);
  parts_ = std::make_shared<const Parts>(std::move(parts));
}

Space::Space(const std::vector<PatchOfAll>& all, const std::vector<std::vector<Move>>& steps,
             std::shared_ptr<const Processes> processes)
    : Space(groups_of(all, processes->rank()), Exchange(program_of(all, steps, processes->rank())), processes) {}

std::int64_t Space::own_size() const {
  std::int64_t size = 0;
  for (const PatchGroup& group : groups())
    for (const PatchGroup::Patch& patch : group.patches) size += patch.counted.size();
  return size;
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
