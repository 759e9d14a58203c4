#include "grids/schemes/cells/near_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>

#include "grids/problem/bodies.hpp"
#include "grids/schemes/cells/part_trees.hpp"

namespace poisson {
namespace {

// Lines across a cell along each axis; the middle one passes through the centre.
constexpr int lines_of_cell = 5;
// If a region has more than `few_parts`, those are compared that have at most twice as many cells between them. A
// region with more than `most_parts` is not searched: so many bodies are strong conductors.
constexpr int reach = 4;
constexpr std::size_t few_parts = 64, most_parts = 1000;

// Follows one region through a box of cells on lines along an axis, row after row of lines along the next axis, and
// joins its parts. Only two rows of lines are stored, with the connected piece of each interval.
class RegionLines {
 public:
  RegionLines(const MediaCells& cells, RegionNumber region, const std::array<int, 3>& low,
              const std::array<int, 3>& high, const std::vector<const PartOfRegion*>& parts, std::size_t along)
      : cells_(cells),
        region_(region),
        low_(low),
        high_(high),
        parts_(parts),
        along_(along),
        across_{(along + 1) % 3, (along + 2) % 3},
        leader_(parts.size()) {
    for (std::size_t e = 0; e < 2; ++e) {
      const std::size_t d = across_[e];
      lines_[e] = axis(d).degenerate() ? 1 : lines_of_cell * (high[d] - low[d]);
    }
    found_.resize(static_cast<std::size_t>(lines_[0]));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      leader_[p] = p;
      of_row_[line_through(across_[1], parts[p]->cell[across_[1]])].push_back(p);
    }
  }

  // Returns a part of the same piece for each part.
  const std::vector<std::size_t>& join_all() {
    Row before, row;
    for (int b = 0; b < lines_[1]; ++b) {
      find(b, row);
      join(b, before, row);
      std::swap(before, row);
    }
    return leader_;
  }

 private:
  struct Interval {
    double from, to;
    std::size_t piece;  // the first part of its piece, or a number past all parts
  };
  struct Row {
    std::vector<std::size_t> begin;  // of each line
    std::vector<Interval> intervals;
    std::size_t pieces = 0;  // past the greatest number of a piece
  };

  const Axis& axis(std::size_t d) const { return cells_.block().axes[d]; }
  double at_node(std::size_t d, int cell, double share) const {
    const std::vector<double>& x = axis(d).nodes();
    return (1 - share) * x[static_cast<std::size_t>(cell)] + share * x[static_cast<std::size_t>(cell) + 1];
  }
  // Returns the line through the centre of a cell, by its place along an axis across the lines.
  int line_through(std::size_t d, int cell) const {
    return axis(d).degenerate() ? 0 : lines_of_cell * (cell - low_[d]) + lines_of_cell / 2;
  }

  void find(int b, Row& row) {
#pragma omp parallel
    {
      std::vector<Bodies::Piece> pieces;
#pragma omp for schedule(dynamic, 16)
      for (int a = 0; a < lines_[0]; ++a) find({a, b}, pieces, found_[static_cast<std::size_t>(a)]);
    }
    row.begin.clear();
    row.intervals.clear();
    for (const auto& line : found_) {
      row.begin.push_back(row.intervals.size());
      row.intervals.insert(row.intervals.end(), line.begin(), line.end());
    }
    row.begin.push_back(row.intervals.size());
  }
  void find(const std::array<int, 2>& line, std::vector<Bodies::Piece>& pieces, std::vector<Interval>& found) const {
    found.clear();
    Point origin{};
    for (std::size_t e = 0; e < 2; ++e)
      if (const std::size_t d = across_[e]; !axis(d).degenerate())
        origin[d] = at_node(d, low_[d] + line[e] / lines_of_cell, (line[e] % lines_of_cell + 0.5) / lines_of_cell);
    Ray ray = cells_.ray(along_, origin);
    ray.lower = at_node(along_, low_[along_], 0);
    ray.upper = at_node(along_, high_[along_] - 1, 1);
    if (!cells_.media().bodies->split(ray, pieces)) return;
    for (std::size_t p = 0; p < pieces.size(); ++p)
      if (pieces[p].region == region_)
        found.push_back({pieces[p].begin, p + 1 < pieces.size() ? pieces[p + 1].begin : ray.upper, 0});
  }

