#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/field.hpp"
#include "backends/spaces/space.hpp"
#include "grids/blocks/block_numbers.hpp"

namespace poisson {

/// Is the vector space of the nodes of all blocks on one level.
///
/// Each part of the macro mesh is a patch. A face, edge or vertex has its interior nodes. A block has all of its nodes,
/// but the values at its ends are copies, which only exchanges write. Hence every node counts once in sums, whatever
/// the shape of the interfaces is. The halo exchange copies the values of parts to the ends of blocks.
struct BlockSpace {
  /// Makes the space of a level. `process` is that of each block; parts without `free` nodes have no unknowns.
  /// Collective.
  BlockSpace(std::shared_ptr<const BlockNumbers> numbers, const std::vector<int>& process, std::vector<bool> free,
             std::shared_ptr<const Processes> processes);

  /// Is a block of this process.
  struct Own {
    int block = 0;
    std::size_t group = 0;
    int patch = 0;  ///< in the group
    std::array<int, 3> nodes{};
    std::int64_t size() const { return std::int64_t{1} * nodes[0] * nodes[1] * nodes[2]; }
  };

  std::shared_ptr<const BlockNumbers> numbers;
  std::vector<int> process;  ///< of each block
  std::vector<bool> free;    ///< of each part: its values are unknowns
  std::shared_ptr<const Processes> shared_processes;
  std::vector<int> part_of_patch;  ///< of all processes
  Space space;
  Exchange add;                       ///< adds values at the ends of blocks to the parts, and clears them
  Exchange collect, collect_and_add;  ///< copies or adds the values at the ends of the owner of each part to the part
  std::vector<Own> own;               ///< in the order of their numbers, as on all levels

  int dimension() const { return numbers->topology().dimension(); }
  /// Returns whether a group of the space has blocks.
  static bool has_blocks(const PatchGroup& group) { return group.layout.halo[0] > 0; }

  /// Calls f(own block, its view, j, k) for all memory lines of the blocks of this process on all threads. Lines
  /// include the ends.
  template <class T, class F>
  void for_each_line(Field& field, const F& f) const {
    for (std::size_t b = 0; b < own.size(); ++b) {
      const View<T> view = field.patches<T>(own[b].group)[own[b].patch];
      cpu::for_each_line(Box{{}, own[b].nodes}, cpu::heavy_threshold, [&](int j, int k) { f(b, view, j, k); });
    }
  }
  /// Calls f(patch view, j, k, line) for all lines of faces, edges and vertices.
  template <class F>
  void for_each_part_line(const F& f) const {
    for (std::size_t g = 0; g < space.groups().size(); ++g) {
      const PatchGroup& group = space.groups()[g];
      if (!has_blocks(group))
        cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) { f(g, p, j, k); });
    }
  }
};

/// Returns the layout of the patch of a part.
Layout layout_of_part(const BlockNumbers& numbers, int part);

/// Shares blocks out, so that processes have about equal numbers of cells and few shared nodes. Returns the process of
/// each block. The graph of blocks is bisected recursively: a part grows from several blocks, moves and swaps improve
/// it, and the best one is taken.
std::vector<int> share_blocks(const BlockNumbers& numbers, int processes);
/// Does the same, and takes the parts of METIS instead if they are better. All processes get those of the first one.
/// Collective.
std::vector<int> share_blocks(const BlockNumbers& numbers, const Processes& processes);

/// Copies values between all processes' nodes, by number, and a field. The array has the values of all nodes.
void put_nodes(const std::vector<double>& values, const BlockSpace& space, Field& field);
std::vector<double> get_nodes(const Field& field, const BlockSpace& space);

}  // namespace poisson
