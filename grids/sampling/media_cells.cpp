#include "grids/sampling/media_cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/sampling/detached_faces.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

namespace {

// A cell whose centre lies in an insulator belongs to the system if at least this share of its volume conducts. In the
// plane the open shares of the faces of smaller cells are exact, in space they are not.
constexpr double least_in_plane = 1e-5, least_in_space = 1e-3;
constexpr double much_open = 0.05;

// Conductance along averaged surfaces depends on two layers (detached_faces.hpp).
Box with_neighbours(const Problem& problem, const Block& block) {
  const int layers = DetachedFaces::layers(*problem.media);
  Box box = block.layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    if (!axis.open(0)) box.first[d] -= layers;
    if (!axis.open(1)) box.last[d] += layers;
    while (axis.global_cell(box.first[d]) < 0) ++box.first[d];
    while (axis.global_cell(box.last[d] - 1) >= axis.all_cells()) --box.last[d];
  }
  return box;
}

}  // namespace

MediaCells::MediaCells(const Problem& problem, const Block& block)
    : MediaCells(problem, block, with_neighbours(problem, block)) {}

MediaCells::MediaCells(const Problem& problem, const Block& block, const Box& box)
    : media_(problem.media), block_(block), box_(box) {
  nx_ = static_cast<std::size_t>(box_.last[0] - box_.first[0]);
  ny_ = static_cast<std::size_t>(box_.last[1] - box_.first[1]);
  for (std::size_t r = 0; r < media_->regions.size(); ++r) {
    const Material& m = media_->material_of(static_cast<RegionNumber>(r));
    const bool has_source = m.power || uniform_value(m.source) != 0 || uniform_value(problem.source) != 0 ||
                            uniform_value(problem.reaction) != 0;
    conducts_.push_back(!m.conducts() ? 0 : has_source ? 1 : harmonic);
    fixed_.push_back(m.has_value() ? 1 : 0);
    std::array<double, 3> kappa{};
    if (m.conducts())
      for (std::size_t d = 0; d < 3; ++d)
        if (const double* number = media_->kappa(static_cast<RegionNumber>(r), d).constant()) kappa[d] = *number;
    kappa_.push_back(kappa);
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < block.layout().n[d]; ++i) widths_[d].push_back(block.axes[d].width(i));
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    const auto& x = axis.nodes();
    double least = x.back() - x.front();
    for (std::size_t i = 1; i < x.size(); ++i) least = std::min(least, x[i] - x[i - 1]);
    steps_[d] = std::max(least / 4, (x.back() - x.front()) / (16.0 * axis.all_cells()));
  }
  find_regions(problem.nodes);
  check_kappa();
  sharp_ = media_->surfaces == Surfaces::sharp && media_->bodies != nullptr;
  const auto insulates = [&](std::size_t r) { return this->insulates(static_cast<RegionNumber>(r)); };
  bool some = false;
  for (std::size_t r = 0; r < media_->regions.size(); ++r) some = some || insulates(r);
  if (sharp_ && some) open_cells();
}

Ray MediaCells::ray(std::size_t axis, const Point& through) const {
  Ray ray;
  ray.origin = through;
  ray.origin[axis] = 0;
  ray.direction[axis] = 1;
  ray.lower = block_.axes[axis].nodes().front();
  ray.upper = block_.axes[axis].nodes().back();
  ray.step = steps_[axis];
  return ray;
}

double MediaCells::open_face(std::size_t axis, int i, int j, int k) const {
  return openings_ ? open_face(axis, i, j, k, *openings_) : 1;
}

double MediaCells::open_face(std::size_t axis, int i, int j, int k, const MediaOpenings& openings) const {
  if (const MediaOpenings::Cut* cut = openings.find(i, j, k)) return 1.0 - cut->faces[axis];
  return stores({i, j, k}) && shut(i, j, k) ? 0 : 1;
}

