#include "backends/exchange.hpp"

namespace poisson {

std::array<int, 3> Cuts::place(int number) const {
  return {number % count(0), number / count(0) % count(1), number / (count(0) * count(1))};
}

Box Cuts::patch(int number) const {
  const std::array<int, 3> at = place(number);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto part = static_cast<std::size_t>(at[d]);
    box.first[d] = first[d][part];
    box.last[d] = part + 1 < first[d].size() ? first[d][part + 1] : n[d];
  }
  return box;
}

Exchange::Exchange(const Cuts& cuts, int patch) {
  const std::array<int, 3> here = cuts.place(patch);
  const Box own = cuts.patch(patch);
  for (int width = 1; width <= cut_halo; ++width) {
    Box box;  // of the planes that are copied along an axis
    for (std::size_t d = 0; d < 3; ++d) box.last[d] = own.last[d] - own.first[d];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis > 0 && cuts.n[axis] == 1) continue;  // such an axis has no halo
      const int parts = cuts.count(axis), wide = parts > 1 ? width : 1, n = own.last[axis] - own.first[axis];
      Turn turn, sent;
      for (const int side : {-1, 1}) {
        int next = here[axis] + side;
        if (next < 0 || next >= parts) {
          if (!cuts.periodic[axis]) continue;
          next = (next + parts) % parts;
        }
        std::array<int, 3> at = here;
        at[axis] = next;
        const int neighbour = at[0] + cuts.count(0) * (at[1] + cuts.count(1) * at[2]);
        const Box there = cuts.patch(neighbour);
        const int m = there.last[axis] - there.first[axis];
        // Data past open ends of the axes that follow go along: no later turn brings them.
        Box across = box;
        for (std::size_t d = axis + 1; d < 3 && parts > 1; ++d) {
          if (cuts.n[d] == 1) continue;
          --across.first[d];
          ++across.last[d];
        }
        // The layers next to an end: inside a patch of so many values, or in its halo.
        const auto layers = [&](int end, int values, bool inside) {
          Box part = across;
          part.first[axis] = end < 0 ? (inside ? 0 : -wide) : (inside ? values - wide : values);
          part.last[axis] = part.first[axis] + wide;
          return part;
        };
        turn.push_back({neighbour, side, layers(-side, m, true), layers(side, n, false)});
        if (parts > 1) sent.push_back({neighbour, -side, layers(side, n, true), layers(-side, m, false)});
      }
      if (!turn.empty()) {
        if (parts == 1 && width == 1) own_turns_.push_back(turn);
        with_others_ = with_others_ || parts > 1;
        turns_[static_cast<std::size_t>(width - 1)].push_back(std::move(turn));
        sent_[static_cast<std::size_t>(width - 1)].push_back(std::move(sent));
      }
      box.first[axis] -= wide;
      box.last[axis] += wide;
    }
  }
}

}  // namespace poisson
