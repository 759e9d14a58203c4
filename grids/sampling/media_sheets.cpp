// Thin conducting layers on surfaces.

#include <algorithm>
#include <cmath>

#include "grids/sampling/media_lines.hpp"

namespace poisson {
namespace {

// Lines across a face along each axis, in space.
constexpr int lines_on_face = 4;
// The lines of a face lie this share of a cell beside it, on both sides: bodies may end at the face.
constexpr double next_to_face = 1e-6;
// The curve in which a surface cuts a plane has no direction if the surface is nearly parallel to the plane.
constexpr double least_sine = 0.01;
// The surface is at least and at most these shares of the distance of two centres away from the one beside it.
constexpr double nearest_sheet = 0.05, farthest_sheet = 6;
// A cell has the value of a sheet that conducts much better than its other neighbours. They count with this share.
constexpr double of_neighbours = 0.5;

}  // namespace

// A sheet of thickness t and coefficient κ conducts κ t per width along the surface. Cells that touch the surface carry
// it: those of the sheet's material or, if that does not conduct, those on the other side. Two neighbours that carry
// the sheet on the same side get a coupling κ t w/distance, with the width w of the face across both directions: the
// κ of their face grows by κ t/h, with their width h across the surface.
double MediaLines::sheets(std::size_t axis, const std::array<int, 3>& a, const std::array<int, 3>& b) const {
  const Media& media = cells_.media();
  double sum = 0;
  for (const Sheet& sheet : media.sheets) {
    const bool inside = media.materials[sheet.on].conducts();
    const auto is_on = [&](const std::array<int, 3>& c) {
      return media.regions[cells_.region(c[0], c[1], c[2])].material == sheet.on;
    };
    const auto carries = [&](const std::array<int, 3>& c, std::size_t normal, int side) {
      std::array beyond = c;
      beyond[normal] += side;
      return cells_.stores(beyond) && is_on(c) == inside && is_on(beyond) != inside;
    };
    for (std::size_t normal = 0; normal < static_cast<std::size_t>(cells_.block().dimension()); ++normal)
      for (const int side : {-1, 1})
        if (normal != axis && carries(a, normal, side) && carries(b, normal, side))
          sum += sheet.coefficient * sheet.thickness / cells_.block().axes[normal].width(a[normal]);
  }
  return sum;
}

std::size_t MediaLines::SheetLinks::index(const std::array<int, 3>& cell) const {
  std::size_t at = 0;
  for (const std::size_t d : {2U, 1U, 0U})
    at = at * static_cast<std::size_t>(box.last[d] + 1 - box.first[d]) +
         static_cast<std::size_t>(cell[d] - box.first[d]);
  return at;
}

// Is a row of faces in a plane across an axis, and what lines along the row on both sides of the plane find.
struct MediaLines::SheetRow {
  std::size_t normal, along, third;
  int face, other;  ///< indices across `normal` and `third`
  std::array<std::vector<double>, 2> kappa;
  std::vector<std::int8_t> towards;
  bool found = false;
};

// The plane of a face cuts a surface in a curve. A gradient g along the surface drives the current κ t gₓ/√(1 − nₓ²)
// through each length of the curve, with the normal n of the surface. The cells on both sides of the face, whose values
// differ by gₓ h, therefore need the coupling κ t/(h √(1 − nₓ²)) per length. The currents of the faces of a cell then
// balance, because those of the surface within the cell do.
void MediaLines::find_sheets() {
  const Block& block = cells_.block();
  links_.box = cells_.box();
  std::size_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) all *= static_cast<std::size_t>(links_.box.last[d] + 1 - links_.box.first[d]);
  links_.any = true;
  const auto dimension = static_cast<std::size_t>(block.dimension());
  for (std::size_t d = 0; d < dimension; ++d) {
    links_.kappa[d].assign(all, 0);
    links_.towards[d].assign(all, 0);
    for (std::size_t e = 0; e < dimension; ++e) {
      if (e == d) continue;
      const std::size_t third = 3 - d - e;
#pragma omp parallel for schedule(dynamic)
      for (int f = links_.box.first[d]; f <= links_.box.last[d]; ++f)
        for (int o = links_.box.first[third]; o < links_.box.last[third]; ++o) {
          SheetRow row{d, e, third, f, o, {}, {}, false};
          add_row(row);
        }
    }
  }
}

