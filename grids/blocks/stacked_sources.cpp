#include "grids/blocks/stacked_sources.hpp"

#include <algorithm>
#include <cmath>

namespace poisson {
namespace {

std::int64_t count_cells(const BlockShape& shape, int dimension) {
  std::int64_t cells = 1;
  for (int d = 0; d < dimension; ++d) cells *= shape.n[d] - 1;
  return cells;
}

// Calls f(patch) for all patches, a thread for each if there are many.
template <class F>
void for_patches(std::size_t count, const F& f) {
#pragma omp parallel for schedule(dynamic, 1) if (count > 3)
  for (std::size_t p = 0; p < count; ++p) f(p);
}

}  // namespace

std::vector<std::size_t> own_of_group(const StackedLists& lists, std::size_t group) {
  std::vector<std::size_t> own;
  for (std::size_t b = 0; b < lists.group_of_own.size(); ++b)
    if (lists.group_of_own[b] == static_cast<int>(group)) own.push_back(b);
  return own;
}

HostCells join_cells(const BlockSources& sources, const std::vector<std::size_t>& own, const BlockShape& shape,
                     int dimension) {
  HostCells joined;
  const std::size_t values = 3 * static_cast<std::size_t>(shape.nodes);
  joined.place.resize(values * own.size());
  std::vector<BlockCells> all(own.size());
  for_patches(own.size(), [&](std::size_t p) { all[p] = sources.cells(own[p], joined.place.data() + p * values); });
  bool reacts = false;
  for (const BlockCells& of : all) {
    joined.varies = joined.varies || of.varies;
    joined.tensor = joined.tensor || of.entries > 1;
    reacts = reacts || !of.sigma.empty();
  }
  joined.coefficients = joined.varies ? count_cells(shape, dimension) : 1;
  const auto count = static_cast<std::size_t>(joined.coefficients);
  const std::size_t entries = joined.tensor ? 6 : 1;
  joined.kappa.resize(entries * count * own.size());
  if (reacts) joined.sigma.resize(count * own.size());
  for_patches(own.size(), [&](std::size_t p) {
    for (std::size_t e = 0; e < entries; ++e)
      for (std::size_t c = 0; c < count; ++c) joined.kappa[(p * entries + e) * count + c] = all[p].kappa_of(e, c);
    for (std::size_t c = 0; c < count && reacts; ++c) joined.sigma[p * count + c] = all[p].sigma_of(c);
  });
  return joined;
}

HostDensity join_density(const BlockSources& sources, const std::vector<std::size_t>& own, const BlockShape& shape,
                         int dimension) {
  HostDensity joined;
  std::vector<BlockDensity> all(own.size());
  joined.unit.resize(own.size());
  for_patches(own.size(), [&](std::size_t p) {
    all[p] = sources.density(own[p]);
    joined.unit[p] = std::pow(sources.unit(own[p]), dimension);
  });
  bool any = false, points = false;
  for (const BlockDensity& of : all) {
    joined.varies = joined.varies || of.varies;
    any = any || !of.constant.empty();
    points = points || !of.points.empty();
  }
  const auto cells = static_cast<std::size_t>(count_cells(shape, dimension)), count = joined.varies ? cells : 1,
             at_points = cells << dimension;
  if (any) joined.constant.resize(count * own.size());
  if (points) joined.points.resize(at_points * own.size());
  for_patches(own.size(), [&](std::size_t p) {
    const BlockDensity& of = all[p];
    for (std::size_t c = 0; c < count && any; ++c)
      joined.constant[p * count + c] = of.constant.empty() ? 0 : of.constant[of.varies ? c : 0];
    for (std::size_t q = 0; q < at_points && points; ++q)
      joined.points[p * at_points + q] = of.points.empty() ? 0 : of.points[q];
  });
  return joined;
}

HostFacets join_facets(const BlockSources& sources, const std::vector<std::size_t>& own,
                       std::vector<double> BlockFacets::*values, int size, int first, int count,
                       std::int64_t first_cell, std::int64_t cells) {
  HostFacets joined;
  for (int p = 0; p < count; ++p) {
    const BlockFacets& of = sources.facets(own[static_cast<std::size_t>(first + p)]);
    const std::vector<double>& from = of.*values;
    if (from.empty()) continue;
    for (std::size_t c = 0; c < of.cell.size(); ++c) {
      if (of.cell[c] < first_cell || of.cell[c] >= first_cell + cells) continue;
      joined.patch.push_back(p);
      joined.cell.push_back(of.cell[c]);
      const auto at = from.begin() + static_cast<std::ptrdiff_t>(c) * size;
      joined.values.insert(joined.values.end(), at, at + size);
    }
  }
  return joined;
}

}  // namespace poisson
