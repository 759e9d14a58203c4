#include "grids/blocks/block_space.hpp"

#include <algorithm>
#include <utility>

#include "backends/device/backend.hpp"

namespace poisson {

Layout layout_of_part(const BlockNumbers& numbers, int part) {
  const int dimension = numbers.topology().dimension();
  const bool block = numbers.topology().parts()[static_cast<std::size_t>(part)].dimension == dimension;
  Layout layout;
  layout.n = numbers.extent(part);
  layout.halo = block ? std::array{1, 1, 1} : std::array{0, 0, 0};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension) && block; ++d) layout.n[d] += 2;
  return layout;
}

namespace {

struct ListedPatches {
  std::vector<PatchOfAll> all;
  std::vector<int> patch_of_part, part_of_patch;
};

ListedPatches list_patches(const BlockNumbers& numbers, const std::vector<int>& process,
                           const std::vector<bool>& free) {
  const MacroTopology& topology = numbers.topology();
  const auto dimension = static_cast<std::size_t>(topology.dimension());
  ListedPatches list;
  int plane = 0;
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    const MacroPart& part = topology.parts()[p];
    const std::array<int, 3> extent = numbers.extent(static_cast<int>(p));
    const bool block = part.dimension == topology.dimension();
    list.patch_of_part.push_back(-1);
    if (!block && (extent[0] == 0 || extent[1] == 0 || extent[2] == 0)) continue;
    PatchOfAll patch;
    patch.process = process[static_cast<std::size_t>(part.blocks[0])];
    patch.layout = layout_of_part(numbers, static_cast<int>(p));
    Box values = patch.layout.box();
    for (std::size_t d = 0; d < dimension && block; ++d) {
      values.first[d] = 1;
      values.last[d] = extent[d] + 1;
    }
    patch.patch.counted = values;
    patch.patch.unknowns = free[p] ? values : Box{};
    patch.patch.first_plane = plane;
    plane += patch.layout.n[dimension - 1];
    list.patch_of_part.back() = static_cast<int>(list.all.size());
    list.part_of_patch.push_back(static_cast<int>(p));
    list.all.push_back(patch);
  }
  return list;
}

// Returns the moves from parts to the ends of blocks: of all blocks, or of the owners alone.
std::vector<Move> moves_to_blocks(const BlockNumbers& numbers, const ListedPatches& list, bool owners) {
  const MacroTopology& topology = numbers.topology();
  std::vector<Move> moves;
  std::vector<bool> done(topology.parts().size(), false);
  for (int b = 0; b < topology.blocks(); ++b)
    for (int place = 0; place < topology.places(); ++place) {
      const PartInBlock& in = topology.place(b, place);
      const auto part = static_cast<std::size_t>(in.part);
      const int patch = list.patch_of_part[part];
      if (topology.parts()[part].dimension == topology.dimension() || patch < 0) continue;
      if (owners && done[part]) continue;
      done[part] = true;
      Move move;
      move.patch = patch;
      move.from = list.all[static_cast<std::size_t>(patch)].layout.box();
      move.to_patch = list.patch_of_part[static_cast<std::size_t>(topology.place(b, topology.places() / 2).part)];
      move.to = numbers.box_of(b, place);
      move.turn = {in.axis, in.flipped};
      moves.push_back(move);
    }
  return moves;
}

Space make_space(const BlockNumbers& numbers, const ListedPatches& list,
                 const std::shared_ptr<const Processes>& processes) {
  std::vector<PatchGroup> groups = groups_of(list.all, processes->rank());
  for (PatchGroup& group : groups)
    if (BlockSpace::has_blocks(group)) group.values = group.patches.front().counted;
  return {std::move(groups), Exchange(program_of(list.all, {moves_to_blocks(numbers, list, false)}, processes->rank())),
          processes};
}

}  // namespace

