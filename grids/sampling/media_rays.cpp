// The lines across the faces of a row of cells, and the cells that surfaces may cross.

#include <algorithm>
#include <cmath>

#include "grids/sampling/media_lines.hpp"

namespace poisson {
namespace {

// A surface within this share of a cell from a face may lie in the cells on both sides.
constexpr double near_face = 1e-6;

}  // namespace

std::array<int, 2> MediaLines::range(std::size_t axis) const {
  const Axis& a = cells_.block().axes[axis];
  return {a.open(0) ? 0 : -1, a.open(1) ? a.size() : a.size() + 1};
}

// Divides a cell across into strips for lines through their middles: into equal ones, or at the ends of bodies, so that
// planes across the axis of the strips cut none. `ends` are sorted.
void MediaLines::divide(double lower, double upper, int count, std::vector<double>& ends,
                        std::vector<Strip>& strips) const {
  constexpr double least = 1e-6;
  constexpr std::size_t most_ends = 8;
  strips.clear();
  double from = 0;
  std::size_t used = 0;
  ends.push_back(upper);
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const bool last = e + 1 == ends.size();
    const double to = last ? 1 : (ends[e] - lower) / (upper - lower);
    if (!last && (to - from < least || 1 - to < least || ++used > most_ends)) continue;
    const int own = std::max(1, static_cast<int>(std::ceil((to - from) * count - least)));
    for (int n = 0; n < own; ++n) strips.push_back({from + (n + 0.5) * (to - from) / own, (to - from) * count / own});
    from = to;
  }
}

void MediaLines::collect(const At& line, Rays& rays) const {
  const Block& block = cells_.block();
  std::array<std::size_t, 2> others{};
  std::array<double, 2> widths{};
  Point lower{}, upper{};
  std::size_t other = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    const bool along = d == line.axis;
    if (!axis.degenerate()) {
      lower[d] = along ? axis.nodes().front() : axis.point_in_cell(line.cell[d], 0);
      upper[d] = along ? axis.nodes().back() : axis.point_in_cell(line.cell[d], 1);
    }
    if (along) continue;
    widths[other] = upper[d] - lower[d];
    others[other++] = d;
  }
  const bool near = bodies_ && bodies_->near(line.axis, lower, upper);
  thread_local std::array<std::vector<Strip>, 2> strips;
  thread_local std::vector<double> ends;
  for (std::size_t e = 0; e < 2; ++e) {
    ends.clear();
    const std::size_t d = others[e];
    if (near && !block.axes[d].degenerate()) bodies_->ends(line.axis, d, lower, upper, ends);
    divide(lower[d], upper[d], near && !block.axes[d].degenerate() ? across_ : 1, ends, strips[e]);
  }
  rays.count = strips[0].size() * strips[1].size();
  if (rays.pieces.size() < rays.count) rays.pieces.resize(rays.count);
  rays.across.resize(rays.count);
  rays.weight.resize(rays.count);
  rays.all = 0;
  std::size_t r = 0;
  for (const Strip& b : strips[1])
    for (const Strip& a : strips[0]) {
      rays.across[r] = {(a.middle - 0.5) * widths[0], (b.middle - 0.5) * widths[1]};
      rays.weight[r] = a.weight * b.weight;
      rays.all += rays.weight[r];
      if (near)
        bodies_->split(ray(line, {a.middle, b.middle}), rays.pieces[r]);
      else
        rays.pieces[r].assign(1, {lower[line.axis], -1});
      ++r;
    }
  if (near)
    bodies_->split(ray(line, {0.5, 0.5}), rays.central);
  else
    rays.central = rays.pieces[0];
}

