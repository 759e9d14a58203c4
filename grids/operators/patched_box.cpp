#include "grids/operators/patched_box.hpp"

#include <cstddef>
#include <utility>

#include "backends/device/kept_exchange.hpp"
#include "backends/spaces/halo_moves.hpp"

namespace poisson {
namespace {

Box moved(Box box, const std::array<int, 3>& by, int sign) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] += sign * by[d];
    box.last[d] += sign * by[d];
  }
  return box;
}

// Is a patch whose axes differ from those of the grid. `n` are its values along the axes of the grid.
struct Turned {
  Orientation turn;
  std::array<int, 3> n;

  std::size_t axis(std::size_t d) const { return static_cast<std::size_t>(turn.axis[d]); }
  Layout layout(const Layout& given) const {
    Layout turned = given;
    for (std::size_t d = 0; d < 3; ++d) {
      turned.n[d] = given.n[axis(d)];
      turned.halo[d] = given.halo[axis(d)];
      turned.periodic[d] = given.periodic[axis(d)];
    }
    return turned;
  }
  // Returns a box along the axes of the patch.
  Box box(const Box& given) const {
    Box turned;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t a = axis(d);
      turned.first[d] = turn.flipped[d] ? n[a] - given.last[a] : given.first[a];
      turned.last[d] = turn.flipped[d] ? n[a] - given.first[a] : given.last[a];
    }
    return turned;
  }
  // Returns how the axes of the patch run along those of another one, on which the axes of the grid run as `grid` says.
  Orientation after(const Orientation& grid) const {
    Orientation both;
    for (std::size_t d = 0; d < 3; ++d) {
      both.axis[d] = grid.axis[axis(d)];
      both.flipped[d] = turn.flipped[d] != grid.flipped[axis(d)];
    }
    return both;
  }
};

// Returns along how many axes a box lies outside of a patch.
int axes_outside(const Box& box, const std::array<int, 3>& n) {
  int axes = 0;
  for (std::size_t d = 0; d < 3; ++d) axes += box.first[d] < 0 || box.last[d] > n[d] ? 1 : 0;
  return axes;
}

// Extends a patch by the values past the ends of the grid that it reaches.
Box with_ends(Box own, const Box& global, const Cuts& cuts) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (cuts.periodic[d] || cuts.n[d] == 1) continue;
    if (global.first[d] == 0) --own.first[d];
    if (global.last[d] == cuts.n[d]) ++own.last[d];
  }
  return own;
}

}  // namespace

std::shared_ptr<const PatchedBox> make_patched_box(Backend& backend, const Space& box, const Cuts& cuts,
                                                   const std::vector<int>& owners,
                                                   const std::shared_ptr<const Processes>& processes, bool stars,
                                                   const std::vector<Orientation>& turns) {
  std::vector<Turned> of;  // by number
  for (int p = 0; p < cuts.patches(); ++p)
    of.push_back({turns.empty() ? Orientation{} : turns[static_cast<std::size_t>(p)], cuts.layout(p).n});
  const auto turned = [&](int p) -> const Turned& { return of[static_cast<std::size_t>(p)]; };
  std::vector<PatchOfAll> all;
  for (int p = 0; p < cuts.patches(); ++p) {
    const Layout layout = turned(p).layout(cuts.layout(p));
    const Box own = cuts.patch(p);
    const Box unknowns = turned(p).box(moved(intersection(own, box.part().all_unknowns()), own.first, -1));
    const int first_plane = own.first[cuts.n[2] == 1 ? 1 : 2];
    all.push_back({owners[static_cast<std::size_t>(p)], layout, {unknowns, layout.box(), first_plane}});
  }
  std::vector<Move> halos = halo_moves(cuts);
  if (stars) std::erase_if(halos, [&](const Move& move) { return axes_outside(move.to, turned(move.to_patch).n) > 1; });
  for (Move& move : halos) {
    move.turn = turned(move.to_patch).after(turned(move.patch).turn.inverse());
    move.from = turned(move.patch).box(move.from);
    move.to = turned(move.to_patch).box(move.to);
  }
  auto made =
      std::make_shared<PatchedBox>(PatchedBox{{all, {halos}, processes}, box, !turns.empty(), {}, {}, {}, {}, {}, {}});
  ExchangeStep to_box, to_patches, unknowns, added;
  int number = 0;
  for (const PatchGroup& group : made->patches.groups())
    for (const PatchGroup::Patch& patch : group.patches) {
      const Turned& own = turned(patch.number);
      const Box global = cuts.patch(patch.number);
      std::array<int, 3> first = global.first;
      for (std::size_t d = 0; d < 3; ++d) first[d] -= box.part().origin()[d];
      made->places.push_back({first, patch.unknowns});
      const Box here = with_ends({{}, own.n}, global, cuts), there = moved(here, first, 1);
      to_box.own.push_back({number, own.box(here), 0, there, own.turn.inverse()});
      to_patches.own.push_back(to_box.own.back().transposed());
      to_patches.own.back().adds = to_patches.own.back().clears = false;
      const Box free = moved(intersection(global, box.part().all_unknowns()), box.part().origin(), -1);
      if (patch.unknowns.size() > 0) {
        unknowns.own.push_back({0, free, number, patch.unknowns, own.turn});
        added.own.push_back({0, free, number, patch.unknowns, own.turn, true});
      }
      ++number;
    }
  const auto program = [](ExchangeStep& step) { return Exchange(ExchangeProgram{std::move(step)}); };
  made->to_box = program(to_box);
  made->to_patches = program(to_patches);
  made->unknowns_to_patches = program(unknowns);
  made->unknowns_added = program(added);
  made->tables.push_back(keep_exchange(backend, made->to_box, made->patches, box));
  for (const Exchange* const back : {&made->to_patches, &made->unknowns_to_patches, &made->unknowns_added})
    made->tables.push_back(keep_exchange(backend, *back, box, made->patches));
  return made;
}

}  // namespace poisson
