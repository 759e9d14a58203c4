// Finds connected floating bodies: the backend finds the parts of each process, which are then joined at cuts.

#include "grids/schemes/cells/floating_bodies.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "backends/device/backend.hpp"
#include "grids/kernels/cell_codes.hpp"
#include "grids/kernels/functionals.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/schemes/cells/part_trees.hpp"

namespace poisson {

namespace {

// A part of a body without centres of cells belongs to the nearest cell of the body within this number of cells.
constexpr int farthest = 4;

// Returns a point of a region behind its surface, which a cell meets on its line along an axis.
std::optional<Point> point_behind(const MediaCells& cells, const std::array<int, 3>& cell, std::size_t axis, int side,
                                  RegionNumber region) {
  if (!cells.media().bodies) return {};
  Point point = cells.centre(cell[0], cell[1], cell[2]);
  const Ray ray = cells.ray(axis, point);
  std::vector<Bodies::Piece> pieces;
  cells.media().bodies->split(ray, pieces);
  const double middle = point[axis], most = cells.block().axes[axis].width(cell[axis]);
  std::optional<Point> found;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const double end = p + 1 < pieces.size() ? pieces[p + 1].begin : ray.upper;
    const double from = side > 0 ? std::max(pieces[p].begin, middle) : pieces[p].begin;
    const double to = side > 0 ? end : std::min(end, middle);
    if (pieces[p].region != region || from >= to) continue;
    point[axis] = side > 0 ? from + 0.5 * std::min(to - from, most) : to - 0.5 * std::min(to - from, most);
    found = point;
    if (side > 0) break;
  }
  return found;
}

// Returns whether the straight line between two points lies in a region.
bool joins(const Bodies& bodies, const Point& from, const Point& to, RegionNumber region) {
  constexpr double sliver = 1e-9;
  Ray ray{.origin = from, .step = 0.125};
  for (std::size_t d = 0; d < 3; ++d) ray.direction[d] = to[d] - from[d];
  if (ray.direction == Point{}) return true;
  std::vector<Bodies::Piece> pieces;
  bodies.split(ray, pieces);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const double end = p + 1 < pieces.size() ? pieces[p + 1].begin : ray.upper;
    if (pieces[p].region != region && end - pieces[p].begin > sliver) return false;
  }
  return true;
}

}  // namespace

bool FloatingBodies::any(const Media& media) {
  return std::ranges::any_of(media.regions,
                             [&](const MediaRegion& r) { return media.materials[r.material].floating.has_value(); });
}

FloatingBodies::FloatingBodies(const MediaCells& cells, Backend& backend, Sampler& sampler,
                               const Functionals& functionals)
    : box_(cells.box()), copies_(cells) {
  const Block& block = cells.block();
  std::vector<int> labels;
  const std::vector<Part> parts = find_parts(cells, backend, labels);
  std::vector<std::array<int, 3>> first;
  std::vector<PartOfRegion> regions;
  const std::int64_t offset = numbers_before(block.processes(), parts.size());
  for (const Part& part : parts) {
    first.push_back(part.first);
    for (PartOfRegion region : part.regions) {
      region.part += offset;
      regions.push_back(region);
    }
  }
  const JoinedParts joined(
      block, box_, backend, sampler, functionals, labels, first, [](const auto&, std::size_t, int) { return true; },
      parts_of_one_body(cells, gather_lists(block.processes(), regions)));
  number(block.processes(), parts, joined);
  store_parts(block.layout().box(), labels, joined);
}

