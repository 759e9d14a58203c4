#include "grids/results/region_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Contains the sums of a region on one process, which are added up over processes, and the extrema.
struct Sums {
  double cells = 0, volume = 0, integral = 0, square = 0, power = 0, flow = 0, through_faces = 0;
  double solved = 0, min = infinite, max = -infinite;
  std::array<double, 3> min_at{}, max_at{};

  void add(double u, double volume_of_cell, const Point& at) {
    solved += 1;
    volume += volume_of_cell;
    integral += volume_of_cell * u;
    square += volume_of_cell * u * u;
    if (u < min) min = u, min_at = at;
    if (u > max) max = u, max_at = at;
  }
  void join(const Sums& o) {
    cells += o.cells;
    volume += o.volume;
    integral += o.integral;
    square += o.square;
    power += o.power;
    flow += o.flow;
    through_faces += o.through_faces;
    solved += o.solved;
    if (o.min < min) min = o.min, min_at = o.min_at;
    if (o.max > max) max = o.max, max_at = o.max_at;
  }
};

// Reads a solution of cells with one layer of neighbours.
class Values {
 public:
  Values(const Discretization& d, const Field& u) : cells_(d.media()->cells()), block_(d.block()) {
    if (!u.space().is_global()) u.backend().exchange(u, 1);
    Box box = cells_.box();
    for (std::size_t e = 0; e < 3; ++e)
      if (block_.axes[e].periodic()) {
        box.first[e] = 0;
        box.last[e] = block_.axes[e].size();
      }
    box_ = box;
    values_ = d.functionals().values(u, box);
  }
  double operator()(std::array<int, 3> c) const {
    for (std::size_t e = 0; e < 3; ++e) {
      const int n = block_.axes[e].size();
      if (block_.axes[e].periodic()) c[e] = (c[e] + n) % n;
    }
    const std::int64_t nx = box_.last[0] - box_.first[0], ny = box_.last[1] - box_.first[1];
    return values_[static_cast<std::size_t>(((c[2] - box_.first[2]) * ny + c[1] - box_.first[1]) * nx + c[0] -
                                            box_.first[0])];
  }

 private:
  const MediaCells& cells_;
  const Block& block_;
  Box box_;
  std::vector<double> values_;
};

// Adds up what leaves the cells of each region.
class Flows {
 public:
  Flows(const Discretization& d, const Values& u, std::vector<Sums>& sums)
      : d_(d), media_(*d.media()), block_(d.block()), u_(u), sums_(sums) {}

  void add_between_regions() {
    const auto& cells = media_.cells();
    for_each_place(block_.layout().box(), [&](int i, int j, int k) {
      if (!media_.solved(i, j, k)) return;
      const RegionNumber here = cells.region(i, j, k);
      for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
        for (const int side : {0, 1}) {
          std::array face{i, j, k}, next{i, j, k};
          face[d] += side;
          next[d] += side == 0 ? -1 : 1;
          if (!cells.stores(next) || cells.region(next[0], next[1], next[2]) == here) continue;
          const double kappa = media_.face(d, face[0], face[1], face[2]);
          if (kappa == 0) continue;
          const Axis& axis = block_.axes[d];
          const double distance = 0.5 * (axis.width(face[d] - 1) + axis.width(face[d]));
          const double area = block_.face_area(static_cast<int>(d), i, j, k);
          sums_[here].flow += kappa * area / distance * (u_({i, j, k}) - u_(next));
        }
    });
  }
  void add_links() {
    for (const FixedLink& link : media_.links()) {
      const auto [i, j, k] = link.cell;
      if (!media_.solved(i, j, k)) continue;
      const double flow = link.conductance * (*media_.media().material_of(link.region).fixed - u_(link.cell));
      sums_[link.region].flow += flow;
      sums_[media_.cells().region(i, j, k)].flow -= flow;
    }
  }
  void add_faces() {
    for_each_face(d_.problem(), [&](int d, int end, const Boundary&) {
      CellFace(d_.problem(), block_, d, end).visit([&](int i, int j, int k, const CellFace::Values& v) {
        if (media_.solved(i, j, k))
          sums_[media_.cells().region(i, j, k)].through_faces -=
              block_.face_area(d, i, j, k) * (v.given - v.conductance * u_({i, j, k}));
      });
    });
  }

 private:
  const Discretization& d_;
  const MediaSystem& media_;
  const Block& block_;
  const Values& u_;
  std::vector<Sums>& sums_;
};

