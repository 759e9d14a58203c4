#include "backends/exchange.hpp"

namespace poisson {
namespace {

std::array<int, 3> place(const Cuts& cuts, int patch) {
  return {patch % cuts.count(0), patch / cuts.count(0) % cuts.count(1), patch / (cuts.count(0) * cuts.count(1))};
}

}  // namespace

Box Cuts::patch(int number) const {
  const std::array<int, 3> at = place(*this, number);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto part = static_cast<std::size_t>(at[d]);
    box.first[d] = first[d][part];
    box.last[d] = part + 1 < first[d].size() ? first[d][part + 1] : n[d];
  }
  return box;
}

Exchange::Exchange(const Cuts& cuts, int patch) {
  const Box own = cuts.patch(patch);
  Box box;  // of the planes that are copied along an axis
  for (std::size_t d = 0; d < 3; ++d) box.last[d] = own.last[d] - own.first[d];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis > 0 && cuts.n[axis] == 1) continue;  // such an axis has no halo
    Turn turn;
    for (const int side : {-1, 1}) {
      std::array<int, 3> at = place(cuts, patch);
      at[axis] += side;
      const int parts = cuts.count(axis);
      if (at[axis] < 0 || at[axis] >= parts) {
        if (!cuts.periodic[axis]) continue;
        at[axis] = (at[axis] + parts) % parts;
      }
      const int neighbour = at[0] + cuts.count(0) * (at[1] + cuts.count(1) * at[2]);
      const Box there = cuts.patch(neighbour);
      Piece piece{neighbour, box, box};
      piece.from.first[axis] = side < 0 ? there.last[axis] - there.first[axis] - 1 : 0;
      piece.to.first[axis] = side < 0 ? -1 : own.last[axis] - own.first[axis];
      piece.from.last[axis] = piece.from.first[axis] + 1;
      piece.to.last[axis] = piece.to.first[axis] + 1;
      turn.push_back(piece);
    }
    if (!turn.empty() && cuts.count(axis) == 1) own_turns_.push_back(turn);
    if (!turn.empty()) turns_.push_back(std::move(turn));
    --box.first[axis];
    ++box.last[axis];
  }
}

}  // namespace poisson