// Finds the parts of this process's cells, which are the labels of its cells, x fastest. Cells beyond periodic ends do
// not connect here: JoinedParts counts the periods between them.
std::vector<FloatingBodies::Part> FloatingBodies::find_parts(const MediaCells& cells, Backend& backend,
                                                             std::vector<int>& labels) const {
  const Block& block = cells.block();
  const std::array<int, 3>& n = block.layout().n;
  std::vector<char> floats;
  for (std::size_t r = 0; r < cells.media().regions.size(); ++r)
    floats.push_back(cells.media().material_of(static_cast<RegionNumber>(r)).floating ? 1 : 0);
  std::vector<CellCodes::Cell> floating;
  CellCodes::Cell number = 0;
  for_each_place(block.layout().box(), [&](int i, int j, int k) {
    if (floats[cells.region(i, j, k)]) floating.push_back(number);
    ++number;
  });
  labels.assign(number, -1);
  std::vector<Part> parts;
  if (floating.empty()) return parts;
  const auto codes = make_cell_codes(backend, n, floats.size(), [&](int j, int k, std::span<CellCodes::Code> line) {
    for (int i = 0; i < n[0]; ++i) line[static_cast<std::size_t>(i)] = cells.region(i, j, k);
  });
  codes->find_parts(floats, {false, false, false});
  const std::vector<CellCodes::Cell> found = codes->parts_of(floating);
  for (std::size_t f = 0; f < floating.size(); ++f) {
    const CellCodes::Cell cell = floating[f], nx = static_cast<CellCodes::Cell>(n[0]),
                          ny = static_cast<CellCodes::Cell>(n[1]);
    const std::array at{static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny),
                        static_cast<int>(cell / nx / ny)};
    // A part has the number of its first cell, which comes first.
    int& label = labels[found[f]];
    if (label < 0) {
      label = static_cast<int>(parts.size());
      parts.push_back({.first = at, .regions = {}, .copies = {}});
    }
    labels[floating[f]] = label;
    Part& part = parts[static_cast<std::size_t>(label)];
    ++part.cells;
    const RegionNumber region = cells.region(at[0], at[1], at[2]);
    if (copies_.separate(region)) {
      const BodyCopies::Place copy = copies_.at(region, cells.centre(at[0], at[1], at[2]));
      if (std::ranges::none_of(part.copies, [&](const auto& known) { return known.copy == copy.copy; }))
        part.copies.push_back(copy);
    }
    std::array<int, 3> place{};
    for (std::size_t d = 0; d < 3; ++d)
      if (!block.axes[d].degenerate()) place[d] = block.axes[d].global_cell(at[d]);
    const auto known = std::ranges::find(part.regions, region, &PartOfRegion::region);
    if (known == part.regions.end()) {
      part.regions.push_back({label, region, place, place, place});
      continue;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      known->low[d] = std::min(known->low[d], place[d]);
      known->high[d] = std::max(known->high[d], place[d]);
    }
  }
  return parts;
}

// Numbers the bodies by their first cell in the grid, whatever the processes.
void FloatingBodies::number(const Processes& processes, const std::vector<Part>& parts, const JoinedParts& joined) {
  struct Found {
    std::int64_t first, cells;
    std::array<bool, 3> winds;
  };
  struct FoundCopy {
    std::int64_t first;
    BodyCopies::Copy copy;
    std::array<std::int8_t, 3> periods;
  };
  std::vector<Found> own;
  std::vector<FoundCopy> copies;
  std::vector<std::pair<std::int64_t, RegionNumber>> regions;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const JoinedPart& part = joined.of(static_cast<int>(p));
    own.push_back({part.first, parts[p].cells, part.winds});
    for (const PartOfRegion& r : parts[p].regions) regions.emplace_back(part.first, r.region);
    for (const auto& [copy, periods] : parts[p].copies) {
      FoundCopy& found = copies.emplace_back(FoundCopy{part.first, copy, {}});
      for (std::size_t d = 0; d < 3; ++d) found.periods[d] = static_cast<std::int8_t>(-part.periods[d] - periods[d]);
    }
  }
  const std::vector<Found> all = gather_lists(processes, own);
  for (const Found& found : all) first_.push_back(found.first);
  std::ranges::sort(first_);
  first_.erase(std::ranges::unique(first_).begin(), first_.end());
  bodies_.resize(first_.size());
  const auto body = [&](std::int64_t first) -> FloatingBody& {
    return bodies_[static_cast<std::size_t>(body_from(first))];
  };
  for (const Found& found : all) {
    body(found.first).cells += found.cells;
    body(found.first).winds = found.winds;
  }
  for (const auto& [first, r] : gather_lists(processes, regions)) body(first).regions.push_back(r);
  for (FloatingBody& b : bodies_) {
    std::ranges::sort(b.regions);
    b.regions.erase(std::ranges::unique(b.regions).begin(), b.regions.end());
  }
  for (const FoundCopy& found : gather_lists(processes, copies))
    of_copies_.try_emplace(found.copy, Beside{body_from(found.first), found.periods});
}

