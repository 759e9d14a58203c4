#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/memory/memory.hpp"
#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/stacked_elements.hpp"

namespace poisson {

/// Is a part of a group of blocks: its first patch, its nodes counted from those of this patch, and elements around
/// them.
struct GroupPart {
  BlockShape shape;
  CellGrid grid;
  int first = 0;
  std::int64_t begin = 0, items = 0;        ///< nodes, or coarse cells
  std::int64_t begin_cells = 0, cells = 0;  ///< of complete patches, or of planes of one patch
  RecordView records{};
};

/// Calls f(part) for parts of a group whose records of `size` values fit the memory: some patches, or some planes of
/// one patch. Items are nodes, or the coarse cells that begin at planes of `starts`; a plane has `items` of them. The
/// parts of nodes have the cells around them.
template <int dimension, class Steps, class F>
void for_parts(Steps& steps, const BlockShape& shape, int size, const std::vector<int>& starts, int items, const F& f) {
  if (shape.patches == 0 || shape.nodes == 0) return;  // of a process without blocks
  const bool coarse = !starts.empty();
  const CellGrid grid(shape, dimension);
  const int planes = grid.n[dimension - 1], in_plane = grid.cells / planes,
            count = coarse ? static_cast<int>(starts.size()) - 1 : planes + 1;
  const double bytes = 8.0 * size * in_plane;  // of a plane
  const auto lower = [&](int q) { return coarse ? starts[static_cast<std::size_t>(q)] : std::max(q - 1, 0); };
  const auto upper = [&](int q) { return coarse ? starts[static_cast<std::size_t>(q)] : std::min(q, planes); };
  GroupPart part{shape, grid};
  Buffer room;
  const auto give = [&](std::int64_t cells, int patches) {
    const std::int64_t values = size * cells * patches;
    if (room.bytes() < static_cast<std::size_t>(values) * sizeof(double)) {
      room = {};
      room = steps.template make<double>(values);
    }
    part.cells = cells * patches;
    part.records = {static_cast<double*>(room.data()), cells, size, static_cast<int>(part.begin_cells)};
    f(part);
  };
  if (bytes * planes <= most_bytes_of_elements) {
    const int patches = static_cast<int>(most_bytes_of_elements / (bytes * planes));
    for (part.first = 0; part.first < shape.patches; part.first += patches) {
      part.shape.patches = std::min(patches, shape.patches - part.first);
      part.items = std::int64_t{items} * count * part.shape.patches;
      give(grid.cells, part.shape.patches);
    }
    return;
  }
  part.shape.patches = 1;
  for (part.first = 0; part.first < shape.patches; ++part.first)
    for (int from = 0, to = 1; from < count; from = to++) {
      while (to < count && bytes * (upper(to + 1) - lower(from)) <= most_bytes_of_elements) ++to;
      part.begin = std::int64_t{items} * from;
      part.items = std::int64_t{items} * (to - from);
      part.begin_cells = std::int64_t{in_plane} * lower(from);
      give(std::int64_t{in_plane} * (upper(to) - lower(from)), 1);
    }
}

}  // namespace poisson
