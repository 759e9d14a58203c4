// Conductances beside edges of bodies with one value, where the field is singular.

#include <algorithm>
#include <cmath>

#include "grids/sampling/media_lines.hpp"

namespace poisson {

// Returns a position within an axis: beyond its ends a periodic axis repeats itself, and others are mirrored.
double within_axis(const Axis& axis, double position) {
  const double low = axis.nodes().front(), high = axis.nodes().back();
  if (position >= low && position <= high) return position;
  const double beyond = position < low ? low - position : position - high;
  if (axis.closed()) return position < low ? high - beyond : low + beyond;
  return position < low ? low + beyond : high - beyond;
}

namespace {

// Beside an edge of 90°, u grows as r^(2/3), and differences between centres are not its fluxes. Errors far from the
// edge vanish if the two faces of the cell beyond the edge, which no wall bounds, conduct more by these shares. The
// walls have the distances 0, 0.1, …, 1 cells from the centres of its neighbours along each axis
// (docs/design/materials.md).
constexpr int steps = 10;
constexpr std::array<std::array<double, steps + 1>, steps + 1> gains{
    {{3.096, 2.835, 2.133, 1.515, 1.036, 0.664, 0.373, 0.140, -0.048, -0.206, -0.337},
     {2.835, 3.505, 3.047, 2.251, 1.561, 1.039, 0.641, 0.335, 0.095, -0.098, -0.256},
     {2.133, 3.047, 3.251, 2.696, 1.969, 1.346, 0.865, 0.496, 0.211, -0.012, -0.191},
     {1.515, 2.251, 2.696, 2.568, 2.058, 1.483, 0.988, 0.593, 0.284, 0.042, -0.150},
     {1.036, 1.561, 1.969, 2.058, 1.813, 1.401, 0.975, 0.605, 0.301, 0.058, -0.139},
     {0.664, 1.039, 1.346, 1.483, 1.401, 1.152, 0.838, 0.532, 0.260, 0.034, -0.154},
     {0.373, 0.641, 0.865, 0.988, 0.975, 0.838, 0.626, 0.394, 0.171, -0.027, -0.196},
     {0.140, 0.335, 0.496, 0.593, 0.605, 0.532, 0.394, 0.226, 0.050, -0.114, -0.258},
     {-0.048, 0.095, 0.211, 0.284, 0.301, 0.260, 0.171, 0.050, -0.083, -0.213, -0.333},
     {-0.206, -0.098, -0.012, 0.042, 0.058, 0.034, -0.027, -0.114, -0.213, -0.314, -0.414},
     {-0.337, -0.256, -0.191, -0.150, -0.139, -0.154, -0.196, -0.258, -0.333, -0.414, -0.495}}};

double gain_at(double a, double b) {
  const auto split = [](double x) {
    const double at = std::clamp(x, 0.0, 1.0) * steps;
    const int low = std::min(static_cast<int>(at), steps - 1);
    return std::pair(static_cast<std::size_t>(low), at - low);
  };
  const auto [i, s] = split(a);
  const auto [j, t] = split(b);
  return (1 - s) * ((1 - t) * gains[i][j] + t * gains[i][j + 1]) +
         s * ((1 - t) * gains[i + 1][j] + t * gains[i + 1][j + 1]);
}

// Walls whose distance changes by more than this share of a cell, half a cell further, do not form an edge of 90°.
constexpr double flat = 0.02;
// Cells may be this much longer along one axis of the edge than along the other.
constexpr double most_unequal = 1.3;

}  // namespace

// Returns the distance from a point to a body with one value along an axis, if there is one within a cell. The line
// goes on beyond periodic ends.
std::optional<double> MediaLines::distance_to_wall(std::size_t axis, int side, const Point& from, double within,
                                                   const std::array<int, 3>& cell) const {
  thread_local Pieces pieces;
  bodies_->split(cells_.ray(axis, from), pieces);
  std::size_t p = 0;
  while (p + 1 < pieces.size() && pieces[p + 1].begin <= from[axis]) ++p;
  const auto holds = [&](std::size_t at) { return cells_.fixed(region_of(pieces[at], cell)); };
  const auto blocks = [&](std::size_t at) { return cells_.insulates(region_of(pieces[at], cell)); };
  if (holds(p)) return {};
  const Axis& along = cells_.block().axes[axis];
  const double low = along.nodes().front(), high = along.nodes().back();
  double period = 0;
  for (;;) {
    if (blocks(p)) return {};
    const bool ends = side > 0 ? p + 1 >= pieces.size() : p == 0;
    if (ends && (!along.closed() || period != 0)) return {};
    const double place = ends ? (side > 0 ? high : low) : period + pieces[side > 0 ? p + 1 : p].begin;
    if (ends) period = side * (high - low);
    p = ends ? (side > 0 ? 0 : pieces.size() - 1) : side > 0 ? p + 1 : p - 1;
    const double distance = std::abs(place - from[axis]);
    if (distance > within) return {};
    if (holds(p)) return distance;
  }
}

// Returns what the face between the cell beyond an edge and its neighbour below the body conducts more, as a share.
// The body lies from the neighbour towards `side` of the axis `to`.
double MediaLines::gain_at_edge(const At& line, int face, std::size_t to, int side, bool below_is_outer) const {
  std::array outer = line.cell, inner = line.cell;
  outer[line.axis] = below_is_outer ? face - 1 : face;
  inner[line.axis] = below_is_outer ? face : face - 1;
  std::array beside = outer;
  beside[to] += side;
  const RegionNumber region = cells_.region(outer[0], outer[1], outer[2]);
  if (cells_.region(inner[0], inner[1], inner[2]) != region ||
      cells_.region(beside[0], beside[1], beside[2]) != region || kappa_[line.axis][region] != kappa_[to][region])
    return 0;
  const int along = below_is_outer ? 1 : -1;
  const Point at_inner = cells_.centre(inner[0], inner[1], inner[2]),
              at_beside = cells_.centre(beside[0], beside[1], beside[2]);
  const auto between = [&](std::size_t d, const std::array<int, 3>& other) {
    const Axis& axis = cells_.block().axes[d];
    return 0.5 * (axis.width(outer[d]) + axis.width(other[d]));
  };
  const double h = between(line.axis, inner), w = between(to, beside);
  if (h > most_unequal * w || w > most_unequal * h) return 0;
  // Each wall is seen from a centre and from half a cell further inside.
  const auto wall = [&](Point from, std::size_t axis, int way, double within, std::size_t further, double step,
                        const std::array<int, 3>& cell) -> std::optional<double> {
    const auto near = distance_to_wall(axis, way, from, within, cell);
    if (!near) return {};
    from[further] = within_axis(cells_.block().axes[further], from[further] + step);
    const auto far = distance_to_wall(axis, way, from, (1 + flat) * within, cell);
    if (!far || std::abs(*far - *near) > flat * within) return {};
    return near;
  };
  const auto above = wall(at_inner, to, side, w, line.axis, 0.5 * along * h, inner);
  if (!above) return 0;
  const auto before = wall(at_beside, line.axis, along, h, to, 0.5 * side * w, beside);
  if (!before) return 0;
  return normal_part(at_inner, to, side, w, inner, line.axis) *
         normal_part(at_beside, line.axis, along, h, beside, to) * gain_at(*before / h, *above / w);
}

// Returns the component along an axis of the normal of a wall, which may turn about the other axis of its edge.
double MediaLines::normal_part(const Point& from, std::size_t axis, int way, double within,
                               const std::array<int, 3>& cell, std::size_t other) const {
  const std::size_t third = 3 - axis - other;
  const Axis& turned = cells_.block().axes[third];
  if (turned.degenerate()) return 1;
  const double step = 0.25 * turned.width(cell[third]);
  std::array<std::optional<double>, 2> places;
  for (const std::size_t end : {0U, 1U}) {
    Point p = from;
    p[third] = within_axis(turned, p[third] + (end == 0 ? -step : step));
    places[end] = distance_to_wall(axis, way, p, 2 * within, cell);
  }
  if (!places[0] || !places[1]) return 1;
  return 1 / std::hypot(1, (*places[1] - *places[0]) / (2 * step));
}

// Multiplies κ of the faces beside edges of 90° that are parallel to an axis.
void MediaLines::add_edges(const At& line, std::vector<double>& kappa) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const auto [begin, end] = range(line.axis);
  std::array next = line.cell;
  for (std::size_t to = 0; to < 3; ++to) {
    if (to == line.axis || cells_.block().axes[to].degenerate()) continue;
    for (const int side : {-1, 1}) {
      next = line.cell;
      next[to] += side;
      next[line.axis] = begin;
      if (!cells_.stores(next)) continue;
      const std::size_t first = cells_.index(next[0], next[1], next[2]);
      ++next[line.axis];
      const std::size_t stride = end - begin > 1 ? cells_.index(next[0], next[1], next[2]) - first : 0;
      const RegionNumber* region = cells_.regions().data() + first;
      for (int face = begin + 1; face < end; ++face, region += stride) {
        const bool low = cells_.fixed(region[0]), high = cells_.fixed(region[stride]);
        if (low == high || face < 0 || face > axis.size()) continue;
        double& value = kappa[static_cast<std::size_t>(face)];
        if (value > 0) value *= 1 + gain_at_edge(line, face, to, side, high);
      }
    }
  }
}

}  // namespace poisson