int FloatingBodies::body_from(std::int64_t first) const {
  return static_cast<int>(std::ranges::lower_bound(first_, first) - first_.begin());
}

// Stores the parts of the cells, and of their neighbours beyond cuts and periodic ends.
void FloatingBodies::store_parts(const Box& own, const std::vector<int>& labels, const JoinedParts& joined) {
  parts_.assign(static_cast<std::size_t>(box_.size()), -1);
  std::size_t at = 0;
  for_each_place(own, [&](int i, int j, int k) {
    const int label = labels[at++];
    parts_[cells_index({i, j, k})] = label;
    if (label < static_cast<int>(places_.size())) return;
    const JoinedPart& part = joined.of(label);
    places_.push_back({body_from(part.first), part.periods});
  });
  std::unordered_map<const JoinedPart*, int> beyond;
  for_each_place(box_, [&](int i, int j, int k) {
    const std::array cell{i, j, k};
    if (contains(own, cell)) return;
    const JoinedPart* const part = joined.beyond(cell);
    if (!part) return;
    const auto [known, added] = beyond.try_emplace(part, static_cast<int>(places_.size()));
    if (added) places_.push_back({body_from(part->first), part->periods});
    parts_[cells_index(cell)] = known->second;
  });
}

// A region may have several bodies. The body behind a surface is that of the nearest cell to which a straight line
// inside the region leads, or else the one of the neighbour.
FloatingBodies::Beside FloatingBodies::beside(const MediaCells& cells, const std::array<int, 3>& cell, int axis,
                                              int side, RegionNumber region, BodyCopies::Copy& thin) const {
  const auto along = static_cast<std::size_t>(axis);
  std::array next = cell;
  next[along] += side;
  const bool known = cells.stores(next) && at(next) >= 0;
  if (known && bodies_.size() == 1) return seen_at(cells.block(), next);
  const std::optional<Point> behind = point_behind(cells, cell, along, side, region);
  if (behind)
    if (const auto joined = joined_to(cells, cell, *behind, region)) return seen_at(cells.block(), *joined);
  if (known) return seen_at(cells.block(), next);
  // The body is thinner than a cell here, as at its tips and where another body cuts it. The nearest of its cells has
  // its place.
  const BodyCopies::Place place = copies_.at(region, behind.value_or(cells.centre(cell[0], cell[1], cell[2])));
  for (int reach = 1; reach <= farthest; ++reach)
    if (const auto nearest = nearest_of(cells, cell, place.copy, reach)) return seen_at(cells.block(), *nearest);
  if (const auto body = of_copies_.find(place.copy); body != of_copies_.end())
    return {body->second.body, sum(body->second.periods, place.periods, 1)};
  if (!copies_.separate(region))
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (std::ranges::find(bodies_[b].regions, region) != bodies_[b].regions.end()) return {static_cast<int>(b)};
  thin = place.copy;
  return {};
}

// Returns the cell around another one whose centre is nearest to a point of a region, and to which a straight line
// leads from there inside the region.
std::optional<std::array<int, 3>> FloatingBodies::joined_to(const MediaCells& cells, const std::array<int, 3>& cell,
                                                            const Point& behind, RegionNumber region) const {
  std::vector<std::pair<double, std::array<int, 3>>> all;
  const int flat = cells.block().dimension() == 2 ? 0 : 2;
  for_each_place({{-2, -2, -flat}, {3, 3, flat + 1}}, [&](int x, int y, int z) {
    const std::array other{cell[0] + x, cell[1] + y, cell[2] + z};
    if (!cells.stores(other) || at(other) < 0 || cells.region(other[0], other[1], other[2]) != region) return;
    const Point centre = cells.centre(other[0], other[1], other[2]);
    double distance = 0;
    for (std::size_t d = 0; d < 3; ++d) distance += (centre[d] - behind[d]) * (centre[d] - behind[d]);
    all.emplace_back(distance, other);
  });
  std::ranges::sort(all);
  for (const auto& [distance, other] : all)
    if (joins(*cells.media().bodies, behind, cells.centre(other[0], other[1], other[2]), region)) return other;
  return {};
}

