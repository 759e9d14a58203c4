// Links to curved bodies with one value: what the flow to a wall changes within the cell.

#include <algorithm>
#include <cmath>

#include "grids/sampling/media_lines.hpp"

namespace poisson {

// A correction is at most this share of the conductance.
constexpr double most_curved = 0.5;

// Returns the conductance of a link to a curved wall over that to a plane one. The row of a symmetric matrix divides
// flows by the whole cell, although centre, wall and lower face of the cell are nearer to one another. So half of
// (1 − θ) times the second derivative of u is missing, and beside a body with one value this derivative follows from
// the slope of u and the second derivatives of the distance to the wall (docs/design/materials.md). Where κ differs
// between axes, lengths are divided by √κ.
double MediaLines::gain_at_curve(const At& line, int i, int side) const {
  const Axis& axis = cells_.block().axes[line.axis];
  std::array cell = line.cell, beside = line.cell;
  cell[line.axis] = i;
  beside[line.axis] = i + side;
  const RegionNumber region = cells_.region(cell[0], cell[1], cell[2]);
  const auto kappa = [&](std::size_t d) { return cells_.kappa(region, d, cell[0], cell[1], cell[2]); };
  const double width = axis.width(i);
  const double between = cells_.stores(beside) ? 0.5 * (width + axis.width(i + side)) : 0.5 * width;
  const Point centre = cells_.centre(cell[0], cell[1], cell[2]);
  const auto near = distance_to_wall(line.axis, side, centre, between * (1 + sliver), cell);
  if (!near || *near >= between) return 1;

  // First and second derivatives of the distance, from lines half a cell away on both sides.
  std::array<double, 2> slope{}, bend{}, step{}, ratio{};
  double mixed = 0;
  const auto at = [&](const std::array<double, 2>& share) {
    Point p = centre;
    double reach = between;
    for (const std::size_t e : {0U, 1U}) {
      const std::size_t d = (line.axis + 1 + e) % 3;
      p[d] = within_axis(cells_.block().axes[d], p[d] + share[e] * step[e]);
      if (share[e] != 0) reach = std::max(reach, step[e]);
    }
    return distance_to_wall(line.axis, side, p, 3 * reach, cell);
  };
  const double own = kappa(line.axis);
  for (const std::size_t e : {0U, 1U}) {
    const std::size_t d = (line.axis + 1 + e) % 3;
    if (cells_.block().axes[d].degenerate()) continue;
    step[e] = 0.5 * cells_.block().axes[d].width(cell[d]);
    ratio[e] = kappa(d) / own;
    std::array<double, 2> low{}, high{};
    low[e] = -1;
    high[e] = 1;
    const auto before = at(low), after = at(high);
    if (!before || !after) return 1;
    slope[e] = (*after - *before) / (2 * step[e]);
    bend[e] = (*after - 2 * *near + *before) / (step[e] * step[e]);
  }
  if (slope[0] != 0 && slope[1] != 0) {
    const auto a = at({-1, -1}), b = at({1, -1}), c = at({-1, 1}), d = at({1, 1});
    if (a && b && c && d) mixed = (*a - *b - *c + *d) / (4 * step[0] * step[1]);
  }
  const double normal = 1 / (1 + ratio[0] * slope[0] * slope[0] + ratio[1] * slope[1] * slope[1]);  // n²
  double trace = 0, along = 0;
  for (const std::size_t e : {0U, 1U}) {
    trace += ratio[e] * bend[e];
    along += ratio[e] * ratio[e] * slope[e] * slope[e] * bend[e];
  }
  along = normal * (along + 2 * ratio[0] * ratio[1] * slope[0] * slope[1] * mixed);
  return 1 - std::clamp(0.5 * (between - *near) * normal * (2 * along - trace), -most_curved, most_curved);
}

}  // namespace poisson
