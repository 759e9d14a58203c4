// This file assembles the equations on blocks.

#include <algorithm>
#include <cmath>

#include "backends/memory/error.hpp"
#include "grids/blocks/element_assembler.hpp"
#include "grids/blocks/held_nodes.hpp"
#include "grids/blocks/plane_colours.hpp"
#include "grids/blocks/stacked_bands.hpp"
#include "grids/meshes/mesh_system.hpp"

namespace poisson {
namespace {

// Returns whether all blocks are joined.
bool blocks_touch(const BlockMesh& mesh) {
  const MacroTopology& topology = mesh.numbers->topology();
  std::vector<std::vector<int>> parts_of(static_cast<std::size_t>(topology.blocks()));
  for (std::size_t p = 0; p < topology.parts().size(); ++p)
    for (const int block : topology.parts()[p].blocks)
      parts_of[static_cast<std::size_t>(block)].push_back(static_cast<int>(p));
  std::vector<bool> seen(parts_of.size(), false);
  std::vector<int> next{0};
  seen[0] = true;
  std::size_t count = 1;
  while (!next.empty()) {
    const auto block = static_cast<std::size_t>(next.back());
    next.pop_back();
    for (const int part : parts_of[block])
      for (const int other : topology.parts()[static_cast<std::size_t>(part)].blocks) {
        if (seen[static_cast<std::size_t>(other)]) continue;
        seen[static_cast<std::size_t>(other)] = true;
        next.push_back(other);
        ++count;
      }
  }
  return count == parts_of.size();
}

// Returns whether some condition or reaction determines u.
bool holds_any(const MeshData& data) {
  if (std::ranges::any_of(data.holder, [](int condition) { return condition >= 0; })) return true;
  if (std::ranges::any_of(data.reaction, [](double sigma) { return sigma > 0; })) return true;
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    if (data.condition(data.facets[f]).kind != BoundaryKind::robin) continue;
    const auto half = static_cast<std::ptrdiff_t>(data.data[f].size() / 2);
    if (std::any_of(data.data[f].begin() + half, data.data[f].end(), [](double alpha) { return alpha > 0; }))
      return true;
  }
  return false;
}

std::int64_t unknowns_of(const BlockNumbers& numbers, const std::vector<bool>& free) {
  std::int64_t unknowns = 0;
  for (std::size_t p = 0; p < free.size(); ++p)
    if (free[p]) unknowns += numbers.first(static_cast<int>(p) + 1) - numbers.first(static_cast<int>(p));
  return unknowns;
}

// Returns the numbers of cells of the next coarser level; nothing if every block has one cell.
std::vector<int> coarser(const std::vector<int>& cells) {
  std::vector<int> coarse;
  for (const int n : cells) coarse.push_back(static_cast<int>(coarse_cells(n).size()) - 1);
  return coarse == cells ? std::vector<int>{} : coarse;
}

// Assembles the finest level, its loads, and the elements of the next coarser level.
BlockElements assemble_finest(const BlockMesh& mesh, const ElementAssembler& assembler, const BlockSpace& fine,
                              const BlockSpace* coarse, BlockSystem& system, BlockMatrix& matrix) {
  const int dimension = fine.dimension();
  const std::size_t record = BlockElements::record(dimension), corners = std::size_t{1} << dimension;
  BlockElements made;
  matrix.own.resize(fine.own.size());
  made.own.resize(fine.own.size());
  system.load.resize(fine.own.size());
  system.volume.resize(fine.own.size());
  // Threads take blocks, or cells of a block if there are few.
#pragma omp parallel for schedule(dynamic, 1) if (takes_blocks(fine))
  for (std::size_t b = 0; b < fine.own.size(); ++b) {
    const BlockSpace::Own& own = fine.own[b];
    const std::array<int, 3> n = fine.numbers->cells_of(own.block);
    const CoarseCells places(n, dimension);
    BlockMatrix::OfBlock& to = matrix.own[b];
    to.bands.assign(forward_offsets(dimension).size() * static_cast<std::size_t>(own.size()), 0);
    to.sums.assign(static_cast<std::size_t>(own.size()), 0);
    std::vector<double>&load = system.load[b], &volume = system.volume[b], &elements = made.own[b];
    load.resize(to.sums.size());
    volume.resize(to.sums.size());
    if (coarse) elements.assign(static_cast<std::size_t>(coarse->numbers->cell_count(own.block)) * record, 0);
    const BlockMesh::Piece piece = mesh.piece(own.block);
    for_cells_by_planes(n, dimension, places.planes(), [&](const std::array<int, 3>& cell, std::int64_t) {
      LoadedElement element = assembler(mesh.cell(piece, cell));
      add_to_bands(element.matrix, dimension, own.nodes, cell, to);
      for (std::size_t c = 0; c < corners; ++c) {
        const auto at = static_cast<std::size_t>(
            cell[0] + static_cast<int>(c & 1) +
            std::int64_t{own.nodes[0]} * (cell[1] + static_cast<int>(c >> 1 & 1) +
                                          std::int64_t{own.nodes[1]} * (cell[2] + static_cast<int>(c >> 2))));
        load[at] += element.load[c];
        volume[at] += element.volume[c];
      }
      if (!coarse) return;
      const CoarseCells::Place place = places(cell);
      restrict_element(element.matrix, dimension, place.from, place.to);
      add_to_record(element.matrix, corners, elements.data() + static_cast<std::size_t>(place.number) * record);
    });
  }
  return made;
}

// Returns the numbers of all levels, finest first.
std::vector<std::shared_ptr<const BlockNumbers>> choose_levels(const BlockMesh& mesh, const std::vector<bool>& free,
                                                               std::int64_t coarsest) {
  std::vector<std::shared_ptr<const BlockNumbers>> levels{mesh.nodes};
  while (unknowns_of(*levels.back(), free) > coarsest) {
    std::vector<int> cells = coarser(levels.back()->cells());
    if (cells.empty()) break;
    auto next = std::make_shared<const BlockNumbers>(mesh.nodes->shared_topology(), std::move(cells));
    if (unknowns_of(*next, free) == 0) break;  // one cell across a box whose sides are all held
    levels.push_back(std::move(next));
  }
  return levels;
}

// Adds a part to the sizes of its process.
void add_part(const BlockNumbers& numbers, std::size_t p, const std::vector<int>& process,
              std::vector<BlockLevelSize>& sizes) {
  const MacroPart& part = numbers.topology().parts()[p];
  const bool plane = numbers.topology().dimension() == 2;
  BlockLevelSize& to = sizes[static_cast<std::size_t>(process[static_cast<std::size_t>(part.blocks[0])])];
  const std::array<int, 3> inside = numbers.extent(static_cast<int>(p));
  const Layout layout = layout_of_part(numbers, static_cast<int>(p));
  const double values = static_cast<double>(inside[0]) * inside[1] * inside[2];
  const bool block = part.dimension == numbers.topology().dimension();
  if (values > 0 || block) {
    to.field[0] += 4 * static_cast<double>(layout.stride(Precision::fp32));
    to.field[1] += 8 * static_cast<double>(layout.stride(Precision::fp64));
  }
  if (!block) {
    to.interfaces += values;
    return;
  }
  const std::array<int, 3>& n = layout.n;
  const double in_plane = static_cast<double>(n[0]) * n[1], all = in_plane * n[2];
  to.nodes += static_cast<std::int64_t>(all);
  const BlockShape shape{.n = {n[0], n[1], n[2]}, .patches = 1, .by_nodes = {}, .by_line = {}, .by_plane = {}};
  to.bands += static_cast<double>(BandPlaces(shape, plane ? 4 : 13).plane(shape, 1, 0) -
                                  BandPlaces(shape, plane ? 4 : 13).plane(shape, 0, 0));
  to.slots += plane ? in_plane - values : all - values;
}

// Returns the sizes of all levels if process[b] has block b.
std::vector<BlockLevelSize> level_sizes(const MeshData& data, const BlockMesh& mesh, const std::vector<int>& process,
                                        int processes, std::int64_t coarsest) {
  const auto [free, pinned] = find_held_nodes(data, mesh);
  std::vector<BlockLevelSize> sizes;
  for (const auto& numbers : choose_levels(mesh, free, coarsest)) {
    std::vector<BlockLevelSize> of(static_cast<std::size_t>(processes));
    for (std::size_t p = 0; p < numbers->topology().parts().size(); ++p) add_part(*numbers, p, process, of);
    const BlockLevelSize& most = *std::ranges::max_element(of, {}, &BlockLevelSize::nodes);
    sizes.push_back(most);
    sizes.back().unknowns = unknowns_of(*numbers, free);
    sizes.back().isotropic = data.kappa_entries == 1;
  }
  if (sizes.front().unknowns == 0)
    throw InputError(
        "the conditions give u at all nodes of the blocks, so that nothing is left to solve; use more cells, or fewer "
        "Dirichlet conditions and fixed materials");
  const bool robin = std::ranges::any_of(
      data.facets, [&](const ConditionedFacet& facet) { return data.condition(facet).kind == BoundaryKind::robin; });
  for (BlockLevelSize& size : sizes) {
    size.sums = robin || !data.reaction.empty();
    size.pinned = !pinned.empty();
  }
  if (mesh.mesh->dimension == 3 && !robin && pinned.empty())
    sizes.front().computed =
        24 + (data.range > 1 || !data.reaction.empty() ? 8 * static_cast<double>(data.kappa_entries) : 0) +
        (data.reaction.empty() ? 0 : 8);
  return sizes;
}

}  // namespace

