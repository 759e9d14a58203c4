#pragma once

// A grid cut into several patches of one process, or of each of several.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "backends/processes/processes.hpp"
#include "backends/spaces/halo_moves.hpp"
#include "tests/fields.hpp"

namespace poisson {

/// Returns the moves between the patches of a cut grid that are those of the exchange of boxes along each axis.
inline std::vector<std::vector<Move>> moves_by_axes(const Cuts& cuts) {
  std::vector<std::vector<Move>> steps;
  for (int p = 0; p < cuts.patches(); ++p) {
    const auto turns = Exchange(cuts, p).steps();
    steps.resize(std::max(steps.size(), turns.size()));
    for (std::size_t t = 0; t < turns.size(); ++t)
      for (const auto& [owner, side, from, to] : turns[t]) steps[t].push_back({owner, from, p, to});
  }
  return steps;
}

/// Returns the space of the patches of a cut grid; patch p belongs to process p·count/patches. Each step of the
/// exchange is that of the cut grid along an axis, or `at_once` all values move in one step.
inline Space patches_of(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, bool at_once = false) {
  std::vector<PatchOfAll> all;
  for (int p = 0; p < cuts.patches(); ++p) {
    const Layout layout = cuts.layout(p);
    const int first = cuts.patch(p).first[cuts.n[2] == 1 ? 1 : 2];
    all.push_back({p * processes->count() / cuts.patches(), layout, {layout.box(), layout.box(), first}});
  }
  return {all, at_once ? std::vector<std::vector<Move>>{halo_moves(cuts)} : moves_by_axes(cuts), processes};
}

/// Cuts a grid along one axis into patches of these widths.
inline Cuts cut_along(std::size_t axis, const Layout& layout, const std::vector<int>& widths) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  cuts.first[axis].clear();
  for (int first = 0; const int width : widths) {
    cuts.first[axis].push_back(first);
    first += width;
  }
  return cuts;
}

/// Calls f(value, value of the whole grid) for the values of all patches of this process, `halo` values beyond their
/// ends included. Places that the halo of the whole grid does not reach are left out.
template <class T, class F>
void for_each_pair(const Cuts& cuts, const Field& patches, const Field& whole, int halo, const F& f) {
  const View<const T> there = whole.view<T>();
  for (std::size_t g = 0; g < patches.space().groups().size(); ++g)
    for (int p = 0; p < std::ssize(patches.space().groups()[g].patches); ++p) {
      const auto own = const_cast<Field&>(patches).patches<T>(g)[p];
      const auto at = cuts.patch(patches.space().groups()[g].patches[static_cast<std::size_t>(p)].number).first;
      for_each_value(own, true, [&](int i, int j, int k) {
        const std::array place{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) {
          const int there_at = place[d] + at[d];
          if (place[d] < -halo || place[d] >= own.n[d] + halo) return;
          if (there_at < -there.halo[d] || there_at >= there.n[d] + there.halo[d]) return;
        }
        f(own(i, j, k), there(i + at[0], j + at[1], k + at[2]));
      });
    }
}

}  // namespace poisson