// Returns what faces beside a sheet lose along the surface (beside_sheet). A face that passes κ A/d over the distance d
// of its cell to the surface carries the current of a gradient along the surface as if it were d/h times as long as
// before. The cells that a plane surface crosses reach Σ |n_e| h_e/2 to both sides of it, along an axis with the
// component n of the normal therefore T h with T = Σ |n_e| h_e/(2 |n| h). The distances d lie between T h and (T + 1)
// h, so the mean of 1 − h/d is 1 − log(1 + 1/T). A surface meets |n| faces per area and side.
double MediaLines::lost_along(const At& line, const Slope& surface, const std::array<RegionNumber, 2>& regions,
                              double of_sheet) const {
  if (contact(regions[0], regions[1]) > 0) return 0;
  const auto dimension = static_cast<std::size_t>(cells_.block().dimension());
  std::array<double, 3> normal{}, reach{};
  std::size_t other = 0;
  double layer = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    normal[d] = (d == line.axis ? 1 : std::abs(surface.slopes[other++])) / surface.length;
    if (d >= dimension) continue;
    reach[d] = normal[d] * width(d, line.cell[d]);
    layer += 0.5 * reach[d];
  }
  double sum = 0;
  for (const RegionNumber r : regions) {
    if (!cells_.conducts(r)) continue;
    for (std::size_t d = 0; d < dimension; ++d) {
      const double kappa = 1 / resistance(r, d, line.cell, 1), w = width(d, line.cell[d]);
      const double along = (1 - normal[d] * normal[d]) / static_cast<double>(dimension - 1);
      const double tied = of_sheet / (of_sheet + of_neighbours * kappa * w);
      sum += tied * kappa * reach[d] * along * (1 - std::log1p(reach[d] / layer));
    }
  }
  return sum;
}

// Adds a crossing of a line in a row with the surface between two regions.
void MediaLines::add_crossing(At line, double place, const std::array<RegionNumber, 2>& regions, std::size_t side,
                              double share, SheetRow& row) const {
  const Axis& axis = cells_.block().axes[row.along];
  const Media& media = cells_.media();
  const std::vector<double>& nodes = axis.nodes();
  const int first = links_.box.first[row.along], last = links_.box.last[row.along];
  const std::size_t of_before = media.regions[regions[0]].material, of_after = media.regions[regions[1]].material;
  const auto cell =
      std::clamp(static_cast<int>(std::ranges::upper_bound(nodes, place) - nodes.begin()) - 1, 0, axis.all_cells() - 1);
  const double low = nodes[static_cast<std::size_t>(cell)], high = nodes[static_cast<std::size_t>(cell) + 1];
  line.cell[row.along] = std::clamp(cell - axis.origin(), first, last - 1);
  for (const Sheet& sheet : media.sheets) {
    if ((of_before == sheet.on) == (of_after == sheet.on)) continue;
    const Slope at = slope(line, place, regions[0], regions[1]);
    const std::size_t u = row.normal < row.third ? 0 : 1;
    const double n = 1 / at.length, sine = std::max(1 - at.slopes[u] * at.slopes[u] * n * n, least_sine);
    const double of_sheet = sheet.coefficient * sheet.thickness;
    const double kappa = share * std::max(of_sheet + lost_along(line, at, regions, of_sheet), 0.0) * n / sine;
    // A surface on a face belongs to the cells of the material or, if it does not conduct, to those beyond.
    const bool up = media.materials[sheet.on].conducts() == (of_after == sheet.on);
    const double near = next_to_face * (high - low);
    const int global = place - low < near && !up ? cell - 1 : high - place < near && up ? cell + 1 : cell;
    const bool below = cells_.conducts(regions[0]), above = cells_.conducts(regions[1]);
    for (const int shift : {-axis.all_cells(), 0, axis.all_cells()}) {
      const int c = global - axis.origin() + shift;
      if ((shift != 0 && axis.open(0)) || c < first || c >= last) continue;
      const auto to = static_cast<std::size_t>(c - first);
      row.kappa[side][to] += kappa / axis.width(c);
      if (below != above)
        row.towards[to] = static_cast<std::int8_t>((above ? 1 : -1) * (static_cast<int>(row.along) + 1));
      row.found = true;
    }
  }
}

// Adds the crossings of lines along a row with surfaces that have sheets. Of the lines on both sides of the plane the
// smaller sum counts, because a surface may end there.
void MediaLines::add_row(SheetRow& row) {
  const Block& block = cells_.block();
  const Axis& across = block.axes[row.normal];
  const bool flat = block.axes[row.third].degenerate();
  const int lines = flat ? 1 : lines_on_face, first = links_.box.first[row.along], last = links_.box.last[row.along];
  const std::size_t u = row.normal < row.third ? 0 : 1;
  for (auto& kappa : row.kappa) kappa.assign(static_cast<std::size_t>(last - first), 0);
  row.towards.assign(row.kappa[0].size(), 0);
  std::size_t sides = 0;
  thread_local Pieces pieces;
  for (const int side : {0, 1}) {
    At line{row.along, {}};
    const int in = row.face - 1 + side;
    if ((in < 0 && across.open(0)) || (in >= across.size() && across.open(1)) || across.width(in) == 0) continue;
    ++sides;
    line.cell[row.normal] = in;
    line.cell[row.third] = row.other;
    line.across[u] = (side == 0 ? 0.5 - next_to_face : next_to_face - 0.5) * across.width(in);
    for (int s = 0; s < lines; ++s) {
      if (!flat) line.across[1 - u] = ((s + 0.5) / lines - 0.5) * block.axes[row.third].width(row.other);
      if (!bodies_->split(cells_.ray(row.along, through(line)), pieces)) continue;
      for (std::size_t p = 1; p < pieces.size(); ++p)
        add_crossing(line, pieces[p].begin, {region_of(pieces[p - 1], {}), region_of(pieces[p], {})},
                     static_cast<std::size_t>(side), 1.0 / lines, row);
    }
  }
  if (!row.found) return;
  std::array<int, 3> face{};
  face[row.normal] = row.face;
  face[row.third] = row.other;
  for (int c = first; c < last; ++c) {
    const auto at = static_cast<std::size_t>(c - first);
    face[row.along] = c;
    const double lower = row.kappa[0][at], upper = row.kappa[1][at];
    const double kappa = sides == 2 ? std::min(lower, upper) : lower + upper;
    if (kappa == 0) continue;
    links_.kappa[row.normal][links_.index(face)] += kappa;
    if (row.towards[at] != 0) links_.towards[row.normal][links_.index(face)] = row.towards[at];
  }
}

