#include "grids/blocks/stacked_tables.hpp"

#include <limits>
#include <numeric>

#include "backends/memory/error.hpp"

namespace poisson {

GroupMemory group_memory(const Space& space, std::size_t group, Precision precision) {
  std::int64_t before = 0;
  for (const PatchGroup& g : space.groups().first(group))
    before += g.layout.allocated(precision, std::ssize(g.patches));
  const Layout& layout = space.groups()[group].layout;
  const bool flat_y = layout.n[1] == 1, flat_z = layout.n[2] == 1;
  const std::int64_t pitch = layout.pitch(precision);
  return {before + layout.origin(precision), layout.stride(precision), flat_y ? 0 : pitch,
          flat_z ? 0 : pitch * (flat_y ? 1 : layout.n[1] + 2 * layout.halo[1])};
}

namespace {

BlockShape shape_of(const PatchGroup& group, int first_slot) {
  BlockShape shape;
  for (std::size_t d = 0; d < 3; ++d) shape.n[d] = group.layout.n[d];
  const std::int64_t nodes = std::int64_t{shape.n[0]} * shape.n[1] * shape.n[2];
  shape.patches = static_cast<int>(group.patches.size());
  if (nodes * shape.patches > std::numeric_limits<int>::max())
    throw RunError("blocks of one shape have 2^31 nodes or more in a process: use more processes");
  shape.nodes = static_cast<int>(nodes);
  const int plane = shape.n[0] * shape.n[1], around = 2 * shape.n[0] + 2 * (shape.n[1] - 2);
  shape.slots = shape.n[2] == 1 ? around : 2 * plane + (shape.n[2] - 2) * around;
  shape.first_slot = first_slot;
  shape.by_nodes = Division(shape.nodes);
  shape.by_line = Division(shape.n[0]);
  shape.by_plane = Division(shape.n[1]);
  return shape;
}

// Finds the values at interfaces, unknowns first. Returns the value of each node behind those of blocks; −1: it belongs
// to another process.
std::vector<int> list_values(const BlockSpace& blocks, std::int64_t first_node, StackedLists& lists) {
  const BlockNumbers& numbers = *blocks.numbers;
  std::vector<int> value(static_cast<std::size_t>(numbers.count() - first_node), -1);
  int count = 0;
  for (const bool wanted : {true, false}) {
    for (std::size_t g = 0; g < blocks.space.groups().size(); ++g) {
      const PatchGroup& group = blocks.space.groups()[g];
      if (BlockSpace::has_blocks(group)) continue;
      std::array<GroupMemory, 2> memory{group_memory(blocks.space, g, Precision::fp32),
                                        group_memory(blocks.space, g, Precision::fp64)};
      for (std::size_t p = 0; p < group.patches.size(); ++p) {
        const int part = blocks.part_of_patch[static_cast<std::size_t>(group.patches[p].number)];
        if (blocks.free[static_cast<std::size_t>(part)] != wanted) continue;
        std::int64_t node = numbers.first(part) - first_node;
        for (int k = 0; k < group.layout.n[2]; ++k)
          for (int j = 0; j < group.layout.n[1]; ++j)
            for (int i = 0; i < group.layout.n[0]; ++i) {
              value[static_cast<std::size_t>(node++)] = count++;
              for (std::size_t t = 0; t < 2; ++t) lists.place[t].push_back(memory[t].at(static_cast<int>(p), i, j, k));
            }
      }
    }
    if (wanted) lists.free = count;
  }
  return value;
}

// Returns the other processes that have blocks at a part.
std::vector<int> processes_at(const BlockSpace& blocks, const MacroPart& part, int except) {
  std::vector<int> all;
  for (const int block : part.blocks)
    if (const int process = blocks.process[static_cast<std::size_t>(block)]; process != except) all.push_back(process);
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

// Calls f(part, node of the block, number) for the nodes of a block at the parts that are `wanted`.
template <class Wanted, class F>
void visit_ends(const BlockSpace& blocks, int block, const Wanted& wanted, const F& f) {
  const MacroTopology& topology = blocks.numbers->topology();
  for (int place = 0; place < topology.places(); ++place) {
    const int number = topology.place(block, place).part;
    const MacroPart& part = topology.parts()[static_cast<std::size_t>(number)];
    if (part.dimension == topology.dimension() || !wanted(number)) continue;
    const Box box = blocks.numbers->box_of(block, place);
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j)
        for (int i = box.first[0]; i < box.last[0]; ++i)
          f(number, BlockShape::Node{0, 0, i, j, k}, blocks.numbers->number(block, {i, j, k}));
  }
}

// Adds the unknowns of other processes at the ends of own blocks. Their places are those in the first block that has
// them.
void add_values_of_others(const BlockSpace& blocks, std::int64_t first_node, std::vector<int>& value,
                          StackedLists& lists) {
  const int rank = blocks.space.processes().rank();
  const MacroTopology& topology = blocks.numbers->topology();
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const auto& memory = lists.groups[static_cast<std::size_t>(lists.group_of_own[b])].memory;
    visit_ends(
        blocks, blocks.own[b].block,
        [&](int part) {
          const int owner = topology.parts()[static_cast<std::size_t>(part)].blocks[0];
          return blocks.process[static_cast<std::size_t>(owner)] != rank && blocks.free[static_cast<std::size_t>(part)];
        },
        [&](int, const BlockShape::Node& at, std::int64_t number) {
          int& v = value[static_cast<std::size_t>(number - first_node)];
          if (v >= 0) return;
          v = static_cast<int>(lists.place[0].size());
          ++lists.others;
          for (std::size_t p = 0; p < 2; ++p)
            lists.place[p].push_back(memory[p].at(blocks.own[b].patch, at.i, at.j, at.k));
        });
  }
}

// Calls f(node, slot) for the nodes at the ends of a block.
template <class F>
void visit_slots(const BlockShape& shape, int patch, const F& f) {
  for (int k = 0; k < shape.n[2]; ++k)
    for (int j = 0; j < shape.n[1]; ++j) {
      const bool inside = j > 0 && j + 1 < shape.n[1] && (shape.n[2] == 1 || (k > 0 && k + 1 < shape.n[2]));
      for (int i = 0; i < shape.n[0]; i += inside ? shape.n[0] - 1 : 1) {
        const BlockShape::Node at{patch, shape.number(i, j, k), i, j, k};
        f(at, shape.slot(at));
      }
    }
}

RowList& list_of(std::vector<RowList>& lists, int process) {
  for (RowList& list : lists)
    if (list.process == process) return list;
  return lists.emplace_back(RowList{process});
}

// Lists the slots that processes send each other, block by block in both. Adds the value of each received slot.
void list_slots_of_others(const BlockSpace& blocks, const std::vector<int>& value, std::int64_t first_node,
                          StackedLists& lists, std::vector<int>& of_slot) {
  const int rank = blocks.space.processes().rank();
  const MacroTopology& topology = blocks.numbers->topology();
  std::vector<std::vector<int>> partners;  // of each part: other processes there
  std::vector<bool> here;                  // it is at an own block
  for (const MacroPart& part : topology.parts()) {
    partners.push_back(processes_at(blocks, part, rank));
    here.push_back(std::ranges::any_of(
        part.blocks, [&](int block) { return blocks.process[static_cast<std::size_t>(block)] == rank; }));
  }
  std::size_t next = 0;
  for (int b = 0; b < topology.blocks(); ++b) {
    const int process = blocks.process[static_cast<std::size_t>(b)];
    if (process != rank) {
      visit_ends(
          blocks, b, [&](int part) { return here[static_cast<std::size_t>(part)]; },
          [&](int, const BlockShape::Node&, std::int64_t number) {
            const int v = value[static_cast<std::size_t>(number - first_node)];
            list_of(lists.exchanged, process).received.push_back(lists.slots + lists.received++);
            of_slot.push_back(v);
            for (std::size_t p = 0; p < 2; ++p)
              lists.copy[p].push_back(v < 0 ? -1 : lists.place[p][static_cast<std::size_t>(v)]);
            if (v >= 0) ++lists.start[static_cast<std::size_t>(v) + 1];
          });
      continue;
    }
    const BlockSpace::Own& own = blocks.own[next];
    const BlockShape& shape = lists.groups[static_cast<std::size_t>(lists.group_of_own[next])].shape;
    ++next;
    visit_ends(
        blocks, b, [&](int part) { return !partners[static_cast<std::size_t>(part)].empty(); },
        [&](int part, BlockShape::Node at, std::int64_t) {
          at.patch = own.patch;
          for (const int partner : partners[static_cast<std::size_t>(part)])
            list_of(lists.exchanged, partner).sent.push_back(shape.slot(at));
        });
  }
}

}  // namespace

