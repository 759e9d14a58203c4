// This file assembles the equations on blocks.

#include <algorithm>
#include <cmath>

#include "backends/memory/error.hpp"
#include "grids/blocks/element_assembler.hpp"
#include "grids/blocks/held_nodes.hpp"
#include "grids/blocks/line_sizes.hpp"
#include "grids/blocks/plane_colours.hpp"
#include "grids/blocks/replicated_blocks.hpp"
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

// Returns the numbers of cells of the next coarser level; nothing if they stay. Those of `kept` classes stay.
std::vector<int> coarser(const std::vector<int>& cells, const std::vector<bool>& kept = {}) {
  std::vector<int> coarse;
  for (std::size_t c = 0; c < cells.size(); ++c)
    coarse.push_back(!kept.empty() && kept[c] ? cells[c] : static_cast<int>(coarse_cells(cells[c]).size()) - 1);
  return coarse == cells ? std::vector<int>{} : coarse;
}

// Chooses the cells of levels. Lines smooth errors of needles slowly that are flat across them and oscillate along
// them. Needles are therefore coarsened across first, until they are short.
class Coarsening {
 public:
  Coarsening(const MeshData& data, const BlockMesh& mesh, double needle)
      : data_(data), mesh_(mesh), has_needles_(needle > needle_limit) {
    if (has_needles_) nodes_ = all_nodes(mesh);
  }
  /// Returns the cells of the next level; nothing: there is none.
  std::vector<int> next(const std::vector<int>& cells) {
    if (!has_needles_) return coarser(cells);
    const NeedleClasses needles = find_needles(mesh_, data_, nodes_);
    std::vector<bool> kept;
    for (const double ratio : needles.along) kept.push_back(ratio > 1);
    has_needles_ = needles.agree && std::ranges::find(kept, true) != kept.end();
    std::vector<int> coarse = has_needles_ ? coarser(cells, kept) : std::vector<int>{};
    if (coarse.empty()) {
      has_needles_ = false;
      return coarser(cells);
    }
    for (std::size_t c = 0; c < cells.size(); ++c) nodes_[c] = coarse_nodes(nodes_[c], coarse[c]);
    return coarse;
  }

 private:
  const MeshData& data_;
  const BlockMesh& mesh_;
  bool has_needles_;
  std::vector<std::vector<int>> nodes_;  // of the level, among those of the finest one, by class
};

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
    const CoarseCells places(*fine.numbers, n, coarse ? coarse->numbers->cells_of(own.block) : n);
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
std::vector<std::shared_ptr<const BlockNumbers>> choose_levels(const MeshData& data, const BlockMesh& mesh,
                                                               const std::vector<bool>& free, std::int64_t coarsest,
                                                               double needle) {
  std::vector<std::shared_ptr<const BlockNumbers>> levels{mesh.nodes};
  Coarsening coarsening(data, mesh, needle);
  while (unknowns_of(*levels.back(), free) > coarsest) {
    std::vector<int> cells = coarsening.next(levels.back()->cells());
    if (cells.empty()) break;
    auto next =
        std::make_shared<const BlockNumbers>(mesh.nodes->shared_topology(), std::move(cells), levels.back().get());
    if (unknowns_of(*next, free) == 0) break;  // one cell across a box whose sides are all held
    levels.push_back(std::move(next));
  }
  return levels;
}

// Returns the first level that every process has completely. With one process there is none.
std::size_t first_replicated(const std::vector<std::shared_ptr<const BlockNumbers>>& levels,
                             const std::vector<bool>& free, int processes, bool on_device) {
  std::size_t l = 1;
  const std::int64_t most =
      on_device ? std::clamp(unknowns_of(*levels[0], free) / 32, most_replicated, most_replicated * 5 / 2)
                : most_replicated_on_cpus;
  while (l < levels.size() && (processes == 1 || unknowns_of(*levels[l], free) > most)) ++l;
  return std::min(l, levels.size());
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

using Levels = std::vector<std::shared_ptr<const BlockNumbers>>;

// Returns the sizes of levels if process[b] has block b.
std::vector<BlockLevelSize> level_sizes(const MeshData& data, const BlockMesh& mesh, const HeldNodes& held,
                                        const Levels& levels, const std::vector<int>& process, int processes,
                                        bool on_device) {
  const auto& [free, pinned] = held;
  const std::size_t replicated = first_replicated(levels, free, processes, on_device);
  const std::vector<int> one(process.size(), 0);
  std::vector<BlockLevelSize> sizes;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::vector<BlockLevelSize> of(static_cast<std::size_t>(processes));
    const std::vector<int>& owner = l < replicated ? process : one;
    for (std::size_t p = 0; p < levels[l]->topology().parts().size(); ++p) add_part(*levels[l], p, owner, of);
    add_line_sizes(mesh, *levels[l], owner, of);
    const BlockLevelSize& most = *std::ranges::max_element(of, {}, &BlockLevelSize::nodes);
    sizes.push_back(most);
    sizes.back().unknowns = unknowns_of(*levels[l], free);
    sizes.back().isotropic = data.kappa_entries == 1;
  }
  if (sizes.front().unknowns == 0)
    throw InputError(
        "the conditions give u at all nodes of the blocks, so that nothing is left to solve; use more cells, or fewer "
        "Dirichlet conditions and fixed materials");
  const bool robin = std::ranges::any_of(
      data.facets, [&](const ConditionedFacet& facet) { return data.condition(facet).kind == BoundaryKind::robin; });
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    sizes[l].sums = robin || !data.reaction.empty() || l >= replicated;
    sizes[l].pinned = !pinned.empty();
  }
  if (mesh.mesh->dimension == 3 && !robin && pinned.empty())
    sizes.front().computed =
        24 + (data.range > 1 || !data.reaction.empty() ? 8 * static_cast<double>(data.kappa_entries) : 0) +
        (data.reaction.empty() ? 0 : 8);
  return sizes;
}

