// Contact resistances on surfaces that are not parallel to faces.

#include <algorithm>
#include <cmath>
#include <utility>

#include "grids/sampling/media_lines.hpp"

namespace poisson {
namespace {

// Slopes of surfaces follow from lines this share of a cell beside a line. Steeper surfaces count as this steep.
constexpr double shift = 0.02, steepest = 10;
// Share of the resistance of a layer of half a cell that areas given to parallel faces take away. It is measured
// (docs/design/materials.md).
constexpr double of_layer = 0.8;

}  // namespace

Point MediaLines::through(const At& line) const {
  Point point{};
  std::size_t other = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == line.axis) continue;
    const Axis& axis = cells_.block().axes[d];
    if (!axis.degenerate()) point[d] = axis.point_in_cell(line.cell[d], 0.5) + line.across[other];
    ++other;
  }
  return point;
}

// Returns where a line crosses the surface between two regions, if it does within a distance of a place. Only this part
// of the line is split. Places beyond a periodic end are those of the next period.
std::optional<double> MediaLines::crossing(const At& line, double near, double within, RegionNumber a,
                                           RegionNumber b) const {
  thread_local Pieces pieces;
  const Axis& axis = cells_.block().axes[line.axis];
  const double first = axis.nodes().front(), last = axis.nodes().back(), length = last - first;
  std::optional<double> found;
  const auto meet = [&](RegionNumber before, RegionNumber after, double place) {
    const double distance = std::abs(place - near);
    if (!((before == a && after == b) || (before == b && after == a)) || distance >= within) return;
    found = place;
    within = distance;
  };
  // The regions at the ends of the line.
  std::array<std::optional<RegionNumber>, 2> ends;
  const double reach = within;
  const auto search = [&](double period) {
    Ray ray = cells_.ray(line.axis, through(line));
    ray.lower = std::max(ray.lower, near - period - reach);
    ray.upper = std::min(ray.upper, near - period + reach);
    if (ray.lower >= ray.upper) return;
    bodies_->split(ray, pieces);
    for (std::size_t p = 1; p < pieces.size(); ++p)
      meet(region_of(pieces[p - 1], line.cell), region_of(pieces[p], line.cell), period + pieces[p].begin);
    if (ray.lower <= first) ends[0] = region_of(pieces.front(), line.cell);
    if (ray.upper >= last) ends[1] = region_of(pieces.back(), line.cell);
  };
  search(0);
  if (!axis.closed()) return found;
  const bool below = near - reach<first, above = near + reach> last;
  if (below) search(-length);
  if (above) search(length);
  if ((below || above) && ends[0] && ends[1]) meet(*ends[1], *ends[0], below ? first : last);
  return found;
}

// Finds the slopes of the surface between two regions where a line crosses it, from lines beside it.
MediaLines::Slope MediaLines::slope(const At& line, double place, RegionNumber a, RegionNumber b) const {
  Slope found;
  double squares = 1;
  std::size_t other = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == line.axis) continue;
    const std::size_t e = other++;
    const Axis& axis = cells_.block().axes[d];
    if (axis.degenerate()) continue;
    const double step = shift * axis.width(line.cell[d]);
    std::array<std::optional<double>, 2> places;
    for (const std::size_t side : {0U, 1U}) {
      At beside = line;
      beside.across[e] += side == 0 ? -step : step;
      places[side] = crossing(beside, place, 2 * steepest * step, a, b);
    }
    double slope = steepest;
    if (places[0] && places[1])
      slope = (*places[1] - *places[0]) / (2 * step);
    else if (places[0])
      slope = (place - *places[0]) / step;
    else if (places[1])
      slope = (*places[1] - place) / step;
    found.slopes[e] = std::clamp(slope, -steepest, steepest);
    squares += found.slopes[e] * found.slopes[e];
  }
  found.length = std::sqrt(squares);
  return found;
}

// Returns the contact resistance along a line that crosses a surface with the normal n: the flow through the surface is
// n times the flux along the axis, so the line meets R/|n|.
double MediaLines::contact(const At& line, double place, RegionNumber a, RegionNumber b) const {
  const double resistance = contact(a, b);
  return resistance == 0 || !bodies_ ? resistance : resistance * slope(line, place, a, b).length;
}

MediaLines::Crossed MediaLines::cross(const At& line, int face, const Pieces& central) const {
  Crossed found;
  const Axis& axis = cells_.block().axes[line.axis];
  double place = places_[line.axis][static_cast<std::size_t>(face)].middle, across = 0;
  std::optional<RegionNumber> last;
  const auto meet = [&](RegionNumber next) {
    if (last && cells_.conducts(*last) && cells_.conducts(next)) {
      if (const double r = contact(*last, next); r > 0) {
        found.slope = slope(line, place, *last, next);
        found.contact += r * found.slope.length;
        across += r;
      }
    }
    last = next;
  };
  // A surface through a centre belongs to the face on the side where the region of the cell does not continue.
  for (const int i : {face - 1, face}) {
    if ((i < 0 && axis.open(0)) || (i >= axis.size() && axis.open(1))) continue;
    std::array cell = line.cell;
    cell[line.axis] = i;
    const auto& [low, middle, high, width] = places_[line.axis][static_cast<std::size_t>(i + 1)];
    if (i < face) last = region(line, i);
    if (i == face) place = low;
    walk(line, i, central, i < face ? middle : low, i < face ? high : middle, [&](double length, RegionNumber next) {
      meet(next);
      found.resistance += cells_.conducts(next) ? resistance(next, line.axis, cell, length) : infinite;
      place += length;
    });
    if (i == face) meet(region(line, i));
  }
  if (found.contact > 0) found.share = across / (across + found.resistance / found.slope.length);
  return found;
}