std::vector<BlockLevelSize> block_level_sizes(const MeshData& data, const BlockMesh& mesh, int processes,
                                              std::int64_t coarsest) {
  return level_sizes(data, mesh, share_blocks(*mesh.nodes, processes), processes, coarsest);
}

BlockSystem assemble_blocks(const MeshData& data, const BlockMesh& mesh,
                            const std::shared_ptr<const Processes>& processes, std::int64_t coarsest,
                            const CellStretch& stretch, bool on_device) {
  BlockSystem system;
  system.stretch = stretch;
  system.range = data.range;
  system.isotropic = data.kappa_entries == 1;
  system.singular = blocks_touch(mesh) ? !holds_any(data) : !has_fixed_values(data);
  const auto [free, pinned] = find_held_nodes(data, mesh);
  const std::vector<int> process = share_blocks(*mesh.nodes, *processes);
  system.sizes = level_sizes(data, mesh, process, processes->count(), coarsest);
  std::vector<std::shared_ptr<const BlockSpace>> spaces;
  for (const auto& numbers : choose_levels(mesh, free, coarsest))
    spaces.push_back(std::make_shared<const BlockSpace>(numbers, process, free, processes));
  BlockElements elements;
  const std::shared_ptr<const BlockSources> sources = sources_of(data, mesh, *spaces.front());
  for (std::size_t l = 0; l < spaces.size(); ++l) {
    const BlockSpace* const next = l + 1 < spaces.size() ? spaces[l + 1].get() : nullptr;
    auto matrix = std::make_shared<BlockMatrix>();
    if (on_device) {
      matrix->own.resize(spaces[l]->own.size());
    } else if (l == 0) {
      elements = assemble_finest(mesh, ElementAssembler(data, pinned), *spaces[l], next, system, *matrix);
    } else {
      *matrix = matrix_of(*spaces[l], elements);
      if (next) elements = coarse_elements(*spaces[l], *next, elements);
    }
    if (l == 0)
      matrix->sources = sources;
    else
      matrix->finer = std::make_shared<const BlockLevel>(system.levels.back());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t b = 0; b < spaces[l]->own.size(); ++b) {
      const int block = spaces[l]->own[b].block;
      if (l == 0 && !sources->robin(b))
        matrix->own[b].tensor = find_tensor_factors(data, mesh, mesh.piece(block));
      else if (l > 0 && system.levels.back().matrix->own[b].tensor)
        matrix->own[b].tensor = coarsened(*system.levels.back().matrix->own[b].tensor);
    }
    system.levels.push_back({spaces[l], std::move(matrix)});
  }
  return system;
}

}  // namespace poisson
