#include "grids/schemes/cells/near_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "grids/problem/bodies.hpp"

namespace poisson {
namespace {

// Lines across a cell along each axis; the middle one passes through the centre.
constexpr int lines_of_cell = 5;
// If a region has more than `few_parts`, those are compared that have at most twice as many cells between them. A
// region with more than `most_parts` is not searched: so many bodies are strong conductors.
constexpr int reach = 4;
constexpr std::size_t few_parts = 64, most_parts = 1000;

// Contains the pieces of one region on lines along x in a box of cells, and joins those that overlap.
class Pieces {
 public:
  Pieces(const MediaCells& cells, RegionNumber region, const std::array<int, 3>& low, const std::array<int, 3>& high)
      : cells_(cells), low_(low) {
    for (std::size_t e = 0; e < 2; ++e)
      lines_[e] = axis(e + 1).degenerate() ? 1 : lines_of_cell * (high[e + 1] - low[e + 1]);
    std::vector<std::vector<Interval>> found(static_cast<std::size_t>(lines_[0]) * static_cast<std::size_t>(lines_[1]));
#pragma omp parallel
    {
      std::vector<Bodies::Piece> pieces;
#pragma omp for schedule(dynamic, 16)
      for (std::size_t l = 0; l < found.size(); ++l) find(l, region, low[0], high[0], pieces, found[l]);
    }
    for (const auto& line : found) {
      begin_.push_back(intervals_.size());
      intervals_.insert(intervals_.end(), line.begin(), line.end());
    }
    begin_.push_back(intervals_.size());
    for (std::size_t n = 0; n < intervals_.size(); ++n) parent_.push_back(n);
    for (int b = 0; b < lines_[1]; ++b)
      for (int a = 0; a < lines_[0]; ++a)
        for (const auto& [da, db] : {std::array{1, 0}, std::array{0, 1}, std::array{1, 1}, std::array{-1, 1}})
          if (a + da >= 0 && a + da < lines_[0] && b + db < lines_[1]) join(number(a, b), number(a + da, b + db));
  }

  // Returns the connected piece at the centre of a cell, or −1.
  std::int64_t at(const std::array<int, 3>& cell) {
    std::array<int, 2> line{};
    for (std::size_t e = 0; e < 2; ++e)
      if (!axis(e + 1).degenerate()) line[e] = lines_of_cell * (cell[e + 1] - low_[e + 1]) + lines_of_cell / 2;
    const double x = at_node(0, cell[0], 0.5);
    const std::size_t l = number(line[0], line[1]);
    for (std::size_t n = begin_[l]; n < begin_[l + 1]; ++n)
      if (intervals_[n].from <= x && x <= intervals_[n].to) return static_cast<std::int64_t>(root(n));
    return -1;
  }

 private:
  struct Interval {
    double from, to;
  };
  const Axis& axis(std::size_t d) const {
    return cells_.block().axes[d];
  }
  double at_node(std::size_t d, int cell, double share) const {
    const std::vector<double>& x = axis(d).nodes();
    return (1 - share) * x[static_cast<std::size_t>(cell)] + share * x[static_cast<std::size_t>(cell) + 1];
  }
  std::size_t number(int a, int b) const {
    return static_cast<std::size_t>(b) * static_cast<std::size_t>(lines_[0]) + static_cast<std::size_t>(a);
  }
  void find(std::size_t line, RegionNumber region, int from, int to, std::vector<Bodies::Piece>& pieces,
            std::vector<Interval>& found) const {
    const std::array at{static_cast<int>(line % static_cast<std::size_t>(lines_[0])),
                        static_cast<int>(line / static_cast<std::size_t>(lines_[0]))};
    Point origin{};
    for (std::size_t e = 0; e < 2; ++e)
      if (!axis(e + 1).degenerate())
        origin[e + 1] =
            at_node(e + 1, low_[e + 1] + at[e] / lines_of_cell, (at[e] % lines_of_cell + 0.5) / lines_of_cell);
    Ray ray = cells_.ray(0, origin);
    ray.lower = at_node(0, from, 0);
    ray.upper = at_node(0, to - 1, 1);
    if (!cells_.media().bodies->split(ray, pieces)) return;
    for (std::size_t p = 0; p < pieces.size(); ++p)
      if (pieces[p].region == region)
        found.push_back({pieces[p].begin, p + 1 < pieces.size() ? pieces[p + 1].begin : ray.upper});
  }
  std::size_t root(std::size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void join(std::size_t line, std::size_t beside) {
    for (std::size_t a = begin_[line], b = begin_[beside]; a < begin_[line + 1] && b < begin_[beside + 1];) {
      const Interval &own = intervals_[a], &other = intervals_[b];
      if (own.from < other.to && other.from < own.to) parent_[root(a)] = root(b);
      ++(own.to < other.to ? a : b);
    }
  }

  const MediaCells& cells_;
  std::array<int, 3> low_;
  std::array<int, 2> lines_{};
  std::vector<std::size_t> begin_;
  std::vector<Interval> intervals_;
  std::vector<std::size_t> parent_;
};

bool near(const PartOfRegion& a, const PartOfRegion& b) {
  for (std::size_t d = 0; d < 3; ++d)
    if (a.low[d] - reach > b.high[d] + reach || b.low[d] - reach > a.high[d] + reach) return false;
  return true;
}

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> parts_of_one_body(const MediaCells& cells,
                                                                     const std::vector<PartOfRegion>& parts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> joined;
  if (!cells.media().bodies) return joined;
  std::map<RegionNumber, std::vector<const PartOfRegion*>> of_region;
  for (const PartOfRegion& p : parts)
    if (cells.media().regions[p.region].origin == MediaRegion::Origin::body) of_region[p.region].push_back(&p);
  for (const auto& [region, all] : of_region) {
    if (all.size() < 2 || all.size() > most_parts) continue;
    std::vector<const PartOfRegion*> close;
    std::array<int, 3> low{}, high{};
    for (const PartOfRegion* p : all) {
      const auto meets = [&](const PartOfRegion* q) { return q->part != p->part && near(*p, *q); };
      if (all.size() > few_parts && std::ranges::none_of(all, meets)) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = close.empty() ? p->low[d] : std::min(low[d], p->low[d]);
        high[d] = close.empty() ? p->high[d] : std::max(high[d], p->high[d]);
      }
      close.push_back(p);
    }
    if (close.empty()) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = cells.block().axes[d];
      low[d] = axis.degenerate() ? 0 : std::max(low[d] - reach, 0);
      high[d] = axis.degenerate() ? 1 : std::min(high[d] + reach + 1, axis.all_cells());
    }
    Pieces pieces(cells, region, low, high);
    std::map<std::int64_t, std::int64_t> first;  // a part of each piece
    for (const PartOfRegion* p : close) {
      const std::int64_t piece = pieces.at(p->cell);
      if (piece < 0) continue;
      const auto [known, added] = first.try_emplace(piece, p->part);
      if (!added && known->second != p->part) joined.emplace_back(known->second, p->part);
    }
  }
  return joined;
}

}  // namespace poisson
