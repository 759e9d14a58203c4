// Walls of bodies on lines: fixed bodies, and insulators that cover centres of cells.

#include <algorithm>
#include <cmath>
#include <utility>

#include "grids/sampling/media_lines.hpp"

namespace poisson {

// Returns the resistance of an insulator between the centre of a cell and its open part. The unknown of such a cell
// continues u into the insulator, so this part conducts as the cell does. An insulator that is thinner than a cell
// separates two parts and blocks.
double MediaLines::substitute(const At& line, int i, const Pieces& pieces, double centre, double length) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  const RegionNumber region = cells_.region(cell[0], cell[1], cell[2]);
  if (!cells_.conducts(region)) return infinite;
  const Axis& axis = cells_.block().axes[line.axis];
  double begin = axis.nodes().front(), end = axis.nodes().back();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const bool insulates = pieces[p].region < 0 ? cells_.insulates(cells_.below(cell[0], cell[1], cell[2]))
                                                : cells_.insulates(static_cast<RegionNumber>(pieces[p].region));
    const double next = p + 1 < pieces.size() ? pieces[p + 1].begin : axis.nodes().back();
    if (insulates) continue;
    if (next <= centre) begin = next;
    if (pieces[p].begin >= centre) {
      end = pieces[p].begin;
      break;
    }
  }
  const bool ends = begin <= axis.nodes().front() || end >= axis.nodes().back();
  if (!ends && end - begin < axis.width(i)) return infinite;
  return length / cells_.kappa(region, line.axis, cell[0], cell[1], cell[2]);
}

// Returns κ of a face that no line passes, although its open share is not 0: that of its two half cells in series.
double MediaLines::fallback(const At& line, int face) const {
  const Axis& axis = cells_.block().axes[line.axis];
  double length = 0, resistance = 0;
  for (const int i : {face - 1, face}) {
    std::array cell = line.cell;
    cell[line.axis] = i;
    if ((i < 0 && axis.open(0)) || (i >= axis.size() && axis.open(1))) continue;
    const RegionNumber region = cells_.region(cell[0], cell[1], cell[2]);
    if (!cells_.conducts(region)) return 0;
    length += 0.5 * axis.width(i);
    resistance += 0.5 * axis.width(i) / cells_.kappa(region, line.axis, cell[0], cell[1], cell[2]);
  }
  return length / resistance;
}

double MediaLines::open(const At& line, int face) const {
  if (!sharp_) return 1;
  std::array cell = line.cell;
  cell[line.axis] = face;
  return cells_.open_face(line.axis, cell[0], cell[1], cell[2]);
}

// Returns the wall of a fixed body on the lower (−1) or upper side (1) of a cell: the first one on the line to the
// centre of the neighbour, or to the end of the grid.
std::optional<MediaLines::Wall> MediaLines::wall(const At& line, int i, int side, const Pieces& pieces) const {
  const Axis& axis = cells_.block().axes[line.axis];
  std::array cell = line.cell, beside = line.cell;
  cell[line.axis] = i;
  beside[line.axis] = i + side;
  std::vector<std::pair<double, RegionNumber>> own, other;
  const auto collect = [](auto& into) {
    return [&into](double length, RegionNumber r) { into.emplace_back(length, r); };
  };
  const bool ends = !cells_.stores(beside);
  const double middle = axis.point_in_cell(i, 0.5), there = ends ? 0 : axis.point_in_cell(i + side, 0.5);
  if (side > 0) {
    walk(line, i, pieces, middle, axis.point_in_cell(i, 1), collect(own));
    if (!ends) walk(line, i + 1, pieces, axis.point_in_cell(i + 1, 0), there, collect(other));
  } else {
    walk(line, i, pieces, axis.point_in_cell(i, 0), middle, collect(own));
    if (!ends) walk(line, i - 1, pieces, there, axis.point_in_cell(i - 1, 1), collect(other));
    std::ranges::reverse(own);
    std::ranges::reverse(other);
  }
  double sum = 0, place = middle;
  RegionNumber last = cells_.region(cell[0], cell[1], cell[2]);
  for (const auto* part : {&own, &other})
    for (const auto& [length, r] : *part) {
      if (has_contacts_ && r != last) sum += contact(line, place, last, r);
      place += side * length;
      if (cells_.fixed(r)) return Wall{r, sum};
      if (sharp_ && cells_.insulates(r))
        sum += part == &own && sum == 0 ? substitute(line, i, pieces, middle, length) : infinite;
      else
        sum += resistance(r, line.axis, part == &own ? cell : beside, length);
      if (sum == infinite) return {};
      last = r;
    }
  if (ends) return {};
  const RegionNumber next = cells_.region(beside[0], beside[1], beside[2]);
  if (!cells_.fixed(next)) return {};
  // The wall passes through the centre of the neighbour.
  if (has_contacts_ && next != last) sum += contact(line, place, last, next);
  return Wall{next, sum};
}

// Couples the cells on both sides of a face to a fixed body between them. Returns whether there is one.
bool MediaLines::add_links(const At& line, int face, const Pieces& pieces, std::vector<FixedLink>& links) const {
  const Block& block = cells_.block();
  const Axis& axis = block.axes[line.axis];
  bool found = false;
  for (const int side : {1, -1}) {
    const int at = side > 0 ? face - 1 : face;
    std::array inside = line.cell, beyond = line.cell;
    inside[line.axis] = at;
    beyond[line.axis] = at + side;
    if (!cells_.stores(inside) || (at < 0 && axis.open(0)) || (at >= axis.size() && axis.open(1))) continue;
    const RegionNumber region = cells_.region(inside[0], inside[1], inside[2]);
    if (!cells_.conducts(region)) continue;
    FixedLink link{inside};
    link.axis = static_cast<int>(line.axis);
    link.side = side;
    const double least = 0.5 * axis.width(at) / cells_.kappa(region, line.axis, inside[0], inside[1], inside[2]);
    double way = 0;
    if (bodies_) {
      if (!sharp_ && !(cells_.stores(beyond) && cells_.fixed(cells_.region(beyond[0], beyond[1], beyond[2])))) continue;
      const std::optional<Wall> hit = wall(line, at, side, pieces);
      if (!hit) continue;
      link.region = hit->region;
      way = hit->resistance;
    } else {
      if (!cells_.stores(beyond)) continue;
      link.region = cells_.region(beyond[0], beyond[1], beyond[2]);
      if (!cells_.fixed(link.region)) continue;
      way = least + contact(region, link.region);
    }
    found = true;
    if (at < 0 || at >= axis.size()) continue;
    const double share = open(line, face);
    if (share == 0) continue;
    const double area = block.face_area(static_cast<int>(line.axis), inside[0], inside[1], inside[2]);
    link.conductance = share * area / std::max(way, nearest_wall * least);
    if (sharp_ && !has_contacts_ && cells_.is_harmonic(region)) link.conductance *= gain_at_curve(line, at, side);
    links.push_back(link);
  }
  return found;
}

}  // namespace poisson
