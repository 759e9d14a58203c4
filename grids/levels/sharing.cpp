#include "grids/levels/sharing.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "backends/spaces/groups.hpp"

namespace poisson {
namespace {

// Returns the first value of each part. The sizes of parts differ by one value at most.
std::vector<int> first_values(int n, int parts) {
  std::vector<int> first;
  for (int p = 0; p < parts; ++p) first.push_back(static_cast<int>(std::int64_t{n} * p / parts));
  return first;
}

// Returns whether every part has enough values along the axes that are cut.
bool thick(const Block& part) {
  const Cuts& cuts = part.share->cuts;
  for (int p = 0; p < cuts.patches(); ++p)
    for (std::size_t d = 0; d < 3; ++d)
      if (cuts.count(d) > 1 && cuts.layout(p).n[d] < thick_part) return false;
  return true;
}

std::ptrdiff_t axes_cut(const Parts& parts) {
  return std::ranges::count_if(parts, [](int n) { return n > 1; });
}

// Returns the part of the group whose box contains the part.
Block group_of(const Block& part, const Groups& groups) {
  auto share = std::make_shared<Share>(*part.share);
  share->processes = groups.processes;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<int>& parts = part.share->cuts.first[d];
    share->cuts.first[d].clear();
    const std::size_t each = parts.size() / static_cast<std::size_t>(groups.parts[d]);
    for (std::size_t p = 0; p < parts.size(); p += each) share->cuts.first[d].push_back(parts[p]);
  }
  return part.global().part(share);
}

}  // namespace

Block Sharing::part_of(const Block& whole) const {
  if (processes->alone()) return whole;
  auto share = std::make_shared<Share>();
  share->processes = processes;
  share->cuts.n = whole.layout().n;
  share->cuts.periodic = whole.layout().periodic;
  for (std::size_t d = 0; d < 3; ++d)
    share->cuts.first[d] = first[d].empty() ? first_values(share->cuts.n[d], parts[d]) : first[d];
  return whole.part(share);
}

Block Sharing::below(const Block& part, bool coarsest) const {
  if (!part.share) return part;
  const std::int64_t unknowns = part.space().unknown_count();
  if (coarsest || unknowns < least_shared) return part.global();
  if (groups && part.share->processes != groups->processes) {
    const bool sooner = axes_cut(groups->parts) < axes_cut(parts) && unknowns < least_shared * groups->count();
    if (sooner || !thick(part))
      if (Block group = group_of(part, *groups); thick(group)) return group;
  }
  return thick(part) ? part : part.global();
}

std::optional<Groups> groups_on(const std::vector<std::size_t>& machines,
                                const std::shared_ptr<const Processes>& processes, const Parts& parts) {
  const auto number = [&](const std::array<int, 3>& at) { return at[0] + parts[0] * (at[1] + parts[1] * at[2]); };
  const auto machine = [&](const std::array<int, 3>& at) { return machines[static_cast<std::size_t>(number(at))]; };
  Groups groups{};
  std::array<int, 3> box{}, place{};  // size of a box in parts, and this process's place in its box
  const int own = processes->rank();
  const std::array<int, 3> at{own % parts[0], own / parts[0] % parts[1], own / (parts[0] * parts[1])};
  for (std::size_t d = 0; d < 3; ++d) {
    std::array<int, 3> next{};
    while (next[d] < parts[d] && machine(next) == machine({})) ++next[d];
    box[d] = next[d];
    if (parts[d] % box[d] != 0) return {};
    groups.parts[d] = parts[d] / box[d];
    place[d] = at[d] % box[d];
  }
  if (groups.count() == 1 || groups.count() == processes->count()) return {};
  std::vector<int> of_this_place;
  bool alike = true;
  for_each_place({{0, 0, 0}, groups.parts}, [&](int i, int j, int k) {
    const std::array<int, 3> corner{i * box[0], j * box[1], k * box[2]};
    const auto in_box = [&](const std::array<int, 3>& p) {
      return std::array{corner[0] + p[0], corner[1] + p[1], corner[2] + p[2]};
    };
    of_this_place.push_back(number(in_box(place)));
    for_each_place({{0, 0, 0}, box}, [&](int x, int y, int z) {
      alike = alike && machine(in_box({x, y, z})) == machine(corner);
    });
  });
  if (!alike) return {};
  groups.processes = some_of(processes, std::move(of_this_place));
  return groups;
}

Parts choose_parts(const Block& block, int processes, const std::array<bool, 3>& whole) {
  const std::array<int, 3> n = block.layout().n;
  // Returns the cost of a cut across an axis: the values of the exchanged layers, weighted by their memory layout.
  // Layers are contiguous across z, consist of lines across y, and of single values across x.
  const auto cost = [&](std::size_t d) {
    constexpr std::array<double, 3> weight{4, 1.5, 1};
    return weight[d] * static_cast<double>(block.layout().size()) / n[d];
  };
  // Slabs have two neighbours. Sums across the last axis have the same bits for every number of slabs, so another axis
  // must exchange clearly less to be chosen.
  constexpr int most_slabs = 8, thick = 16;
  constexpr double clearly = 1.5;
  std::optional<std::size_t> across;
  for (std::size_t d = 3; d-- > 0;)
    if (!whole[d] && processes <= most_slabs && n[d] / processes >= thick)
      if (!across || clearly * cost(d) < cost(*across)) across = d;
  if (across) {
    Parts parts = uncut_axes;
    parts[*across] = processes;
    return parts;
  }
  Parts best{};
  double least = std::numeric_limits<double>::infinity();
  // If surfaces are equal, the last axes are cut, because their layers are contiguous.
  for (int x = 1; x <= processes; ++x)
    for (int y = 1; x * y <= processes; ++y) {
      if (processes % (x * y) != 0) continue;
      const std::array parts{x, y, processes / (x * y)};
      double surface = 0;
      bool possible = true;
      for (std::size_t d = 0; d < 3; ++d) {
        if (parts[d] == 1) continue;
        possible = possible && n[d] / parts[d] >= least_part;
        surface += (parts[d] - 1) * cost(d) + (whole[d] ? 1e15 : 0);
      }
      if (possible && surface < least) {
        least = surface;
        best = parts;
      }
    }
  if (least == std::numeric_limits<double>::infinity())
    throw InputError("the grid is too small for " + std::to_string(processes) + " processes: of its " +
                     std::to_string(n[0]) + " x " + std::to_string(n[1]) +
                     (n[2] > 1 ? " x " + std::to_string(n[2]) : "") + " values each needs at least " +
                     std::to_string(least_part) + " along an axis that is cut; use fewer processes");
  return best;
}

}  // namespace poisson
