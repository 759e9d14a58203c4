#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/division.hpp"
#include "backends/memory/precision.hpp"
#include "grids/blocks/block_space.hpp"

/// Describes blocks to kernels. A verb runs one kernel over the nodes of all blocks of one shape, and one over the
/// nodes of all interfaces.
namespace poisson {

/// Locates the patches of a group in the memory of a field, counted in values from its start.
struct GroupMemory {
  std::int64_t first = 0, patch = 0, sy = 0, sz = 0;

  constexpr std::int64_t at(int p, int i, int j, int k) const { return first + p * patch + i + j * sy + k * sz; }
};

/// Is the shape of all blocks of a group. Nodes are numbered x fastest, ends included. The nodes at the ends of blocks
/// have *slots*, to which kernels write what a block contributes to an interface.
struct BlockShape {
  int n[3] = {1, 1, 1};
  int patches = 0;
  int nodes = 0;       ///< of a block
  int slots = 0;       ///< of a block
  int first_slot = 0;  ///< of the group
  Division by_nodes, by_line, by_plane;

  struct Node {
    int patch, number, i, j, k;
  };
  constexpr Node node(std::int64_t at) const {
    const int t = static_cast<int>(at), p = by_nodes(t), number = t - p * nodes, line = by_line(number),
              k = by_plane(line);
    return {p, number, number - line * n[0], line - k * n[1], k};
  }
  constexpr int number(int i, int j, int k) const { return i + n[0] * (j + n[1] * k); }
  /// Returns the slot of a node; −1: it is inside.
  constexpr int slot(const Node& at) const {
    const int first = first_slot + at.patch * slots;
    const bool end_x = at.i == 0 || at.i == n[0] - 1, end_y = at.j == 0 || at.j == n[1] - 1;
    const int in_plane = at.j == 0          ? at.i
                         : at.j == n[1] - 1 ? n[0] + at.i
                                            : 2 * n[0] + 2 * (at.j - 1) + (at.i > 0 ? 1 : 0);
    if (n[2] == 1) return end_x || end_y ? first + in_plane : -1;
    const int plane = n[0] * n[1], around = 2 * n[0] + 2 * (n[1] - 2);
    if (at.k == 0) return first + number(at.i, at.j, 0);
    if (at.k == n[2] - 1) return first + plane + number(at.i, at.j, 0);
    return end_x || end_y ? first + 2 * plane + (at.k - 1) * around + in_plane : -1;
  }
};

/// Lists the groups of blocks and the values at interfaces of a process, as tables on the host. Values of unknowns come
/// first, and behind all values those of other processes at the ends of own blocks. Each process sends the slots of its
/// blocks at a part to all others that have blocks there, so that each can compute the values at its ends.
struct StackedLists {
  struct Group {
    std::size_t group = 0;  ///< in the space
    BlockShape shape;
    std::array<GroupMemory, 2> memory;  ///< by precision
  };
  std::vector<Group> groups;
  std::vector<int> group_of_own;                   ///< of BlockSpace::own; patches follow each other
  int slots = 0;                                   ///< of the process
  int received = 0;                                ///< slots of other processes, behind those of this one
  std::vector<RowList> exchanged;                  ///< the slots that processes send each other
  int free = 0;                                    ///< values at interfaces that are unknowns
  int others = 0;                                  ///< unknowns of other processes at the ends of own blocks
  std::array<std::vector<std::int64_t>, 2> place;  ///< of each value, by precision
  std::vector<int> start, slot;                    ///< of each value: the slots that belong to it
  std::array<std::vector<std::int64_t>, 2> owner;  ///< of each slot whose block owns the part: its place, else −1
  std::array<std::vector<std::int64_t>, 2> copy;   ///< of each slot: the place in its block; received: of the value
};

/// Returns where the patches of a group are in fields of a precision.
GroupMemory group_memory(const Space& space, std::size_t group, Precision precision);

/// Returns the values at interfaces without unknowns in the order of the lists, from those of all nodes.
std::vector<double> values_at_held_parts(const BlockSpace& blocks, const std::vector<double>& of_nodes);

/// Makes the lists. Throws RunError if a process has 2³¹ nodes or more.
StackedLists make_stacked_lists(const BlockSpace& blocks);

}  // namespace poisson
