#pragma once

#include <vector>

#include "backends/memory/unset_vector.hpp"
#include "grids/blocks/block_sources.hpp"
#include "grids/blocks/stacked_tables.hpp"

/// Joins what the blocks of a group are assembled from (BlockSources), on the host and on all threads.
namespace poisson {

/// Returns the blocks of a group, as in BlockSpace::own, patch by patch.
std::vector<std::size_t> own_of_group(const StackedLists& lists, std::size_t group);

/// Contains places and coefficients as CellTables locates them.
struct HostCells {
  UnsetVector<double> place;
  std::vector<double> kappa, sigma;
  std::int64_t coefficients = 1;
  bool varies = false, tensor = false;
};
HostCells join_cells(const BlockSources& sources, const std::vector<std::size_t>& own, const BlockShape& shape,
                     int dimension);

/// Contains f as ComputeLoads reads it.
struct HostDensity {
  UnsetVector<double> constant, points;
  std::vector<double> unit;  ///< measure of a unit of places, by patch
  bool varies = false;
};
HostDensity join_density(const BlockSources& sources, const std::vector<std::size_t>& own, const BlockShape& shape,
                         int dimension);

/// Contains what facets add to cells, `size` values for each. Patches are counted from the first one of a part.
struct HostFacets {
  std::vector<int> patch, cell;
  std::vector<double> values;
};
/// Selects the facets of `count` patches whose cells are between `first_cell` and as many as `cells` after it.
HostFacets join_facets(const BlockSources& sources, const std::vector<std::size_t>& own,
                       std::vector<double> BlockFacets::*values, int size, int first, int count,
                       std::int64_t first_cell, std::int64_t cells);

}  // namespace poisson