void add_cells(const Discretization& d, const Values& u, std::vector<Sums>& sums) {
  const MediaSystem& media = *d.media();
  for_each_place(d.block().layout().box(), [&](int i, int j, int k) {
    const RegionNumber region = media.cells().region(i, j, k);
    Sums& s = sums[region];
    s.cells += 1;
    const CellState state = media.state(i, j, k);
    if (state == CellState::insulator || state == CellState::floating) return;
    const double value = state == CellState::fixed ? *media.media().material_of(region).fixed : u({i, j, k});
    s.add(value, d.block().cell_volume(i, j, k), media.cells().centre(i, j, k));
  });
  const std::vector<double> elsewhere = media.sources_elsewhere();
  for (std::size_t r = 0; r < sums.size(); ++r) {
    sums[r].power = media.power(static_cast<RegionNumber>(r));
    sums[r].flow = elsewhere[r];
  }
}

RegionResult result_of(const Sums& s, std::string name, std::string material, double volume) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  RegionResult r{std::move(name), std::move(material), static_cast<std::int64_t>(s.cells), volume, s.power,
                 s.flow,          s.through_faces};
  const bool any = s.solved > 0;
  r.mean = any ? s.integral / s.volume : none;
  r.min = any ? s.min : none;
  r.max = any ? s.max : none;
  r.min_at = s.min_at;
  r.max_at = s.max_at;
  return r;
}

}  // namespace

MediaResults media_results(const Discretization& d, const Field& field) {
  const MediaSystem& media = *d.media();
  const Processes& processes = d.processes();
  const Values u(d, field);
  std::vector<Sums> sums(media.media().regions.size());
  add_cells(d, u, sums);
  Flows flows(d, u, sums);
  flows.add_between_regions();
  flows.add_links();
  flows.add_faces();
  for (Sums& s : sums) {
    const std::vector<Sums> all = processes.gather(s);
    s = Sums();
    for (const Sums& one : all) s.join(one);
  }
  MediaResults results;
  Sums whole;
  std::vector<Sums> of_material(media.media().materials.size());
  std::vector<double> volumes(of_material.size());
  for (std::size_t r = 0; r < sums.size(); ++r) {
    const MediaRegion& region = media.media().regions[r];
    results.regions.push_back(
        result_of(sums[r], region.name, media.media().materials[region.material].name, media.volumes()[r]));
    const bool fixed = media.cells().fixed(static_cast<RegionNumber>(r));
    results.from_fixed.push_back(fixed ? sums[r].flow : 0);
    of_material[region.material].join(sums[r]);
    volumes[region.material] += media.volumes()[r];
    whole.join(sums[r]);
  }
  for (std::size_t m = 0; m < of_material.size(); ++m) {
    const std::string& name = media.media().materials[m].name;
    results.materials.push_back(result_of(of_material[m], name, name, volumes[m]));
  }
  results.norms = {whole.min, whole.max, whole.integral, std::sqrt(whole.square), whole.min_at, whole.max_at};
  results.solved = media.counts()[static_cast<std::size_t>(CellState::solved)];
  results.floating = media.counts()[static_cast<std::size_t>(CellState::floating)];
  results.floating_volume = media.state_volumes()[static_cast<std::size_t>(CellState::floating)];
  return results;
}

std::vector<double> flows_from_fixed(const Discretization& d, const Field& field) {
  const MediaSystem& media = *d.media();
  std::vector<double> flows(media.media().regions.size());
  if (d.processes().any(!media.links().empty())) {
    std::vector<Sums> sums(flows.size());
    Flows(d, Values(d, field), sums).add_links();
    for (std::size_t r = 0; r < flows.size(); ++r)
      if (media.cells().fixed(static_cast<RegionNumber>(r))) flows[r] = d.processes().sum(sums[r].flow);
  }
  return flows;
}

void set_gaps(const Discretization& d, double otherwise, Field& u) {
  const MediaSystem& media = *d.media();
  if (!media.has_gaps()) return;
  const Box box = d.block().layout().box();
  std::vector<double> values = d.functionals().values(u, box);
  for_each_place(box, [&](int i, int j, int k) {
    const CellState state = media.state(i, j, k);
    if (state == CellState::solved) return;
    values[media.own(i, j, k)] =
        state == CellState::fixed ? *media.media().material_of(media.cells().region(i, j, k)).fixed : otherwise;
  });
  d.sampler().put(box, values, SampleStore::set, u);
}

}  // namespace poisson
