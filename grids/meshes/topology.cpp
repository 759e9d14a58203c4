#include "grids/meshes/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grids/compact/csr.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace poisson {
namespace {

int cpu_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

constexpr std::size_t cells_of_group = 256;  // elements that are skipped together
constexpr int most_ranges = 64;              // bits of a mask

// Returns the ranges of points that each group of elements has corners in, as bits.
template <class First>
std::vector<std::uint64_t> ranges_of_groups(const std::vector<const MeshCells*>& blocks, const First& first_of,
                                            int ranges) {
  std::vector<int> ends;
  for (int r = 1; r < ranges; ++r) ends.push_back(first_of(r));
  std::vector<std::uint64_t> masks;
  for (const MeshCells* const block : blocks) {
    const UnsetVector<int>& corners = block->corners;
    const std::size_t size = cells_of_group * static_cast<std::size_t>(facts_of(block->shape).corners),
                      begin = masks.size(), count = (corners.size() + size - 1) / size;
    masks.resize(begin + count, ranges == 1 ? 1 : 0);
    for_rows(ranges == 1 ? 0 : static_cast<std::int64_t>(count), [&](std::int64_t g) {
      const auto first = static_cast<std::size_t>(g) * size;
      std::uint64_t mask = 0;
      int low = 0, high = -1;  // corners within the last range need no search
      std::uint64_t bit = 0;
      for (std::size_t k = first; k < std::min(corners.size(), first + size); ++k) {
        if (corners[k] < low || corners[k] >= high) {
          const auto range = std::ranges::upper_bound(ends, corners[k]) - ends.begin();
          low = first_of(static_cast<int>(range));
          high = first_of(static_cast<int>(range) + 1);
          bit = std::uint64_t{1} << range;
        }
        mask |= bit;
      }
      masks[begin + static_cast<std::size_t>(g)] = mask;
    });
  }
  return masks;
}

}  // namespace

Topology::Topology(const Mesh& mesh) : mesh_(mesh), first_{0} {
  for (const MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension != mesh.dimension || block.count() == 0) continue;
    blocks_.push_back(&block);
    first_.push_back(first_.back() + block.count());
  }
  start_.resize(mesh.points.size() + 1);
  const auto points = static_cast<std::int64_t>(mesh.points.size());
  // Each thread counts and lists the elements at a range of points. It skips groups of elements without such points.
  const int ranges = points > row_chunk ? std::min(cpu_threads(), most_ranges) : 1;
  const auto first_of = [&](int range) { return static_cast<int>(points * range / ranges); };
  const std::vector<std::uint64_t> masks = ranges_of_groups(blocks_, first_of, ranges);
  const auto visit = [&](int range, const auto& f) {
    const int first = first_of(range), last = first_of(range + 1);
    std::size_t group = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto corners = static_cast<std::size_t>(facts_of(blocks_[b]->shape).corners);
      const UnsetVector<int>& all = blocks_[b]->corners;
      int number = static_cast<int>(first_[b]);
      for (std::size_t begin = 0; begin < all.size(); begin += cells_of_group * corners, ++group) {
        const std::size_t end = std::min(all.size(), begin + cells_of_group * corners);
        if ((masks[group] >> range & 1) == 0) {
          number += static_cast<int>(cells_of_group);
          continue;
        }
        for (std::size_t k = begin; k < end; k += corners, ++number)
          for (std::size_t c = 0; c < corners; ++c)
            if (const int p = all[k + c]; p >= first && p < last) f(p, number);
      }
    }
  };
  const auto for_ranges = [&](const auto& f) {
#pragma omp parallel for schedule(static, 1) if (ranges > 1)
    for (int r = 0; r < ranges; ++r) f(r);
  };
  start_[0] = 0;
  for_ranges([&](int range) {
    std::fill(start_.begin() + first_of(range) + 1, start_.begin() + first_of(range + 1) + 1, 0);
    visit(range, [&](int p, int) { ++start_[static_cast<std::size_t>(p) + 1]; });
  });
  sum_up(start_);
  incident_.resize(static_cast<std::size_t>(start_.back()));
  for_ranges([&](int range) {
    const int first = first_of(range);
    std::vector<std::int64_t> next(start_.begin() + first, start_.begin() + first_of(range + 1));
    visit(range, [&](int p, int number) {
      incident_[static_cast<std::size_t>(next[static_cast<std::size_t>(p - first)]++)] = number;
    });
  });
}

std::array<int, 4> sorted(const std::array<int, 4>& corners) {
  std::array<int, 4> s = corners;
  std::ranges::sort(s);
  return s;
}

namespace {

// Returns the sides of an element whose smallest corner is a point.
template <class F>
void for_sides_from(const Topology::Cell& cell, int number, int point, const F& f) {
  for (const auto& side : facts_of(cell.shape).faces) {
    Facet facet;
    facet.cell = number;
    int corners = 0, least = cell.corners[static_cast<std::size_t>(side[0])];
    for (const int c : side) {
      if (c < 0) break;
      const int p = cell.corners[static_cast<std::size_t>(c)];
      facet.corners[static_cast<std::size_t>(corners++)] = p;
      least = std::min(least, p);
    }
    if (least != point) continue;
    facet.shape = corners == 2 ? CellShape::line : corners == 3 ? CellShape::triangle : CellShape::quadrilateral;
    f(facet);
  }
}

}  // namespace

std::vector<Facet> outer_facets(const Topology& topology, std::int64_t* crowded) {
  const auto points = static_cast<std::int64_t>(topology.mesh().points.size());
  const auto chunks = static_cast<std::size_t>((points + row_chunk - 1) / row_chunk);
  std::vector<std::vector<Facet>> found(chunks);
  std::vector<std::int64_t> many(chunks, 0);
  for_row_chunks(points, [&](std::int64_t first, std::int64_t last) {
    const auto chunk = static_cast<std::size_t>(first / row_chunk);
    struct Keyed {
      std::array<int, 4> key;
      Facet facet;
    };
    std::vector<Keyed> sides;
    for (std::int64_t p = first; p < last; ++p) {
      sides.clear();
      for (const int number : topology.at(p))
        for_sides_from(topology.cell(number), number, static_cast<int>(p), [&](const Facet& facet) {
          sides.push_back({sorted(facet.corners), facet});
        });
      std::ranges::stable_sort(sides, {}, &Keyed::key);
      for (std::size_t s = 0; s < sides.size();) {
        std::size_t end = s + 1;
        while (end < sides.size() && sides[end].key == sides[s].key) ++end;
        if (end == s + 1) found[chunk].push_back(sides[s].facet);
        if (end > s + 2) ++many[chunk];
        s = end;
      }
    }
  });
  std::vector<Facet> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  if (crowded) {
    *crowded = 0;
    for (const std::int64_t count : many) *crowded += count;
  }
  return all;
}

}  // namespace poisson