double MediaCells::open_volume(int i, int j, int k) const {
  if (!openings_) return 1;
  if (const MediaOpenings::Cut* cut = openings_->find(i, j, k)) return 1.0 - cut->volume;
  return shut(i, j, k) ? 0 : 1;
}

namespace {

// In the plane, a cell whose rest is smaller belongs to the system if a face opens by at least this share: the flow
// through the face goes around the corner.
constexpr float least_opening = 1e-4F;

// Is a cell with a centre in an insulator, with one of its faces: the open share, and the cell beyond.
struct Opening {
  int i, j, k;
  float share;
  std::array<int, 3> beyond;
};

// Lists the open faces of cells of a plane that are cut, or whose upper faces are.
std::vector<Opening> openings_of_plane(const MediaOpenings& all, const Box& cells, int k) {
  std::vector<Opening> found;
  for (int j = cells.first[1]; j < cells.last[1]; ++j) {
    for (const MediaOpenings::Cut& cut : all.line(j, k)) {
      found.push_back({cut.i, j, k, 1 - cut.faces[0], {cut.i - 1, j, k}});
      found.push_back({cut.i, j, k, 1 - cut.faces[1], {cut.i, j - 1, k}});
      found.push_back({cut.i, j, k, 1 - cut.faces[2], {cut.i, j, k - 1}});
      found.push_back({cut.i - 1, j, k, 1 - cut.faces[0], {cut.i, j, k}});
    }
    if (j + 1 < all.box().last[1])
      for (const MediaOpenings::Cut& cut : all.line(j + 1, k))
        found.push_back({cut.i, j, k, 1 - cut.faces[1], {cut.i, j + 1, k}});
    if (k + 1 < all.box().last[2])
      for (const MediaOpenings::Cut& cut : all.line(j, k + 1))
        found.push_back({cut.i, j, k, 1 - cut.faces[2], {cut.i, j, k + 1}});
  }
  std::erase_if(found, [&](const Opening& o) { return o.i < cells.first[0] || o.i >= cells.last[0]; });
  std::ranges::stable_sort(found, [](const Opening& a, const Opening& b) {
    return std::tie(a.j, a.i, b.share) < std::tie(b.j, b.i, a.share);
  });
  return found;
}

}  // namespace

// Cuts the cells at surfaces of insulators. A cell whose centre lies in an insulator gets the region of its rest or, if
// the rest is too small to be found, that of the cell beyond its largest opening.
void MediaCells::open_cells() {
  openings_ = std::make_shared<const MediaOpenings>(*this);
  struct Found {
    int i, j;
    RegionNumber region;
  };
  for (const bool by_neighbours : {false, true}) {
    if (by_neighbours && block_.dimension() == 3) continue;
    std::vector<std::vector<Found>> planes(static_cast<std::size_t>(box_.last[2] - box_.first[2]));
#pragma omp parallel for schedule(dynamic)
    for (int k = box_.first[2]; k < box_.last[2]; ++k) {
      std::vector<Found>& plane = planes[static_cast<std::size_t>(k - box_.first[2])];
      const std::vector<Opening> all = openings_of_plane(*openings_, box_, k);
      std::array<int, 2> tried{-2, -2};
      for (const Opening& o : all) {
        if (!insulates(region(o.i, o.j, k))) continue;
        if (!by_neighbours && std::exchange(tried, {o.i, o.j}) == std::array{o.i, o.j}) continue;
        if (!plane.empty() && plane.back().i == o.i && plane.back().j == o.j) continue;
        if (by_neighbours) {
          const auto [x, y, z] = o.beyond;
          if (o.share >= least_opening && stores(o.beyond) && conducts(region(x, y, z)))
            plane.push_back({o.i, o.j, region(x, y, z)});
        } else if (const auto found = region_of_rest(o.i, o.j, k)) {
          plane.push_back({o.i, o.j, *found});
        }
      }
    }
    for (int k = box_.first[2]; k < box_.last[2]; ++k)
      for (const Found& f : planes[static_cast<std::size_t>(k - box_.first[2])]) {
        regions_[index(f.i, f.j, k)] = f.region;
        if (!openings_->find(f.i, f.j, k)) slivers_.insert(index(f.i, f.j, k));
      }
  }
}