std::vector<double> values_at_held_parts(const BlockSpace& blocks, const std::vector<double>& of_nodes) {
  std::vector<double> values;
  for (const PatchGroup& group : blocks.space.groups()) {
    if (BlockSpace::has_blocks(group)) continue;
    for (const PatchGroup::Patch& patch : group.patches) {
      const int part = blocks.part_of_patch[static_cast<std::size_t>(patch.number)];
      if (blocks.free[static_cast<std::size_t>(part)]) continue;
      values.insert(values.end(), of_nodes.begin() + blocks.numbers->first(part),
                    of_nodes.begin() + blocks.numbers->first(part + 1));
    }
  }
  return values;
}

StackedLists make_stacked_lists(const BlockSpace& blocks) {
  StackedLists lists;
  std::vector<std::size_t> of_group(blocks.space.groups().size(), 0);
  for (std::size_t g = 0; g < blocks.space.groups().size(); ++g) {
    const PatchGroup& group = blocks.space.groups()[g];
    if (!BlockSpace::has_blocks(group)) continue;
    of_group[g] = lists.groups.size();
    const BlockShape shape = shape_of(group, lists.slots);
    lists.slots += shape.slots * shape.patches;
    lists.groups.push_back(
        {g, shape, {group_memory(blocks.space, g, Precision::fp32), group_memory(blocks.space, g, Precision::fp64)}});
  }
  const BlockNumbers& numbers = *blocks.numbers;
  const std::int64_t first_node = numbers.first(numbers.topology().blocks());
  std::vector<int> value = list_values(blocks, first_node, lists);
  for (const BlockSpace::Own& own : blocks.own) lists.group_of_own.push_back(static_cast<int>(of_group[own.group]));
  add_values_of_others(blocks, first_node, value, lists);
  lists.start.assign(lists.place[0].size() + 1, 0);
  for (std::vector<std::int64_t>& owner : lists.owner) owner.assign(static_cast<std::size_t>(lists.slots), -1);
  for (std::vector<std::int64_t>& copy : lists.copy) copy.resize(static_cast<std::size_t>(lists.slots));
  std::vector<int> of_slot(static_cast<std::size_t>(lists.slots), -1);
  std::vector<bool> owned(lists.place[0].size(), false);
  for (const BlockSpace::Own& own : blocks.own) {
    const auto& [_, shape, memory] = lists.groups[of_group[own.group]];
    visit_slots(shape, own.patch, [&](const BlockShape::Node& at, int slot) {
      for (std::size_t p = 0; p < 2; ++p)
        lists.copy[p][static_cast<std::size_t>(slot)] = memory[p].at(at.patch, at.i, at.j, at.k);
      const int v = value[static_cast<std::size_t>(numbers.number(own.block, {at.i, at.j, at.k}) - first_node)];
      if (v < 0) return;
      of_slot[static_cast<std::size_t>(slot)] = v;
      ++lists.start[static_cast<std::size_t>(v) + 1];
      const bool owns =
          numbers.topology()
              .parts()[static_cast<std::size_t>(
                  numbers.topology().place(own.block, numbers.place_of(own.block, {at.i, at.j, at.k})).part)]
              .blocks[0] == own.block;
      if (!owns || owned[static_cast<std::size_t>(v)]) return;
      owned[static_cast<std::size_t>(v)] = true;
      for (std::size_t p = 0; p < 2; ++p)
        lists.owner[p][static_cast<std::size_t>(slot)] = lists.place[p][static_cast<std::size_t>(v)];
    });
  }
  list_slots_of_others(blocks, value, first_node, lists, of_slot);
  std::partial_sum(lists.start.begin(), lists.start.end(), lists.start.begin());
  std::vector<int> next(lists.start.begin(), lists.start.end() - 1);
  lists.slot.resize(static_cast<std::size_t>(lists.start.back()));
  for (std::size_t s = 0; s < of_slot.size(); ++s)
    if (of_slot[s] >= 0)
      lists.slot[static_cast<std::size_t>(next[static_cast<std::size_t>(of_slot[s])]++)] = static_cast<int>(s);
  return lists;
}

}  // namespace poisson
