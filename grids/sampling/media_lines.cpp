#include "grids/sampling/media_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace poisson {
namespace {

// Lines along each axis across a face, in the plane and in space.
constexpr int lines_in_plane = 16, lines_in_space = 4;
// Below this open share of a face, one or two of its lines are open.
constexpr double few_lines = 0.2;
}  // namespace

MediaLines::MediaLines(const MediaCells& cells, bool conductances)
    : cells_(cells),
      bodies_(cells.media().surfaces == Surfaces::staircase ? nullptr : cells.media().bodies.get()),
      sharp_(cells.sharp()),
      has_contacts_(!cells.media().contacts.empty()),
      has_edges_(bodies_ && !has_contacts_ && std::ranges::any_of(cells.media().regions, [&](const MediaRegion& r) {
                   return cells.media().materials[r.material].has_value();
                 })) {
  const Block& block = cells.block();
  if (bodies_) across_ = block.dimension() == 2 ? lines_in_plane : lines_in_space;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    const auto& x = axis.nodes();
    double least = x.back() - x.front();
    for (std::size_t i = 1; i < x.size(); ++i) least = std::min(least, x[i] - x[i - 1]);
    step_[d] = std::max(least / 4, (x.back() - x.front()) / (16.0 * axis.all_cells()));
    for (int i = -1; i <= axis.size(); ++i)
      places_[d].push_back(
          {axis.point_in_cell(i, 0), axis.point_in_cell(i, 0.5), axis.point_in_cell(i, 1), axis.width(i)});
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t r = 0; r < cells.media().regions.size(); ++r) {
      const auto region = static_cast<RegionNumber>(r);
      const double* number = cells.conducts(region) ? cells.media().kappa(region, d).constant() : nullptr;
      kappa_[d].push_back(number ? *number : 0);
    }
  if (conductances && bodies_ && !cells.varies_below() && !cells.media().sheets.empty()) find_sheets();
}

Ray MediaLines::ray(const At& line, const std::array<double, 2>& across) const {
  const Block& block = cells_.block();
  Ray ray;
  std::size_t other = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (d == line.axis) {
      ray.direction[d] = 1;
      ray.lower = axis.nodes().front();
      ray.upper = axis.nodes().back();
      ray.step = step_[d];
    } else {
      const double share = across[other++];
      if (!axis.degenerate()) ray.origin[d] = axis.point_in_cell(line.cell[d], share);
    }
  }
  return ray;
}

double MediaLines::contact(RegionNumber a, RegionNumber b) const {
  const Media& media = cells_.media();
  const std::size_t ma = media.regions[a].material, mb = media.regions[b].material;
  if (ma == mb) return 0;
  double sum = 0;
  for (const Contact& c : media.contacts)
    if ((c.between[0] == ma && c.between[1] == mb) || (c.between[0] == mb && c.between[1] == ma)) sum += c.resistance;
  return sum;
}

double MediaLines::resistance(RegionNumber region, std::size_t axis, const std::array<int, 3>& cell,
                              double length) const {
  const auto kappa = [&](RegionNumber r) { return cells_.kappa(r, axis, cell[0], cell[1], cell[2]); };
  if (cells_.conducts(region)) {
    const double own = kappa(region);
    if (own > 0 && own < infinite) return length / own;
    // An expression need not be valid in cells whose centre is outside the region.
    const RegionNumber centre = cells_.region(cell[0], cell[1], cell[2]);
    return length / (cells_.conducts(centre) ? kappa(centre) : 1);
  }
  if (!cells_.fixed(region)) return infinite;
  // A fixed body conducts nothing from one free cell to another: links represent it.
  const RegionNumber centre = cells_.region(cell[0], cell[1], cell[2]);
  return cells_.conducts(centre) ? length / kappa(centre) : 0;
}

// Integrates over half a cell that lies in one piece with a constant κ. Returns false if it does not.
bool MediaLines::uniform_half(const At& line, int i, const Pieces& pieces, double from, double to, double face,
                              Half& h) const {
  if (!bodies_ || gives()) return false;
  const double least = sliver * width(line.axis, i);
  std::size_t p = 0;
  while (p + 1 < pieces.size() && pieces[p + 1].begin <= from + least) ++p;
  if (p + 1 < pieces.size() && pieces[p + 1].begin <= to - least) return false;
  if (pieces[p].region < 0 && cells_.varies_below()) return false;
  const auto region = static_cast<RegionNumber>(std::max(pieces[p].region, 0));
  const double kappa = kappa_[line.axis][region], length = to - from;
  if (!(kappa > 0)) return false;
  h.resistance = length / kappa;
  h.conducting = kappa * length;
  h.moment = h.conducting * (from + 0.5 * length - face);
  h.at_face = kappa;
  h.first = h.last = h.lowest = h.highest = region;
  h.of_lowest = h.of_highest = kappa;
  return true;
}