// Returns the conducting region that fills most of a cell, unless all of them together are a sliver.
std::optional<RegionNumber> MediaCells::region_of_rest(int i, int j, int k) const {
  // Few lines are enough if much of the cell is open to one region.
  if (const auto* cut = openings_->find(i, j, k); cut && 1 - cut->volume > much_open)
    if (const auto found = region_of_rest(i, j, k, 4, true)) return found;
  return region_of_rest(i, j, k, block_.dimension() == 2 ? 64 : 12, false);
}

// Adds up the lengths of conducting regions on count² lines along an axis within a cell (in the plane, `count` lines).
// Returns the share of the cell that they fill.
double MediaCells::rest_along(std::size_t axis, const std::array<int, 3>& cell, int count, Rest& rest) const {
  const Axis& along = block_.axes[axis];
  const double low = along.point_in_cell(cell[axis], 0), high = along.point_in_cell(cell[axis], 1);
  const std::size_t e = (axis + 1) % 3, f = (axis + 2) % 3;
  const auto lines = [&](std::size_t d) { return block_.axes[d].degenerate() ? 1 : count; };
  thread_local std::vector<Bodies::Piece> pieces;
  rest.clear();
  double all = 0;
  for (int t = 0; t < lines(f); ++t)
    for (int s = 0; s < lines(e); ++s) {
      Point origin{};
      if (!block_.axes[e].degenerate()) origin[e] = block_.axes[e].point_in_cell(cell[e], (s + 0.5) / lines(e));
      if (!block_.axes[f].degenerate()) origin[f] = block_.axes[f].point_in_cell(cell[f], (t + 0.5) / lines(f));
      media_->bodies->split(ray(axis, origin), pieces);
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const double end = p + 1 < pieces.size() ? pieces[p + 1].begin : along.nodes().back();
        const double length = std::min(end, high) - std::max(pieces[p].begin, low);
        if (length <= 0) continue;
        const RegionNumber region =
            pieces[p].region < 0 ? below(cell[0], cell[1], cell[2]) : static_cast<RegionNumber>(pieces[p].region);
        if (!conducts(region)) continue;
        all += length / ((high - low) * lines(e) * lines(f));
        const auto known = std::ranges::find(rest, region, &Rest::value_type::first);
        if (known == rest.end())
          rest.emplace_back(region, length);
        else
          known->second += length;
      }
    }
  return all;
}

// `only`: returns nothing if there are several conducting regions. Lines along one axis miss a thin layer between them,
// so the axis counts that finds most.
std::optional<RegionNumber> MediaCells::region_of_rest(int i, int j, int k, int count, bool only) const {
  thread_local Rest rest, other;
  const bool flat = block_.dimension() == 2;
  double all = rest_along(0, {i, j, k}, count, rest);
  for (std::size_t axis = 1; axis < (flat || only ? 1 : 3); ++axis)
    if (const double found = rest_along(axis, {i, j, k}, count, other); found > all) {
      all = found;
      std::swap(rest, other);
    }
  if (only && rest.size() > 1) return {};
  if (all < (flat ? least_in_plane : least_in_space)) return {};
  return std::ranges::max_element(rest, {}, &Rest::value_type::second)->first;
}

bool MediaCells::kappa_is_constant() const {
  for (std::size_t r = 0; r < kappa_.size(); ++r)
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
      if (conducts_[r] != 0 && !(kappa_[r][d] > 0)) return false;
  return true;
}

bool MediaCells::stores(const std::array<int, 3>& cell) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (cell[d] < box_.first[d] || cell[d] >= box_.last[d]) return false;
  return true;
}

Point MediaCells::centre(int i, int j, int k) const {
  const std::array cell{i, j, k};
  Point p{};
  for (std::size_t d = 0; d < 3; ++d)
    if (!block_.axes[d].degenerate()) p[d] = block_.axes[d].point_in_cell(cell[d], 0.5);
  return p;
}

