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
}  // namespace

MediaLines::MediaLines(const MediaCells& cells)
    : cells_(cells),
      bodies_(cells.media().surfaces == Surfaces::staircase ? nullptr : cells.media().bodies.get()),
      sharp_(cells.sharp()),
      has_contacts_(!cells.media().contacts.empty()) {
  const Block& block = cells.block();
  if (bodies_) across_ = block.dimension() == 2 ? lines_in_plane : lines_in_space;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    const auto& x = axis.nodes();
    double least = x.back() - x.front();
    for (std::size_t i = 1; i < x.size(); ++i) least = std::min(least, x[i] - x[i - 1]);
    step_[d] = std::max(least / 4, (x.back() - x.front()) / (16.0 * axis.all_cells()));
  }
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

MediaLines::Half MediaLines::half(const At& line, int i, const Pieces& pieces, double from, double to,
                                  double face) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  Half h;
  bool begun = false;
  double at = from;
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
    resistance = this->resistance(region, line.axis, cell, length);
    if (begun && has_contacts_) h.resistance += contact(line, at, h.last, region);
    h.resistance += resistance;
    const double kappa = length / resistance;
    h.conducting += kappa * length;
    h.moment += kappa * length * (at + 0.5 * length - face);
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

MediaLines::Halves MediaLines::halves(const At& line, int i, const Pieces& pieces) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const double low = axis.point_in_cell(i, 0), middle = axis.point_in_cell(i, 0.5), high = axis.point_in_cell(i, 1);
  Halves h{half(line, i, pieces, low, middle, low), half(line, i, pieces, middle, high, high)};
  if (has_contacts_ && h.lower.last != h.upper.first)
    h.upper.resistance += contact(line, middle, h.lower.last, h.upper.first);
  return h;
}

// Adds a line to the faces below the cells 0 … n.
void MediaLines::add_conductances(const At& line, const Pieces& pieces, Sums& sums) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int n = axis.size(), first = axis.open(0) ? 0 : -1, last = axis.open(1) ? n : n + 1;
  const auto one = [](const Half& h) { return FaceLines::Line{.resistance = h.resistance, .plain = false}; };
  const auto both = [&](int face, const Half& a, const Half& b) {
    const double place = has_contacts_ ? axis.point_in_cell(face, 0) : 0;
    const Half& low = a.lowest <= b.lowest ? a : b;
    const Half& high = a.highest >= b.highest ? a : b;
    return FaceLines::Line{a.resistance + b.resistance + (has_contacts_ ? contact(line, place, a.last, b.first) : 0),
                           a.conducting + b.conducting,
                           a.moment + b.moment,
                           line.across,
                           low.of_lowest,
                           high.of_highest,
                           a.plain && b.plain && !has_contacts_};
  };
  const auto add = [&](int face, bool closed, const FaceLines::Line& l) {
    if (!closed) sums[static_cast<std::size_t>(face)].add(l);
  };
  Halves before{};
  for (int i = first; i < last; ++i) {
    const Halves here = halves(line, i, pieces);
    if (i == 0 && first == 0)
      add(0, here.lower.closed, one(here.lower));
    else if (i > first)
      add(i, before.upper.closed || here.lower.closed, both(i, before.upper, here.lower));
    before = here;
  }
  if (last == n) add(n, before.upper.closed, one(before.upper));
}

// Calls f(pieces, place from the centre of the face) for the lines across a face, and returns their number. Staircases
// have one line, without pieces. Where no body is near, one line is enough.
template <class F>
int MediaLines::for_each_ray(const At& line, const F& f) const {
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
  thread_local Pieces pieces;
  if (bodies_ && !bodies_->near(lower, upper)) {
    pieces.assign(1, {lower[line.axis], -1});
    count = {1, 1};
  }
  for (int b = 0; b < count[1]; ++b)
    for (int a = 0; a < count[0]; ++a) {
      if (bodies_ && count[0] * count[1] > 1)
        bodies_->split(ray(line, {(a + 0.5) / count[0], (b + 0.5) / count[1]}), pieces);
      f(pieces, std::array{((a + 0.5) / count[0] - 0.5) * widths[0], ((b + 0.5) / count[1] - 0.5) * widths[1]});
    }
  return count[0] * count[1];
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
  if (bodies_ && sharp_ && cells_.conducts(cells_.region(cell[0], cell[1], cell[2]))) {
    Pieces pieces;
    bodies_->split(ray(line, {0.5, 0.5}), pieces);
    if (wall(line, i, end == 0 ? -1 : 1, pieces)) return 0;
  }
  double sum = 0;
  int rays = 0;
  for_each_ray(line, [&](const Pieces& pieces, const std::array<double, 2>&) {
    const double low = axis.point_in_cell(i, end == 0 ? 0 : 0.5), high = axis.point_in_cell(i, end == 0 ? 0.5 : 1);
    const Half h = half(line, i, pieces, low, high, end == 0 ? low : high);
    if (h.closed) return;
    sum += 1 / h.resistance;
    ++rays;
  });
  const int face = end == 0 ? 0 : axis.size();
  const double all = rays == 0 ? fallback(line, face) : limited(line, i, sum / rays * (0.5 * axis.width(i)));
  const double kappa = all * open(line, face);
  return kappa > 0 ? kappa + sheets(line.axis, cell, cell) : 0;
}

