#include "grids/meshes/topology.hpp"

#include <algorithm>

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

}  // namespace

Topology::Topology(const Mesh& mesh) : mesh_(mesh), first_{0} {
  for (const MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension != mesh.dimension || block.count() == 0) continue;
    blocks_.push_back(&block);
    first_.push_back(first_.back() + block.count());
  }
  start_.resize(mesh.points.size() + 1);
  const auto points = static_cast<std::int64_t>(mesh.points.size());
  // Each thread counts and lists the elements at a range of points.
  const auto visit = [&](int first, int last, const auto& f) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto corners = static_cast<std::size_t>(facts_of(blocks_[b]->shape).corners);
      int number = static_cast<int>(first_[b]);
      for (std::size_t k = 0; k < blocks_[b]->corners.size(); k += corners, ++number)
        for (std::size_t c = 0; c < corners; ++c)
          if (const int p = blocks_[b]->corners[k + c]; p >= first && p < last) f(p, number);
    }
  };
  const auto for_ranges = [&](const auto& f) {
    const int ranges = points > row_chunk ? cpu_threads() : 1;
#pragma omp parallel for schedule(static, 1) if (ranges > 1)
    for (int r = 0; r < ranges; ++r)
      f(static_cast<int>(points * r / ranges), static_cast<int>(points * (r + 1) / ranges));
  };
  start_[0] = 0;
  for_ranges([&](int first, int last) {
    std::fill(start_.begin() + first + 1, start_.begin() + last + 1, 0);
    visit(first, last, [&](int p, int) { ++start_[static_cast<std::size_t>(p) + 1]; });
  });
  sum_up(start_);
  incident_.resize(static_cast<std::size_t>(start_.back()));
  for_ranges([&](int first, int last) {
    std::vector<std::int64_t> next(start_.begin() + first, start_.begin() + last);
    visit(first, last, [&](int p, int number) {
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
