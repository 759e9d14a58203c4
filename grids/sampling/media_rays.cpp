// The lines across the faces of a row of cells, and the cells that surfaces may cross.

#include <algorithm>

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

void MediaLines::collect(const At& line, Rays& rays) const {
  const Block& block = cells_.block();
  std::array<int, 2> count{1, 1};
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
    count[other++] = axis.degenerate() ? 1 : across_;
  }
  const bool near = bodies_ && bodies_->near(line.axis, lower, upper);
  if (!near) count = {1, 1};
  rays.count = static_cast<std::size_t>(count[0] * count[1]);
  if (rays.pieces.size() < rays.count) rays.pieces.resize(rays.count);
  rays.across.resize(rays.count);
  std::size_t r = 0;
  for (int b = 0; b < count[1]; ++b)
    for (int a = 0; a < count[0]; ++a, ++r) {
      const std::array shares{(a + 0.5) / count[0], (b + 0.5) / count[1]};
      rays.across[r] = {(shares[0] - 0.5) * widths[0], (shares[1] - 0.5) * widths[1]};
      if (near)
        bodies_->split(ray(line, shares), rays.pieces[r]);
      else
        rays.pieces[r].assign(1, {lower[line.axis], -1});
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
  const auto count = static_cast<double>(rays.count);
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
      walk(line, i, rays.pieces[r], place.low, place.high, [&](double length, RegionNumber region) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(parts, region, &MediaShares::Share::region) - parts.begin());
        if (at == parts.size()) {
          parts.push_back({cell[0], region, 0});
          of_ray.push_back(0);
          squares.push_back(0);
        }
        parts[at].fraction += length / (place.width * count);
        of_ray[at] += length / place.width;
      });
      for (std::size_t p = 0; p < parts.size(); ++p) squares[p] += of_ray[p] * of_ray[p] / count;
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
