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

GridPart::GridPart(const Cuts& cuts, int number, const Box& all_unknowns)
    : layout_(cuts.layout(number)), cuts_(cuts), all_unknowns_(all_unknowns) {
  const Box own = cuts.patch(number);
  origin_ = own.first;
  for (std::size_t d = 0; d < 3; ++d) {
    unknowns_.first[d] = std::max(all_unknowns.first[d], own.first[d]) - own.first[d];
    unknowns_.last[d] = std::min(all_unknowns.last[d], own.last[d]) - own.first[d];
  }
  for (int p = 0; p < cuts.patches(); ++p)
    for (std::size_t d = 0; d < 3; ++d) most_[d] = std::max(most_[d], cuts.layout(p).n[d]);
}

GridPart::GridPart(const Layout& layout, const Box& unknowns) : GridPart(uncut(layout), 0, unknowns) {
  layout_ = layout;
}

Box GridPart::with_ends(int number) const {
  Box box = cuts_.patch(number);
  for (std::size_t d = 0; d < 3; ++d) {
    if (d > 0 && all()[d] == 1) continue;
    if (box.first[d] == 0) --box.first[d];
    if (box.last[d] == all()[d]) ++box.last[d];
  }
  return box;
}

Space::Parts Space::of_patch(const Cuts& cuts, int patch, const Box& all_unknowns,
                             std::shared_ptr<const Processes> processes) {
  GridPart part(cuts, patch, all_unknowns);
  const bool flat = cuts.n[2] == 1;
  const std::size_t across = flat ? 1 : 2;
  const int most_planes = part.most_values()[across];
  const std::int64_t own = part.unknowns().size();
  PatchGroup group{part.layout(), {{part.unknowns(), part.layout().box(), part.origin()[across]}}, part.layout().box()};
  return {.part = std::move(part),
          .halo = Exchange(cuts, patch),
          .processes = std::move(processes),
          .groups = {std::move(group)},
          .flat = flat,
          .global = cuts.patches() == 1,
          .most_planes = most_planes,
          .unknown_count = all_unknowns.size(),
          .own_unknowns = own,
          .size = std::int64_t{1} * cuts.n[0] * cuts.n[1] * cuts.n[2]};
}

Space::Space(std::vector<PatchGroup> groups, Exchange halo, std::shared_ptr<const Processes> processes) {
  Parts parts{};
  std::int64_t values = 0;
  parts.flat = std::ranges::all_of(groups, [](const PatchGroup& g) { return g.layout.n[2] == 1; });
  parts.flat = !processes->any(!parts.flat);
  for (const PatchGroup& group : groups)
    for (const PatchGroup::Patch& patch : group.patches) {
      parts.most_planes += counted_planes(patch, parts.flat);
      values += patch.counted.size();
      parts.own_unknowns += intersection(patch.counted, patch.unknowns).size();
    }
  parts.most_planes = static_cast<int>(processes->largest(parts.most_planes));
  for (const std::int64_t own : processes->gather(parts.own_unknowns)) parts.unknown_count += own;
  for (const std::int64_t own : processes->gather(values)) parts.size += own;
  if (groups.empty()) groups.emplace_back();
  const PatchGroup& first = groups.front();
  parts.part = GridPart(first.layout, first.patches.empty() ? Box{} : first.patches.front().unknowns);
  parts.halo = std::move(halo);
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

bool Space::has_layouts_of(const Space& other) const {
  return parts_ == other.parts_ ||
         std::ranges::equal(groups(), other.groups(), [](const PatchGroup& a, const PatchGroup& b) {
           return a.layout == b.layout && a.patches.size() == b.patches.size();
         });
}

bool Space::has_patches_of(const Space& other) const {
  const auto number = &PatchGroup::Patch::number;
  return parts_ == other.parts_ ||
         (&processes() == &other.processes() && part().cuts() == other.part().cuts() && has_layouts_of(other) &&
          std::ranges::equal(groups(), other.groups(), [&](const PatchGroup& a, const PatchGroup& b) {
            return std::ranges::equal(a.patches, b.patches, {}, number, number);
          }));
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
