#include "backends/spaces/halo_moves.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace poisson {
namespace {

// Returns the part next to `at` along an axis; nothing past an end of the grid.
std::optional<int> next_part(const Cuts& cuts, std::size_t axis, int at, int side) {
  const int next = at + side, parts = cuts.count(axis);
  if (next >= 0 && next < parts) return next;
  if (!cuts.periodic[axis]) return {};
  return (next + parts) % parts;
}

// Returns the move into the halo of a patch in a direction, whose entries are −1, 0 or 1; nothing if no patch owns it.
std::optional<Move> move_from(const Cuts& cuts, int patch, const std::array<int, 3>& direction) {
  const std::array<int, 3> here = cuts.place(patch);
  std::array<int, 3> there = here;
  std::array<bool, 3> past_end{};
  bool moves = false, within = false;  // `within`: an axis that is not cut is its own neighbour
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] == 0) continue;
    if (d > 0 && cuts.n[d] == 1) return {};  // such an axis has no halo
    if (const auto next = next_part(cuts, d, here[d], direction[d])) {
      there[d] = *next;
      moves = true;
      within = within || cuts.count(d) == 1;
    } else if (within) {
      return {};
    } else {
      past_end[d] = true;
    }
  }
  if (!moves) return {};
  const int owner = there[0] + cuts.count(0) * (there[1] + cuts.count(1) * there[2]);
  const Box own = cuts.patch(patch), other = cuts.patch(owner);
  Move move{owner, {}, patch, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = own.last[d] - own.first[d], m = other.last[d] - other.first[d];
    const auto layer = [&](int first) { return std::array{first, first + 1}; };
    const std::array<int, 2> halo = direction[d] == 0 ? std::array{0, n} : layer(direction[d] < 0 ? -1 : n);
    const std::array<int, 2> from = direction[d] == 0 || past_end[d] ? halo : layer(direction[d] < 0 ? m - 1 : 0);
    move.to.first[d] = halo[0];
    move.to.last[d] = halo[1];
    move.from.first[d] = from[0];
    move.from.last[d] = from[1];
  }
  return move;
}

}  // namespace

std::vector<Move> halo_moves(const Cuts& cuts) {
  std::vector<Move> moves;
  for (int patch = 0; patch < cuts.patches(); ++patch)
    for (int at = 0; at < 27; ++at)
      if (const auto move = move_from(cuts, patch, {at % 3 - 1, at / 3 % 3 - 1, at / 9 - 1})) moves.push_back(*move);
  return moves;
}

}  // namespace poisson