// Places beyond periodic ends continue at the other end of the line, so cells there are always marked. A place that is
// nearly on a face marks the cells on both sides.
void MediaLines::mark(const At& line, const Rays& rays, Line& cells) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int n = axis.size();
  const std::vector<double>& nodes = axis.nodes();
  cells.mixed.assign(static_cast<std::size_t>(n) + 2, 0);
  cells.regions.assign(cells.mixed.size(), 0);
  cells.mixed.front() = axis.open(0) ? 0 : 1;
  cells.mixed.back() = axis.open(1) ? 0 : 1;
  const auto cell = [&](double t) {
    return static_cast<int>(std::ranges::upper_bound(nodes, t) - nodes.begin()) - 1 - axis.origin();
  };
  const auto set = [&](double from, double to) {
    const int a = cell(from), b = from == to ? a : cell(to);
    const auto near = [&](int i, double t, bool above) {
      if (i < 0 || i >= n) return true;
      const Place& place = places_[line.axis][static_cast<std::size_t>(i + 1)];
      return (above ? place.high - t : t - place.low) < near_face * place.width;
    };
    const int first = std::max(near(a, from, false) ? a - 1 : a, -1), last = std::min(near(b, to, true) ? b + 1 : b, n);
    for (int i = first; i <= last; ++i) cells.mixed[static_cast<std::size_t>(i + 1)] = 1;
  };
  const auto end_of = [&](const Pieces& pieces, std::size_t p) {
    return p + 1 < pieces.size() ? pieces[p + 1].begin : infinite;
  };
  for (std::size_t r = 0; r < rays.count; ++r) {
    const Pieces &first = rays.pieces[0], &own = rays.pieces[r];
    for (std::size_t p = 1; p < own.size(); ++p) set(own[p].begin, own[p].begin);
    for (std::size_t a = 0, b = 0; r > 0 && a < first.size() && b < own.size();) {
      const double end_a = end_of(first, a), end_b = end_of(own, b), end = std::min(end_a, end_b);
      if (first[a].region != own[b].region) set(std::max(first[a].begin, own[b].begin), std::min(end, nodes.back()));
      if (end_a == end) ++a;
      if (end_b == end) ++b;
    }
  }
  const auto [begin, end] = range(line.axis);
  std::array at = line.cell, next = line.cell;
  at[line.axis] = begin;
  next[line.axis] = begin + 1;
  const std::size_t first = cells_.index(at[0], at[1], at[2]);
  const std::size_t stride = end - begin > 1 ? cells_.index(next[0], next[1], next[2]) - first : 0;
  const RegionNumber* region = cells_.regions().data() + first;
  const Pieces& pieces = rays.pieces[0];
  std::size_t piece = 0;
  for (int i = begin; i < end; ++i, region += stride) {
    cells.regions[static_cast<std::size_t>(i + 1)] = *region;
    // Lines may miss small openings of a cell in an insulator, which then has the region beyond them.
    if (char& mixed = cells.mixed[static_cast<std::size_t>(i + 1)]; mixed == 0 && bodies_) {
      const double middle = places_[line.axis][static_cast<std::size_t>(i + 1)].middle;
      while (piece + 1 < pieces.size() && pieces[piece + 1].begin <= middle) ++piece;
      at[line.axis] = i;
      next[line.axis] = i + 1;
      if (region_of(pieces[piece], at) != *region || cells_.is_cut(at) || cells_.is_cut(next)) mixed = 1;
    }
    if (i > begin && *region != cells.regions[static_cast<std::size_t>(i)])
      cells.mixed[static_cast<std::size_t>(i)] = cells.mixed[static_cast<std::size_t>(i + 1)] = 1;
  }
}

void MediaLines::add_shares(const At& line, const Rays& rays, const Line& cells, MediaShares& shares) const {
  const int n = cells_.block().axes[line.axis].size();
  thread_local std::vector<MediaShares::Share> parts;
  thread_local std::vector<double> of_ray, squares;
  for (int i = 0; i < n; ++i) {
    if (cells.mixed[static_cast<std::size_t>(i + 1)] == 0) continue;
    const Place& place = places_[line.axis][static_cast<std::size_t>(i + 1)];
    std::array cell = line.cell;
    cell[line.axis] = i;
    parts.clear();
    squares.clear();
    for (std::size_t r = 0; r < rays.count; ++r) {
      of_ray.assign(parts.size(), 0);
      const double share = rays.weight[r] / rays.all;
      walk(line, i, rays.pieces[r], place.low, place.high, [&](double length, RegionNumber region) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(parts, region, &MediaShares::Share::region) - parts.begin());
        if (at == parts.size()) {
          parts.push_back({cell[0], region, 0});
          of_ray.push_back(0);
          squares.push_back(0);
        }
        parts[at].fraction += share * length / place.width;
        of_ray[at] += length / place.width;
      });
      for (std::size_t p = 0; p < parts.size(); ++p) squares[p] += share * of_ray[p] * of_ray[p];
    }
    double variance = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) variance += squares[p] - parts[p].fraction * parts[p].fraction;
    if (parts.size() > 1 || parts[0].region != cells.regions[static_cast<std::size_t>(i + 1)])
      shares.add(line.axis, cell, parts, std::max(variance, 0.0));
  }
}

// Returns κ of a face between cells of one region, or behind an open end.
double MediaLines::uniform(const At& line, int face, RegionNumber region) const {
  if (kappa_[line.axis][region] > 0) return kappa_[line.axis][region];
  if (!cells_.conducts(region)) return 0;
  const Axis& axis = cells_.block().axes[line.axis];
  std::array above = line.cell, below = line.cell;
  above[line.axis] = face < axis.size() || !axis.open(1) ? face : face - 1;
  below[line.axis] = face > 0 || !axis.open(0) ? face - 1 : face;
  const double a = cells_.kappa(region, line.axis, below[0], below[1], below[2]);
  const double b = cells_.kappa(region, line.axis, above[0], above[1], above[2]);
  const double of_a = width(line.axis, below[line.axis]), of_b = width(line.axis, above[line.axis]);
  return (of_a + of_b) / (of_a / a + of_b / b);
}

}  // namespace poisson