// Contains the spaces of all levels, and of the first one that every process has on the blocks of the processes.
struct LevelSpaces {
  std::vector<std::shared_ptr<const BlockSpace>> of_levels;
  std::size_t replicated = 0;
  std::shared_ptr<const BlockSpace> shares;

  /// Returns the space that has the blocks of the level above; null: there is no such level.
  const BlockSpace* below(std::size_t l) const {
    return l + 1 == of_levels.size() ? nullptr : l + 1 == replicated ? shares.get() : of_levels[l + 1].get();
  }
};

LevelSpaces make_spaces(const Levels& levels, const std::vector<bool>& free, const std::vector<int>& process,
                        const std::shared_ptr<const Processes>& processes, bool on_device) {
  LevelSpaces spaces;
  spaces.replicated = first_replicated(levels, free, processes->count(), on_device);
  const std::vector<int> one(process.size(), 0);
  for (std::size_t l = 0; l < levels.size(); ++l)
    spaces.of_levels.push_back(l < spaces.replicated
                                   ? std::make_shared<const BlockSpace>(levels[l], process, free, processes)
                                   : std::make_shared<const BlockSpace>(levels[l], one, free, one_process()));
  if (spaces.replicated < levels.size())
    spaces.shares = std::make_shared<const BlockSpace>(levels[spaces.replicated], process, free, processes);
  return spaces;
}

// Finds the factors of the blocks of a level from those of the level above. Those of replicated blocks are gathered.
void coarsen_factors(const BlockLevel& finer, const BlockNumbers& numbers, const BlockSpace* shares,
                     BlockMatrix& matrix) {
  std::vector<std::vector<double>> lists(finer.space->own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < lists.size(); ++b) {
    const std::optional<TensorFactors>& of = finer.matrix->own[b].tensor;
    const std::array<int, 3> n = numbers.cells_of(finer.space->own[b].block);
    if (of && shares) lists[b] = packed(coarsened(*of, *finer.space->numbers, n));
    if (of && !shares) matrix.own[b].tensor = coarsened(*of, *finer.space->numbers, n);
  }
  if (!shares) return;
  const std::vector<std::vector<double>> all = lists_of_all_blocks(*shares, lists);
  for (std::size_t b = 0; b < all.size(); ++b) matrix.own[b].tensor = unpacked(all[b]);
}

}  // namespace

std::vector<BlockLevelSize> block_level_sizes(const MeshData& data, const BlockMesh& mesh, int processes,
                                              std::int64_t coarsest, double needle, bool on_device) {
  const auto held = find_held_nodes(data, mesh);
  return level_sizes(data, mesh, held, choose_levels(data, mesh, held.free, coarsest, needle),
                     share_blocks(*mesh.nodes, processes), processes, on_device);
}

BlockSystem assemble_blocks(const MeshData& data, const BlockMesh& mesh,
                            const std::shared_ptr<const Processes>& processes, std::int64_t coarsest,
                            const CellStretch& stretch, bool on_device) {
  BlockSystem system;
  system.stretch = stretch;
  system.range = data.range;
  system.isotropic = data.kappa_entries == 1;
  system.singular = blocks_touch(mesh) ? !holds_any(data) : !has_fixed_values(data);
  const auto held = find_held_nodes(data, mesh);
  const auto& [free, pinned] = held;
  const std::vector<int> process = share_blocks(*mesh.nodes, *processes);
  const Levels levels = choose_levels(data, mesh, free, coarsest, stretch.needle);
  system.sizes = level_sizes(data, mesh, held, levels, process, processes->count(), on_device);
  const LevelSpaces spaces = make_spaces(levels, free, process, processes, on_device);
  BlockElements elements;
  const std::shared_ptr<const BlockSources> sources = sources_of(data, mesh, *spaces.of_levels.front());
  for (std::size_t l = 0; l < spaces.of_levels.size(); ++l) {
    const std::shared_ptr<const BlockSpace>& space = spaces.of_levels[l];
    const BlockSpace* const next = spaces.below(l);
    const std::shared_ptr<const BlockSpace> shares = l == spaces.replicated ? spaces.shares : nullptr;
    auto matrix = std::make_shared<BlockMatrix>();
    if (shares && !on_device) elements.own = lists_of_all_blocks(*shares, elements.own);
    if (on_device) {
      matrix->own.resize(space->own.size());
    } else if (l == 0) {
      elements = assemble_finest(mesh, ElementAssembler(data, pinned), *space, next, system, *matrix);
    } else {
      *matrix = matrix_of(*space, elements);
      if (next) elements = coarse_elements(*space, *next, elements);
    }
    if (l == 0) {
      matrix->sources = sources;
#pragma omp parallel for schedule(dynamic, 1)
      for (std::size_t b = 0; b < space->own.size(); ++b)
        if (!sources->robin(b))
          matrix->own[b].tensor = find_tensor_factors(data, mesh, mesh.piece(space->own[b].block));
    } else {
      matrix->finer = std::make_shared<const BlockLevel>(system.levels.back());
      coarsen_factors(system.levels.back(), *space->numbers, shares.get(), *matrix);
    }
    system.levels.push_back({space, std::move(matrix), shares});
  }
  return system;
}

}  // namespace poisson