MediaLines::Half MediaLines::half(const At& line, int i, const Pieces& pieces, double from, double to,
                                  double face) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  Half h;
  if (uniform_half(line, i, pieces, from, to, face, h)) return h;
  bool begun = false;
  double at = from;
  // A surface with a contact does not end the material of a cell: what lies beyond has its own faces.
  const bool replaces = gives();
  const RegionNumber own = replaces ? cells_.region(cell[0], cell[1], cell[2]) : RegionNumber{0};
  walk(line, i, pieces, from, to, [&](double length, RegionNumber region) {
    double resistance = 0;
    if (sharp_ && cells_.insulates(region)) {
      h.plain = false;
      const double end = at + length, rounding = sliver * (to - from);
      const bool begins = at <= from + rounding, ends = end >= to - rounding;
      const bool at_face = face == from ? begins : ends, at_centre = face == from ? ends : begins;
      h.closed = h.closed || at_face;
      resistance = at_face ? 0 : at_centre ? substitute(line, i, pieces, face == from ? to : from, length) : infinite;
      h.resistance += resistance;
      at = end;
      return;
    }
    if (replaces && cells_.conducts(region) && cells_.conducts(own) && contact(own, region) > 0) region = own;
    resistance = this->resistance(region, line.axis, cell, length);
    h.resistance += resistance;
    const double kappa = length / resistance;
    h.conducting += kappa * length;
    h.moment += kappa * length * (at + 0.5 * length - face);
    if (!begun || face != from) h.at_face = kappa;
    at += length;
    if (!begun) h.first = region;
    if (!begun || region < h.lowest) std::tie(h.lowest, h.of_lowest) = std::pair(region, kappa);
    if (!begun || region > h.highest) std::tie(h.highest, h.of_highest) = std::pair(region, kappa);
    h.plain = h.plain && cells_.conducts(region);
    h.last = region;
    begun = true;
  });
  return h;
}

// Adds the faces above the cells `from` … `to` − 1 of a line, but the last one, and open ends among their faces.
// `central`: the line connects the centres.
void MediaLines::add_conductances(const At& line, const Pieces& pieces, int from, int to, bool central,
                                  Sums& sums) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int n = axis.size();
  const bool has_contacts = has_contacts_ && !bodies_;
  const auto one = [&](const Half& h) {
    return FaceLines::Line{.resistance = h.resistance, .plain = false, .weight = line.weight};
  };
  const auto both = [&](const Half& a, const Half& b) {
    const Half& low = a.lowest <= b.lowest ? a : b;
    const Half& high = a.highest >= b.highest ? a : b;
    return FaceLines::Line{a.resistance + b.resistance + (has_contacts ? contact(a.last, b.first) : 0),
                           a.conducting + b.conducting,
                           a.moment + b.moment,
                           0.5 * (a.at_face + b.at_face),
                           line.across,
                           low.of_lowest,
                           high.of_highest,
                           a.plain && b.plain && !has_contacts,
                           line.weight};
  };
  const auto add = [&](int face, bool closed, const FaceLines::Line& l) {
    FaceLines& sum = sums[static_cast<std::size_t>(face)];
    if (central)
      sum.set_central(l.resistance);
    else if (!closed)
      sum.add(l);
  };
  Halves before{};
  for (int i = from; i < to; ++i) {
    const auto& [low, middle, high, width] = places_[line.axis][static_cast<std::size_t>(i + 1)];
    Halves here;
    if (i > from || (i == 0 && axis.open(0))) here.lower = half(line, i, pieces, low, middle, low);
    if (i + 1 < to || (to == n && axis.open(1))) here.upper = half(line, i, pieces, middle, high, high);
    if (i == 0 && axis.open(0))
      add(0, here.lower.closed, one(here.lower));
    else if (i > from)
      add(i, before.upper.closed || here.lower.closed, both(before.upper, here.lower));
    before = here;
  }
  if (to == n && axis.open(1)) add(n, before.upper.closed, one(before.upper));
}

// Half a cell that reaches into a fixed body conducts at most as if the wall were next to its centre.
double MediaLines::limited(const At& line, int i, double kappa) const {
  std::array c = line.cell;
  c[line.axis] = i;
  const RegionNumber region = cells_.region(c[0], c[1], c[2]);
  if (!cells_.conducts(region)) return 0;
  return kappa < infinite ? kappa : cells_.kappa(region, line.axis, c[0], c[1], c[2]) / nearest_wall;
}