BlockSpace::BlockSpace(std::shared_ptr<const BlockNumbers> of, const std::vector<int>& process_of_block,
                       std::vector<bool> free_parts, std::shared_ptr<const Processes> processes)
    : numbers(std::move(of)),
      process(process_of_block),
      free(std::move(free_parts)),
      shared_processes(std::move(processes)),
      space(Layout{}) {
  const ListedPatches list = list_patches(*numbers, process, free);
  part_of_patch = list.part_of_patch;
  space = make_space(*numbers, list, shared_processes);
  add = space.halo().transposed();
  std::vector<Move> back;
  for (const Move& move : moves_to_blocks(*numbers, list, true))
    back.push_back({move.to_patch, move.to, move.patch, move.from, move.turn.inverse()});
  collect = Exchange(program_of(list.all, {back}, shared_processes->rank()));
  for (Move& move : back) move.adds = true;
  collect_and_add = Exchange(program_of(list.all, {back}, shared_processes->rank()));
  for (std::size_t g = 0; g < space.groups().size(); ++g) {
    const PatchGroup& group = space.groups()[g];
    for (std::size_t p = 0; p < group.patches.size() && has_blocks(group); ++p)
      own.push_back(
          {numbers->topology()
               .parts()[static_cast<std::size_t>(part_of_patch[static_cast<std::size_t>(group.patches[p].number)])]
               .blocks[0],
           g, static_cast<int>(p), group.layout.n});
  }
  // Levels group their blocks differently, because blocks of several shapes may have coarse blocks of one shape.
  std::ranges::sort(own, {}, &Own::block);
}

namespace {

// Calls f(number of the node, value) for all values that this process owns.
template <class T, class F>
void visit_nodes(const BlockSpace& blocks, Field& field, const F& f) {
  for (std::size_t g = 0; g < blocks.space.groups().size(); ++g) {
    const PatchGroup& group = blocks.space.groups()[g];
    const Box& box = group.values;
    cpu::for_each_patch_line(group, box, [&](int p, int j, int k) {
      const auto number = static_cast<std::size_t>(group.patches[static_cast<std::size_t>(p)].number);
      const std::int64_t first = blocks.numbers->first(blocks.part_of_patch[number]),
                         line = (j - box.first[1]) + std::int64_t{box.last[1] - box.first[1]} * (k - box.first[2]);
      T* const values = field.patches<T>(g).line(p, j, k);
      const int n = box.last[0] - box.first[0];
      for (int i = 0; i < n; ++i) f(first + line * n + i, values[box.first[0] + i]);
    });
  }
}

}  // namespace

void put_nodes(const std::vector<double>& values, const BlockSpace& space, Field& field) {
  if (!on_host(field)) {
    const auto host = make_cpu_backend();
    Field copy(*host, field.space(), field.precision());
    put_nodes(values, space, copy);
    return transfer(copy, field);
  }
  dispatch(field.precision(), [&]<class T>(T) {
    visit_nodes<T>(space, field,
                   [&](std::int64_t n, T& value) { value = static_cast<T>(values[static_cast<std::size_t>(n)]); });
  });
}

std::vector<double> get_nodes(const Field& given, const BlockSpace& space) {
  const HostRead read(given);
  const Field& field = *read;
  std::vector<double> values(static_cast<std::size_t>(space.numbers->count()));
  dispatch(field.precision(), [&]<class T>(T) {
    visit_nodes<T>(space, const_cast<Field&>(field),
                   [&](std::int64_t n, T& value) { values[static_cast<std::size_t>(n)] = static_cast<double>(value); });
  });
  const Processes& processes = space.space.processes();
  if (processes.alone()) return values;
  // Each process sends the values of its parts in the order of their numbers.
  const MacroTopology& topology = space.numbers->topology();
  const auto owner = [&](std::size_t part) {
    return space.process[static_cast<std::size_t>(topology.parts()[part].blocks[0])];
  };
  std::vector<std::size_t> count(static_cast<std::size_t>(processes.count()), 0);
  const auto size = [&](std::size_t p) {
    return static_cast<std::size_t>(space.numbers->first(static_cast<int>(p) + 1) -
                                    space.numbers->first(static_cast<int>(p)));
  };
  for (std::size_t p = 0; p < topology.parts().size(); ++p) count[static_cast<std::size_t>(owner(p))] += size(p);
  const std::size_t most = *std::ranges::max_element(count);
  std::vector<double> sent, all(most * count.size());
  for (std::size_t p = 0; p < topology.parts().size(); ++p)
    if (owner(p) == processes.rank())
      sent.insert(sent.end(), values.begin() + space.numbers->first(static_cast<int>(p)),
                  values.begin() + space.numbers->first(static_cast<int>(p) + 1));
  sent.resize(most);
  processes.gather(sent.data(), most * sizeof(double), all.data());
  std::vector<std::size_t> at(count.size());
  for (std::size_t r = 0; r < at.size(); ++r) at[r] = r * most;
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    std::size_t& from = at[static_cast<std::size_t>(owner(p))];
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), size(p),
                values.begin() + space.numbers->first(static_cast<int>(p)));
    from += size(p);
  }
  return values;
}

}  // namespace poisson