// Returns half of what sheets add to κ of the faces of a cell: how well the cell conducts to the sheet.
double MediaLines::on_sheets(const At& line, int i) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (links_.kappa[d].empty()) continue;
    std::array upper = cell;
    ++upper[d];
    sum += links_.kappa[d][links_.index(cell)] + links_.kappa[d][links_.index(upper)];
  }
  return 0.5 * sum;
}

double MediaLines::with_sheets(const At& line, int face, const Pieces& central, double kappa) const {
  const Axis& axis = cells_.block().axes[line.axis];
  const bool lower = face > 0 || !axis.open(0), upper = face < axis.size() || !axis.open(1);
  std::array below = line.cell, above = line.cell, cell = line.cell;
  below[line.axis] = lower ? face - 1 : face;
  above[line.axis] = upper ? face : face - 1;
  cell[line.axis] = face;
  if (!has_links()) return kappa + sheets(line.axis, above, below);
  const auto conducts = [&](const std::array<int, 3>& c) {
    return cells_.stores(c) && cells_.conducts(cells_.region(c[0], c[1], c[2]));
  };
  double sum = links_.kappa[line.axis][links_.index(cell)];
  // Faces of cells that left pass their sheet to the next face on the side that conducts.
  for (std::size_t e = 0; e < static_cast<std::size_t>(cells_.block().dimension()); ++e)
    for (const int side : {-1, 1}) {
      if (e == line.axis) continue;
      std::array next = cell, a = below, b = above;
      for (auto* c : {&next, &a, &b}) (*c)[e] += side;
      if (!cells_.stores(a) || !cells_.stores(b) || (conducts(a) && conducts(b))) continue;
      const std::size_t at = links_.index(next);
      if (links_.towards[line.axis][at] == -side * (static_cast<int>(e) + 1))
        sum += links_.kappa[line.axis][at] * width(e, next[e]) / width(e, cell[e]);
    }
  if (lower && upper) kappa = beside_sheet(line, face, central, kappa);
  return kappa + sum;
}

// Cells that a sheet crosses have the value of the sheet. Their neighbours conduct to it over the distance between the
// surface and their own centre along the axis, the more so the better the sheet conducts. This distance reaches several
// cells if the surface is nearly parallel to the axis.
double MediaLines::beside_sheet(const At& line, int face, const Pieces& central, double kappa) const {
  const double of_lower = on_sheets(line, face - 1), of_upper = on_sheets(line, face);
  if (of_lower == of_upper || open(line, face) < 1) return kappa;
  const bool on_lower = of_lower > of_upper;
  const int on = on_lower ? face - 1 : face, beside = on_lower ? face : face - 1;
  const RegionNumber own = region(line, beside);
  if (!cells_.conducts(own) || contact(own, region(line, on)) > 0) return kappa;
  const Media& media = cells_.media();
  const auto has_sheet = [&](RegionNumber a, RegionNumber b) {
    return std::ranges::any_of(media.sheets, [&](const Sheet& s) {
      return (media.regions[a].material == s.on) != (media.regions[b].material == s.on);
    });
  };
  const auto& [low, middle, high, w] = places_[line.axis][static_cast<std::size_t>(on + 1)];
  const double length = 0.5 * (w + width(line.axis, beside)), towards = on_lower ? -1 : 1;
  double way = farthest_sheet * length, nearest = way;
  for (std::size_t p = 1; p < central.size(); ++p) {
    const double here = length + towards * (central[p].begin - middle), apart = std::abs(here - length);
    if (here <= 0 || here > farthest_sheet * length || apart >= nearest) continue;
    if (!has_sheet(region_of(central[p - 1], line.cell), region_of(central[p], line.cell))) continue;
    nearest = apart;
    way = here;
  }
  std::array cell = line.cell;
  cell[line.axis] = beside;
  const double of_cell = cells_.kappa(own, line.axis, cell[0], cell[1], cell[2]), least = of_neighbours * kappa;
  const double share = std::abs(of_lower / (of_lower + least) - of_upper / (of_upper + least));
  return length / ((1 - share) * length / kappa + share * std::max(way, nearest_sheet * length) / of_cell);
}

}  // namespace poisson