// Returns the nearest stored cell of a copy of a region, by steps along axes, within a box of cells around a cell.
std::optional<std::array<int, 3>> FloatingBodies::nearest_of(const MediaCells& cells, const std::array<int, 3>& cell,
                                                             const BodyCopies::Copy& copy, int reach) const {
  const int flat = cells.block().dimension() == 2 ? 0 : reach;
  std::optional<std::array<int, 3>> nearest;
  int least = 0;
  for_each_place({{-reach, -reach, -flat}, {reach + 1, reach + 1, flat + 1}}, [&](int i, int j, int k) {
    const std::array other{cell[0] + i, cell[1] + j, cell[2] + k};
    const int steps = std::abs(i) + std::abs(j) + std::abs(k);
    if (nearest && steps >= least) return;
    if (!cells.stores(other) || at(other) < 0 || cells.region(other[0], other[1], other[2]) != copy.region) return;
    if (copies_.at(copy.region, cells.centre(other[0], other[1], other[2])).copy != copy) return;
    nearest = other;
    least = steps;
  });
  return nearest;
}

// Returns the body of a stored cell, and the periods to it as seen from a neighbour inside the grid.
FloatingBodies::Beside FloatingBodies::seen_at(const Block& block, const std::array<int, 3>& cell) const {
  Beside found{at(cell)};
  const std::array<std::int8_t, 3>& along = periods(cell);
  for (std::size_t d = 0; d < 3; ++d) {
    found.periods[d] = static_cast<std::int8_t>(-along[d]);
    const Axis& axis = block.axes[d];
    if (!axis.closed()) continue;
    const int number = axis.origin() + cell[d];
    const int beyond = number < 0 ? -1 : number >= axis.all_cells() ? 1 : 0;
    found.periods[d] = static_cast<std::int8_t>(found.periods[d] + beyond);
  }
  return found;
}

void FloatingBodies::add_thin(const Processes& processes, const std::vector<BodyCopies::Copy>& copies) {
  std::vector<BodyCopies::Copy> all = gather_lists(processes, copies);
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  for (const BodyCopies::Copy& copy : all) {
    of_copies_.try_emplace(copy, Beside{static_cast<int>(bodies_.size()), {}});
    bodies_.emplace_back().regions.push_back(copy.region);
  }
}

std::size_t FloatingBodies::count_thin(std::vector<std::size_t>& count) const {
  std::size_t all = 0;
  for (std::size_t r = 0; r < count.size(); ++r) {
    const auto region = static_cast<RegionNumber>(r);
    if (!copies_.separate(region)) continue;
    const auto known = static_cast<std::size_t>(
        std::ranges::count_if(of_copies_, [&](const auto& copy) { return copy.first.region == region; }));
    const std::size_t thin = copies_.count_in_grid(region) - std::min(known, copies_.count_in_grid(region));
    count[r] += thin;
    all += thin;
  }
  return all;
}

std::shared_ptr<const Media> with_strong_conductors(const Media& media, const std::vector<std::size_t>& count) {
  auto changed = std::make_shared<Media>(media);
  double most = 0;
  for (const MediaRegion& r : media.regions) {
    const Material& m = media.materials[r.material];
    if (!m.conducts()) continue;
    for (const Quantity& kappa : m.coefficient)
      if (const double* number = kappa.constant()) most = std::max(most, *number);
  }
  if (most == 0) most = 1;
  for (std::size_t m = 0; m < changed->materials.size(); ++m) {
    Material& material = changed->materials[m];
    if (!material.floating) continue;
    std::size_t bodies = 1;
    for (std::size_t r = 0; r < media.regions.size(); ++r)
      if (media.regions[r].material == m) bodies = std::max(bodies, count[r]);
    material.coefficient.fill(strong_kappa * most);
    material.isotropic = true;
    if (*material.floating != 0) material.power = *material.floating * static_cast<double>(bodies);
    material.floating.reset();
  }
  return changed;
}

}  // namespace poisson
