#include "grids/sampling/detached_faces.hpp"

#include <algorithm>
#include <limits>

#include "backends/memory/places.hpp"

namespace poisson {
namespace {

// A conductance beside a body is moved if it exceeds that of its own materials by this factor, and if κ of the body
// exceeds that of these materials by the second one. Bodies of smaller κ cost no iterations.
constexpr double detached = 10, strong_body = 150;
constexpr double rounding = 1e-9;

}  // namespace

// Faces with sheets and contacts have their own rules, and cells that sharp insulators cut have one layer.
int DetachedFaces::layers(const Media& media) {
  const bool plain =
      media.bodies && media.surfaces != Surfaces::staircase && media.sheets.empty() && media.contacts.empty();
  const bool cut = media.surfaces == Surfaces::sharp && std::ranges::any_of(media.regions, [&](const MediaRegion& r) {
                     return media.materials[r.material].insulator;
                   });
  return plain && !cut ? 2 : 1;
}

DetachedFaces::DetachedFaces(const MediaCells& cells)
    : cells_(cells), any_(layers(cells.media()) > 1), constant_(cells.kappa_is_constant()) {
  for (std::size_t d = 0; constant_ && d < least_.size(); ++d) {
    least_[d] = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < cells.media().regions.size(); ++r) {
      const auto region = static_cast<RegionNumber>(r);
      if (cells.conducts(region)) least_[d] = std::min(least_[d], cells.kappa(region, d, 0, 0, 0));
    }
  }
}

// Dirichlet data of neighbours are nearly the same. Robin faces keep their conductance, because it is in series with α
// of one face.
bool DetachedFaces::moves_at(std::size_t axis, int end) const {
  return cells_.block().axes[axis].kind(end) == BoundaryKind::dirichlet;
}

DetachedFaces::Cell DetachedFaces::below(std::size_t axis, const Cell& cell) const {
  Cell other = cell;
  --other[axis];
  return other;
}

double DetachedFaces::staircase(std::size_t axis, const Cell& above) const {
  const Axis& line = cells_.block().axes[axis];
  double resistance = 0, length = 0;
  for (const Cell& cell : {below(axis, above), above}) {
    if (!cells_.stores(cell)) continue;  // at an end
    const auto [i, j, k] = cell;
    const RegionNumber region = cells_.region(i, j, k);
    if (!cells_.conducts(region)) return 0;
    const double half = 0.5 * line.width(cell[axis]);
    resistance += half / cells_.kappa(region, axis, i, j, k);
    length += half;
  }
  return length / resistance;
}

double DetachedFaces::area(std::size_t axis, const Cell& cell) const {
  double product = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != axis) product *= cells_.block().axes[d].width(cell[d]);
  return product;
}

template <class F>
void DetachedFaces::for_each_beside(std::size_t axis, const Cell& cell, bool edges, const F& f) const {
  const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  for (int q = -1; q <= 1; ++q)
    for (int p = -1; p <= 1; ++p) {
      if ((p == 0 && q == 0) || (p != 0 && q != 0) != edges) continue;
      Cell beside = cell;
      beside[a] += p;
      beside[b] += q;
      // One of the two cells at a face on an end exists.
      if (cells_.stores(beside) || cells_.stores(below(axis, beside))) f(beside);
    }
}

bool DetachedFaces::near_surface(std::size_t axis, const Cell& above) const {
  const auto region = [&](const Cell& cell) { return cells_.region(cell[0], cell[1], cell[2]); };
  const Cell own = cells_.stores(above) ? above : below(axis, above);
  bool differs = false;
  for (const bool edges : {false, true})
    for_each_beside(axis, above, edges, [&](const Cell& beside) {
      for (const Cell& cell : {beside, below(axis, beside)})
        differs = differs || (cells_.stores(cell) && region(cell) != region(own));
    });
  return differs;
}

void DetachedFaces::move(std::size_t axis, const Cell& above, double& kappa, std::vector<Move>& moves) const {
  // Expressions are evaluated at surfaces only.
  if (!(kappa > 0) || kappa < detached * least_[axis] || (!constant_ && !near_surface(axis, above))) return;
  const double plain = staircase(axis, above);
  if (!(plain > 0) || kappa < detached * plain) return;
  std::vector<Cell> inside;
  for (const bool edges : {false, true})
    if (inside.empty())
      for_each_beside(axis, above, edges, [&](const Cell& beside) {
        const double body = staircase(axis, beside);
        if (body >= (1 - rounding) * kappa && body >= strong_body * plain) inside.push_back(beside);
      });
  if (inside.empty()) return;
  const double moved = (kappa - plain) * area(axis, above) / static_cast<double>(inside.size());
  kappa = plain;
  for (const Cell& cell : inside) moves.push_back({cell, moved / area(axis, cell)});
}

void DetachedFaces::find(const MediaLines::At& line, std::vector<double>& kappa, std::vector<Move>& moves) const {
  const auto& n = cells_.block().layout().n;
  const Axis& axis = cells_.block().axes[line.axis];
  const std::size_t before = moves.size();
  for (std::size_t f = 0; f < kappa.size(); ++f) {
    const bool first = f == 0 && axis.open(0), last = f + 1 == kappa.size() && axis.open(1);
    if ((first && !moves_at(line.axis, 0)) || (last && !moves_at(line.axis, 1))) continue;
    Cell above = line.cell;
    above[line.axis] = static_cast<int>(f);
    move(line.axis, above, kappa[f], moves);
  }
  const auto elsewhere = [&](const Move& m) {
    for (std::size_t d = 0; d < 3; ++d)
      if (d != line.axis && (m.cell[d] < 0 || m.cell[d] >= n[d])) return true;
    return false;
  };
  moves.erase(std::remove_if(moves.begin() + static_cast<std::ptrdiff_t>(before), moves.end(), elsewhere), moves.end());
}

std::vector<double> DetachedFaces::end_kappa(const MediaLines& lines, std::size_t axis, int end,
                                             const Box& behind) const {
  std::vector<double> kappa(static_cast<std::size_t>(behind.size()));
  if (!any_ || !moves_at(axis, end)) {
    std::size_t at = 0;
    for_each_place(behind, [&](int i, int j, int k) { kappa[at++] = lines.end_kappa({axis, {i, j, k}}, end); });
    return kappa;
  }
  // Cells next to the box may give to cells of the box.
  Box giving = behind;
  for (std::size_t d = 0; d < 3; ++d) {
    if (d == axis || cells_.block().axes[d].degenerate()) continue;
    giving.first[d] = std::max(giving.first[d] - 1, cells_.box().first[d]);
    giving.last[d] = std::min(giving.last[d] + 1, cells_.box().last[d]);
  }
  std::vector<Move> moves;
  const auto number = [&](const Cell& cell) {
    std::size_t at = 0;
    for (std::size_t d = 3; d-- > 0;)
      at = at * static_cast<std::size_t>(behind.last[d] - behind.first[d]) +
           static_cast<std::size_t>(cell[d] - behind.first[d]);
    return at;
  };
  for_each_place(giving, [&](int i, int j, int k) {
    Cell face{i, j, k};
    double value = lines.end_kappa({axis, face}, end);
    face[axis] += end;
    move(axis, face, value, moves);
    if (contains(behind, {i, j, k})) kappa[number({i, j, k})] += value;
  });
  for (const Move& m : moves) {
    Cell cell = m.cell;
    cell[axis] -= end;
    if (contains(behind, cell)) kappa[number(cell)] += m.kappa;
  }
  return kappa;
}

}  // namespace poisson