// Returns a resistance that replaces what parallel faces conduct of a flow through the surface. Faces that the surface
// crosses carry no flow along it, so their areas on both sides are given to the next faces between cells of one side.
// There they also conduct across. The sum of |n|³ over the axes, where such a face exists, is their share.
double MediaLines::smoothed(const At& line, int face, const Crossed& crossed) const {
  std::array<double, 3> normal{};
  std::size_t other = 0;
  for (std::size_t d = 0; d < 3; ++d)
    normal[d] = (d == line.axis ? 1 : std::abs(crossed.slope.slopes[other++])) / crossed.slope.length;
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double most = std::max(normal[(d + 1) % 3], normal[(d + 2) % 3]);
    sum += normal[d] * normal[d] * std::min(normal[d], most);
  }
  double layer = 0;
  for (const int i : {face - 1, face}) {
    std::array cell = line.cell;
    cell[line.axis] = i;
    layer += 0.5 * width(line.axis, i) / cells_.kappa(region(line, i), line.axis, cell[0], cell[1], cell[2]);
  }
  return of_layer * crossed.share * sum * crossed.slope.length * layer;
}

// Gives a share of the area of a face to the next face across another axis, if both of its cells lie on the same side
// of the contact as the region `like`.
void MediaLines::give(const At& line, int face, std::size_t across, int side, RegionNumber like, RegionNumber unlike,
                      double share, std::vector<Given>& given) const {
  At to = line;
  to.cell[across] += side;
  double length = 0, resistance = 0;
  for (const int i : {face - 1, face}) {
    std::array cell = to.cell;
    cell[line.axis] = i;
    if (!cells_.stores(cell)) return;
    const RegionNumber r = cells_.region(cell[0], cell[1], cell[2]);
    if (!cells_.conducts(r) || contact(r, like) > 0 || contact(r, unlike) == 0) return;
    const double w = width(line.axis, i);
    length += w;
    resistance += w / cells_.kappa(r, line.axis, cell[0], cell[1], cell[2]);
  }
  std::array cell = to.cell;
  cell[line.axis] = face;
  const double ratio = width(across, line.cell[across]) / width(across, to.cell[across]);
  given.push_back({cell, share * ratio * length / resistance});
}

// Returns κ behind an open end, where `kappa` is the one without contacts.
double MediaLines::end_contact(const At& line, int face, const Pieces& central, double kappa) const {
  const Crossed crossed = cross(line, face, central);
  if (crossed.contact == 0 || crossed.resistance == infinite) return kappa;
  return 0.5 * width(line.axis, face == 0 ? 0 : face - 1) / (crossed.resistance + crossed.contact);
}

// Returns κ of a face near a surface with a contact, where `kappa` is the one without contacts. The central line
// decides whether the face is crossed: then exactly the area of the surface conducts from one side to the other. All
// other faces conduct with their area on the side of their cells.
double MediaLines::contact_kappa(const At& line, int face, const Rays& rays, double kappa,
                                 std::vector<Given>& given) const {
  const RegionNumber below = region(line, face - 1), above = region(line, face);
  const Crossed crossed = cross(line, face, rays.central);
  if (crossed.resistance == infinite) return kappa;
  const bool crosses = crossed.contact > 0;
  if (crosses && contact(below, above) == 0)
    return 0.5 * (width(line.axis, face - 1) + width(line.axis, face)) / (crossed.resistance + crossed.contact);
  // Lines whose place on the face lies on the other side, seen from the cell below.
  const double at = places_[line.axis][static_cast<std::size_t>(face + 1)].low;
  double beyond = 0;
  std::array<double, 2> middle{};
  RegionNumber other = above;
  for (std::size_t r = 0; r < rays.count; ++r) {
    const Pieces& pieces = rays.pieces[r];
    auto piece = std::ranges::upper_bound(pieces, at, {}, [](const Bodies::Piece& p) { return p.begin; });
    if (piece != pieces.begin()) --piece;
    std::array cell = line.cell;
    cell[line.axis] = face;
    const RegionNumber here = region_of(*piece, cell);
    if (!cells_.conducts(here) || contact(below, here) == 0) continue;
    beyond += rays.weight[r];
    other = here;
    for (std::size_t e = 0; e < 2; ++e) middle[e] += rays.weight[r] * rays.across[r][e];
  }
  if (!crosses && beyond == 0) return kappa;
  const double share = beyond / rays.all;
  std::array<double, 2> towards = crossed.slope.slopes;  // the side of the cell below
  std::array<std::size_t, 2> axes{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != line.axis) axes[count++] = d;
  if (!crosses)
    for (std::size_t e = 0; e < 2; ++e) towards[e] = -middle[e];
  const std::size_t e = std::abs(towards[0]) >= std::abs(towards[1]) ? 0 : 1;
  const int side = towards[e] > 0 ? 1 : -1;
  if (crosses) {
    if (towards[e] != 0) {
      give(line, face, axes[e], side, below, above, (1 - share) * crossed.share, given);
      give(line, face, axes[e], -side, above, below, share * crossed.share, given);
    }
    const double length = 0.5 * (width(line.axis, face - 1) + width(line.axis, face));
    return length / (crossed.resistance + crossed.contact + smoothed(line, face, crossed));
  }
  if (towards[e] != 0) give(line, face, axes[e], -side, other, below, share, given);
  return kappa * (1 - share);
}

}  // namespace poisson