double MediaLines::end_kappa(const At& line, int end) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int i = end == 0 ? 0 : axis.size() - 1;
  std::array cell = line.cell;
  cell[line.axis] = i;
  thread_local Rays rays;
  collect(line, rays);
  if (bodies_ && sharp_ && cells_.conducts(cells_.region(cell[0], cell[1], cell[2])) &&
      wall(line, i, end == 0 ? -1 : 1, rays.central))
    return 0;
  double sum = 0, open = 0;
  const double low = axis.point_in_cell(i, end == 0 ? 0 : 0.5), high = axis.point_in_cell(i, end == 0 ? 0.5 : 1);
  for (std::size_t r = 0; r < rays.count; ++r) {
    const Half h = half(line, i, rays.pieces[r], low, high, end == 0 ? low : high);
    if (h.closed) continue;
    sum += rays.weight[r] / h.resistance;
    open += rays.weight[r];
  }
  const int face = end == 0 ? 0 : axis.size();
  const double all = open == 0 ? fallback(line, face) : limited(line, i, sum / open * (0.5 * axis.width(i)));
  double kappa = all * this->open(line, face);
  if (kappa > 0 && gives()) kappa = end_contact(line, face, rays.central, kappa);
  return kappa > 0 ? with_sheets(line, face, rays.central, kappa) : 0;
}

void MediaLines::faces(const At& line, std::vector<double>& kappa, std::vector<FixedLink>& links,
                       std::vector<Given>& given, MediaShares* shares) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int n = axis.size();
  const auto [first, last] = range(line.axis);
  kappa.assign(static_cast<std::size_t>(n) + 1, 0);
  thread_local Rays rays;
  thread_local Sums sums;
  thread_local Line cells;
  collect(line, rays);
  mark(line, rays, cells);
  if (shares && bodies_) add_shares(line, rays, cells, *shares);
  if (sums.size() < kappa.size()) sums.resize(kappa.size());
  const auto is_mixed = [&](int i) { return cells.mixed[static_cast<std::size_t>(i + 1)] != 0; };
  for (int i = first, end = 0; i < last; i = end) {
    end = i + 1;
    if (!is_mixed(i)) continue;
    while (end < last && is_mixed(end)) ++end;
    for (int face = std::max(i, 0); face <= std::min(end, n); ++face) sums[static_cast<std::size_t>(face)] = {};
    At own = line;
    for (std::size_t r = 0; r < rays.count; ++r) {
      own.across = rays.across[r];
      own.weight = rays.weight[r];
      add_conductances(own, rays.pieces[r], std::max(first, i - 1), std::min(last, end + 1), false, sums);
    }
    if (rays.count > 1)
      add_conductances(line, rays.central, std::max(first, i - 1), std::min(last, end + 1), true, sums);
  }
  const bool walls = bodies_ && sharp_ && std::ranges::any_of(rays.central, [&](const Bodies::Piece& p) {
                       return p.region >= 0 && cells_.fixed(static_cast<RegionNumber>(p.region));
                     });
  const bool has_sheets = !cells_.media().sheets.empty();
  for (int i = 0; i <= n; ++i) {
    const bool lower = i > 0 || !axis.open(0), upper = i < n || !axis.open(1);
    double& value = kappa[static_cast<std::size_t>(i)];
    if (!(lower && is_mixed(i - 1)) && !(upper && is_mixed(i))) {
      value = uniform(line, i, cells.regions[static_cast<std::size_t>(upper ? i + 1 : i)]);
      // All lines may miss an insulator that closes a part of the face.
      if (cells_.cut()) value *= open(line, i);
    } else {
      const bool gone_below = lower && !cells_.conducts(region(line, i - 1)),
                 gone_above = upper && !cells_.conducts(region(line, i));
      const double distance = 0.5 * ((lower ? width(line.axis, i - 1) : 0) + (upper ? width(line.axis, i) : 0));
      const bool one_sided = lower && upper && gone_below != gone_above;
      if (one_sided || (walls && !(gone_below && gone_above)))
        if (add_links(line, i, rays.central, links) || one_sided) continue;
      if (gone_below || gone_above) continue;
      const FaceLines& sum = sums[static_cast<std::size_t>(i)];
      const double share = open(line, i);
      // Beside a bulge, the few lines through a small opening may meet the insulator between face and centre.
      const bool few = lower && upper && share < few_lines && region(line, i - 1) == region(line, i);
      value = sum.empty() || few ? fallback(line, i)
                                 : limited(line, lower ? i - 1 : i, sum.conductance(distance, share < 1) * distance);
      value *= share;
      if (gives() && value > 0)
        value = lower && upper ? contact_kappa(line, i, rays, value, given) : end_contact(line, i, rays.central, value);
    }
    if (value > 0 && has_sheets) value = with_sheets(line, i, rays.central, value);
  }
  if (has_edges_) add_edges(line, kappa);
}

}  // namespace poisson