void MediaLines::faces(const At& line, std::vector<double>& kappa, std::vector<FixedLink>& links) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const int n = axis.size();
  kappa.assign(static_cast<std::size_t>(n) + 1, 0);
  thread_local Sums sums;
  sums.assign(static_cast<std::size_t>(n) + 1, {});
  for_each_ray(line, [&](const Pieces& along, const std::array<double, 2>& across) {
    At own = line;
    own.across = across;
    add_conductances(own, along, sums);
  });
  thread_local Pieces pieces;
  if (bodies_) bodies_->split(ray(line, {0.5, 0.5}), pieces);
  const bool walls = bodies_ && sharp_ && std::ranges::any_of(pieces, [&](const Bodies::Piece& p) {
                       return p.region >= 0 && cells_.fixed(static_cast<RegionNumber>(p.region));
                     });
  const auto leaves = [&](int i) {
    std::array c = line.cell;
    c[line.axis] = i;
    return cells_.leaves(c[0], c[1], c[2]);
  };
  for (int i = 0; i <= n; ++i) {
    const bool lower = i > 0 || !axis.open(0), upper = i < n || !axis.open(1);
    const bool gone_below = lower && leaves(i - 1), gone_above = upper && leaves(i);
    double& value = kappa[static_cast<std::size_t>(i)];
    const double distance = 0.5 * ((lower ? axis.width(i - 1) : 0) + (upper ? axis.width(i) : 0));
    const bool one_sided = lower && upper && gone_below != gone_above;
    if (one_sided || (walls && !(gone_below && gone_above)))
      if (add_links(line, i, pieces, links) || one_sided) continue;
    if (gone_below || gone_above) continue;
    const FaceLines& sum = sums[static_cast<std::size_t>(i)];
    const double share = open(line, i);
    value = sum.empty() ? fallback(line, i)
                        : limited(line, lower ? i - 1 : i, sum.conductance(distance, share < 1) * distance);
    value *= share;
    if (value > 0 && !cells_.media().sheets.empty()) {
      std::array below = line.cell, above = line.cell;
      below[line.axis] = lower ? i - 1 : i;
      above[line.axis] = upper ? i : i - 1;
      value += sheets(line.axis, above, below);
    }
  }
}

void MediaLines::shares(int j, int k, std::vector<Share>& shares) const {
  const Block& block = cells_.block();
  const Axis& axis = block.axes[0];
  shares.clear();
  const At line{0, {0, j, k}};
  if (!bodies_) {
    for (int i = 0; i < axis.size(); ++i) shares.push_back({i, cells_.region(i, j, k), 1});
    return;
  }
  thread_local std::vector<Pieces> all;
  all.clear();
  const int rays =
      for_each_ray(line, [&](const Pieces& pieces, const std::array<double, 2>&) { all.push_back(pieces); });
  for (int i = 0; i < axis.size(); ++i) {
    const double low = axis.point_in_cell(i, 0), high = axis.point_in_cell(i, 1);
    const auto begin = static_cast<std::ptrdiff_t>(shares.size());
    for (const Pieces& pieces : all)
      walk(line, i, pieces, low, high, [&](double length, RegionNumber region) {
        const auto found =
            std::find_if(shares.begin() + begin, shares.end(), [&](const Share& s) { return s.region == region; });
        const double fraction = length / ((high - low) * rays);
        if (found == shares.end())
          shares.push_back({i, region, fraction});
        else
          found->fraction += fraction;
      });
  }
}

}  // namespace poisson