  // Joins a row of lines with the row before. Nodes of the trees are the parts, the pieces of the row before, and the
  // intervals of this row.
  void join(int b, const Row& before, Row& row) {
    const std::size_t parts = parts_.size(), own = std::max(parts, before.pieces);
    PartTrees trees(own + row.intervals.size());
    for (std::size_t p = 0; p < parts; ++p) trees.join(leader_[p], p);
    for (std::size_t a = 0; a + 1 < row.begin.size(); ++a) {
      const auto overlap = [&](const Row& other, std::size_t line, bool is_own) {
        for (std::size_t m = row.begin[a], n = other.begin[line]; m < row.begin[a + 1] && n < other.begin[line + 1];) {
          const Interval &here = row.intervals[m], &there = other.intervals[n];
          if (here.from < there.to && there.from < here.to) trees.join(is_own ? own + n : there.piece, own + m);
          ++(here.to < there.to ? m : n);
        }
      };
      if (a > 0) overlap(row, a - 1, true);
      if (before.begin.empty()) continue;
      for (std::size_t line = a > 0 ? a - 1 : 0; line < std::min(a + 2, before.begin.size() - 1); ++line)
        overlap(before, line, false);
    }
    if (const auto here = of_row_.find(b); here != of_row_.end())
      for (const std::size_t p : here->second)
        if (const auto n = interval_at(row, *parts_[p])) trees.join(p, own + *n);
    std::unordered_map<std::size_t, std::size_t> piece;  // of each root
    for (std::size_t p = 0; p < parts; ++p) leader_[p] = piece.try_emplace(trees.root(p).parent, p).first->second;
    row.pieces = parts;
    for (std::size_t n = 0; n < row.intervals.size(); ++n) {
      const auto [known, added] = piece.try_emplace(trees.root(own + n).parent, row.pieces);
      row.pieces += added ? 1 : 0;
      row.intervals[n].piece = known->second;
    }
  }
  std::optional<std::size_t> interval_at(const Row& row, const PartOfRegion& part) const {
    const auto line = static_cast<std::size_t>(line_through(across_[0], part.cell[across_[0]]));
    const double x = at_node(along_, part.cell[along_], 0.5);
    for (std::size_t n = row.begin[line]; n < row.begin[line + 1]; ++n)
      if (row.intervals[n].from <= x && x <= row.intervals[n].to) return n;
    return {};
  }

  const MediaCells& cells_;
  RegionNumber region_;
  std::array<int, 3> low_, high_;
  std::array<int, 2> lines_{};
  const std::vector<const PartOfRegion*>& parts_;
  std::size_t along_;
  std::array<std::size_t, 2> across_;
  std::vector<std::size_t> leader_;                           // the first part of the piece of each part
  std::unordered_map<int, std::vector<std::size_t>> of_row_;  // parts whose first cell lies on a row
  std::vector<std::vector<Interval>> found_;                  // of the lines of a row
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
    // Lines along one axis alone miss necks that are thin across it.
    for (std::size_t d = 0; d < static_cast<std::size_t>(cells.block().dimension()); ++d) {
      RegionLines lines(cells, region, low, high, close, d);
      const std::vector<std::size_t>& leader = lines.join_all();
      for (std::size_t p = 0; p < close.size(); ++p)
        if (close[leader[p]]->part != close[p]->part) joined.emplace_back(close[leader[p]]->part, close[p]->part);
    }
  }
  return joined;
}

}  // namespace poisson