double MediaCells::kappa(RegionNumber region, std::size_t axis, int i, int j, int k) const {
  if (kappa_[region][axis] > 0) return kappa_[region][axis];
  const Point p = centre(i, j, k);
  double value = 0;
  (*media_->kappa(region, axis).function())({p.data(), 1}, {p.data() + 1, 1}, {p.data() + 2, 1}, {&value, 1});
  return value;
}

// Returns whether bytes of an image give all regions.
bool MediaCells::find_labels(const std::array<std::vector<double>, 3>& nodes) {
  const auto* const map = dynamic_cast<const MapOfBytes*>(media_->map.get());
  if (media_->bodies || !map) return false;
  labels_ = map->bytes(nodes);
  if (!labels_) return false;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<std::int64_t> all = std::exchange(labels_->offset[d], {});
    for (int i = box_.first[d]; i < box_.last[d]; ++i)
      labels_->offset[d].push_back(
          block_.axes[d].degenerate() ? all[0] : all[static_cast<std::size_t>(block_.axes[d].global_cell(i))]);
  }
  return true;
}

void MediaCells::find_regions(const std::array<std::vector<double>, 3>& nodes) {
  if (find_labels(nodes)) return;
  regions_.resize(static_cast<std::size_t>(box_.size()));
  const Bodies* bodies = media_->bodies.get();
  if (bodies && bodies->below()) below_.resize(regions_.size());
  const auto global = [&](std::size_t d, int i) {
    return block_.axes[d].degenerate() ? 0 : block_.axes[d].global_cell(i);
  };
  // Beyond periodic ends the cells of a line continue at its other end.
  const auto fill = [&](const RegionMap& map, UnsetVector<RegionNumber>& to, int j, int k) {
    const int gj = global(1, j), gk = global(2, k);
    for (int i = box_.first[0]; i < box_.last[0];) {
      int count = 1;
      while (i + count < box_.last[0] && global(0, i + count) == global(0, i) + count) ++count;
      const int gi = global(0, i);
      map.fill(nodes, {{gi, gj, gk}, {gi + count, gj + 1, gk + 1}},
               {&to[index(i, j, k)], static_cast<std::size_t>(count)});
      i += count;
    }
  };
  cpu::for_each_line(box_, cpu::heavy_threshold, [&](int j, int k) {
    fill(*media_->map, regions_, j, k);
    if (!below_.empty()) fill(*bodies->below(), below_, j, k);
  });
}

// Expressions are checked in the cells of their region. Averaged surfaces may use them one cell beyond.
void MediaCells::check_kappa() const {
  std::vector<char> varies(kappa_.size());
  const auto axes = static_cast<std::size_t>(block_.dimension());
  for (std::size_t r = 0; r < kappa_.size(); ++r)
    for (std::size_t d = 0; d < axes; ++d)
      if (conducts_[r] && media_->kappa(static_cast<RegionNumber>(r), d).function()) varies[r] = 1;
  if (std::ranges::none_of(varies, [](char v) { return v != 0; })) return;
  Box own = block_.layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    own.first[d] = std::max(own.first[d], box_.first[d]);
    own.last[d] = std::min(own.last[d], box_.last[d]);
  }
  for (int k = own.first[2]; k < own.last[2]; ++k)
    for (int j = own.first[1]; j < own.last[1]; ++j)
      for (int i = own.first[0]; i < own.last[0]; ++i) {
        const RegionNumber r = region(i, j, k);
        if (!varies[r]) continue;
        for (std::size_t d = 0; d < axes; ++d) {
          const double value = kappa(r, d, i, j, k);
          if (!std::isfinite(value) || value <= 0)
            throw ValueError("materials." + media_->material_of(r).name + ".coefficient", centre(i, j, k), value,
                             std::isfinite(value) ? "must be greater than 0" : "must be finite in its bodies");
        }
      }
}

}  // namespace poisson
