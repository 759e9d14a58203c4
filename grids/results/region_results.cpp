#include "grids/results/region_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/results/value_sums.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

// Contains the sums of a region on one process, which are added up over processes, and the extrema.
struct Sums : ValueSums {
  double cells = 0, square = 0, power = 0, flow = 0, through_faces = 0;

  void join(const Sums& o) {
    ValueSums::join(o);
    cells += o.cells;
    square += o.square;
    power += o.power;
    flow += o.flow;
    through_faces += o.through_faces;
  }
};

// Reads planes of a solution of cells with one layer of neighbours, as far as the grid has them.
class SolutionPlanes {
 public:
  SolutionPlanes(const Discretization& d, const Field& u, int first, int last) : n_(d.block().layout().n) {
    box_ = d.block().layout().box();
    for (std::size_t e = 0; e < 3; ++e) {
      const Axis& axis = d.block().axes[e];
      wraps_[e] = axis.periodic();
      if (axis.degenerate() || wraps_[e] || e == 2) continue;
      if (!axis.open(0)) --box_.first[e];
      if (!axis.open(1)) ++box_.last[e];
    }
    const Axis& axis = d.block().axes[2];
    const bool below = first > 0 || (!axis.open(0) && !wraps_[2] && !axis.degenerate());
    const bool above = last < n_[2] || (!axis.open(1) && !wraps_[2] && !axis.degenerate());
    const auto read = [&](int k0, int k1) {
      Box box = box_;
      box.first[2] = k0;
      box.last[2] = k1;
      return d.functionals().values(u, box);
    };
    box_.first[2] = first - (below ? 1 : 0);
    box_.last[2] = last + (above ? 1 : 0);
    values_ = read(box_.first[2], box_.last[2]);
    if (wraps_[2] && first == 0) below_ = read(n_[2] - 1, n_[2]);
    if (wraps_[2] && last == n_[2]) above_ = read(0, 1);
  }
  double operator()(std::array<int, 3> c) const {
    for (std::size_t e = 0; e < 2; ++e)
      if (wraps_[e]) c[e] = (c[e] + n_[e]) % n_[e];
    const std::vector<double>* values = &values_;
    std::int64_t k = c[2] - box_.first[2];
    if (wraps_[2] && (c[2] < 0 || c[2] >= n_[2])) {
      values = c[2] < 0 ? &below_ : &above_;
      k = 0;
    }
    const std::int64_t nx = box_.last[0] - box_.first[0], ny = box_.last[1] - box_.first[1];
    return (*values)[static_cast<std::size_t>((k * ny + c[1] - box_.first[1]) * nx + c[0] - box_.first[0])];
  }

 private:
  std::array<int, 3> n_;
  std::array<bool, 3> wraps_{};
  Box box_;
  std::vector<double> values_, below_, above_;
};

// Adds up values of each region, and what leaves its cells. SolutionPlanes are read in slabs, which bounds the host's
// memory.
class RegionSums {
 public:
  RegionSums(const Discretization& d, const Field& u)
      : d_(d), media_(*d.media()), block_(d.block()), u_(u), sums_(media_.media().regions.size()) {
    if (!u.space().is_global()) u.backend().exchange(u, 1);
    for (const FixedLink& link : media_.links())
      if (const auto [i, j, k] = link.cell; media_.solved(i, j, k)) links_.push_back(&link);
    std::ranges::stable_sort(links_, {}, [](const FixedLink* link) { return link->cell[2]; });
  }

  std::vector<Sums> all() {
    if (by_codes()) {
      add_codes();
      if (!links_.empty()) of_links();
    } else {
      for_each_slab([&](int first, int last) {
        const SolutionPlanes u(d_, u_, first, last);
        add_cells(u, first, last);
        add_links(u, first, last);
      });
    }
    add_faces();
    const std::vector<double> elsewhere = media_.sources_elsewhere();
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      sums_[r].power = media_.power(static_cast<RegionNumber>(r));
      sums_[r].flow += elsewhere[r];
    }
    return sums_;
  }
  // Adds only the flows out of fixed bodies.
  std::vector<Sums> of_links() {
    for_each_slab([&](int first, int last) {
      const auto in_slab = [&](const FixedLink* link) { return link->cell[2] >= first && link->cell[2] < last; };
      if (std::ranges::any_of(links_, in_slab)) add_links(SolutionPlanes(d_, u_, first, last), first, last);
    });
    return sums_;
  }

 private:
  template <class F>
  void for_each_slab(const F& f) const {
    constexpr std::int64_t values_of_slab = std::int64_t{1} << 22;
    const auto& n = block_.layout().n;
    const auto planes = static_cast<int>(std::clamp<std::int64_t>(values_of_slab / n[0] / n[1], 1, n[2]));
    for (int k = 0; k < n[2]; k += planes) f(k, std::min(n[2], k + planes));
  }

  // Returns whether the backend adds up the values of each region: a few regions of voxels, all of this process.
  bool by_codes() const {
    constexpr std::size_t most_regions = 64;
    const auto* rows = std::get_if<FaceRows>(&d_.scheme_rows());
    bool stored = rows != nullptr && media_.codes() && !media_.floating() && u_.space().is_global();
    for (std::size_t d = 0; stored && d < static_cast<std::size_t>(block_.dimension()); ++d)
      stored = rows->faces[d] != nullptr;
    return stored && sums_.size() <= most_regions;
  }

  void add_codes() {
    constexpr double solved = std::numeric_limits<double>::quiet_NaN();
    const MediaCells& cells = media_.cells();
    std::vector<double> values;
    std::vector<char> wanted;
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      const auto region = static_cast<RegionNumber>(r);
      const std::optional<double>& fixed = media_.media().material_of(region).fixed;
      values.push_back(fixed && cells.fixed(region) ? *fixed : solved);
      wanted.push_back(cells.conducts(region) || cells.fixed(region) ? 1 : 0);
    }
    CellCodes::Fields fields{u_, block_, {}, values};
    const bool several = std::ranges::count(wanted, 1) > 1;
    for (std::size_t d = 0; several && d < static_cast<std::size_t>(block_.dimension()); ++d)
      fields.faces[d] = std::get<FaceRows>(d_.scheme_rows()).faces[d].get();
    const std::vector<CellCodes::Moments> all = media_.codes()->moments(fields, wanted);
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      Sums& s = sums_[r];
      s.cells = media_.cells_of_regions()[r];
      const CellCodes::Moments& m = all[r];
      if (m.low.at == CellCodes::nowhere) continue;
      const auto centre = [&](CellCodes::Cell cell) {
        const auto& n = block_.layout().n;
        const auto at = static_cast<std::int64_t>(cell);
        return cells.centre(static_cast<int>(at % n[0]), static_cast<int>(at / n[0] % n[1]),
                            static_cast<int>(at / n[0] / n[1]));
      };
      s.size = m.size;
      s.integral = m.first;
      s.square = m.second;
      s.flow = m.outflow;
      s.min = m.low.value;
      s.min_at = centre(m.low.at);
      s.max = m.high.value;
      s.max_at = centre(m.high.at);
    }
  }

  void add_cells(const SolutionPlanes& u, int first, int last) {
    const auto& n = block_.layout().n;
    add_in_shares({{0, 0, first}, {n[0], n[1], last}},
                  [&](int j, int k, std::vector<Sums>& sums) { add_line(u, j, k, sums); });
  }

  // Calls add(j, k, sums) for the lines of a box. A few shares of the lines add up sums of their own, which are joined
  // in order: the result does not depend on the number of threads.
  template <class Add>
  void add_in_shares(const Box& box, const Add& add) {
    constexpr std::size_t most_sums = std::size_t{1} << 16;
    const int lines_of_plane = box.last[1] - box.first[1];
    const std::int64_t lines = std::int64_t{lines_of_plane} * (box.last[2] - box.first[2]);
    const auto shares = static_cast<std::int64_t>(std::clamp<std::size_t>(most_sums / sums_.size(), 1, 64));
    std::vector<std::vector<Sums>> all(static_cast<std::size_t>(std::min(shares, lines)));
    const auto count = static_cast<std::int64_t>(all.size());
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t s = 0; s < count; ++s) {
      std::vector<Sums>& sums = all[static_cast<std::size_t>(s)];
      sums.resize(sums_.size());
      for (std::int64_t line = lines * s / count; line < lines * (s + 1) / count; ++line)
        add(box.first[1] + static_cast<int>(line % lines_of_plane),
            box.first[2] + static_cast<int>(line / lines_of_plane), sums);
    }
    for (const auto& sums : all)
      for (std::size_t r = 0; r < sums_.size(); ++r) sums_[r].join(sums[r]);
  }

  void add_line(const SolutionPlanes& u, int j, int k, std::vector<Sums>& sums) const {
    const MediaCells& cells = media_.cells();
    const int n = block_.axes[0].size();
    for (int i = 0; i < n; ++i) {
      const RegionNumber region = cells.region(i, j, k);
      Sums& s = sums[region];
      s.cells += 1;
      const CellState state = media_.state(i, j, k);
      if (state == CellState::insulator || state == CellState::floating) continue;
      const double value = state == CellState::fixed ? media_.fixed_value(i, j, k) : u({i, j, k});
      const double volume = cells.volume(i, j, k) * (state == CellState::solved ? media_.open_volume(i, j, k) : 1);
      s.add(value, volume, [&] { return cells.centre(i, j, k); });
      s.square += volume * value * value;
      if (state == CellState::solved) s.flow += flow_to_other_regions(u, {i, j, k});
    }
  }

  double flow_to_other_regions(const SolutionPlanes& u, const std::array<int, 3>& cell) const {
    const MediaCells& cells = media_.cells();
    const RegionNumber here = cells.region(cell[0], cell[1], cell[2]);
    double flow = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
      for (const int side : {0, 1}) {
        std::array face = cell, next = cell;
        face[d] += side;
        next[d] += side == 0 ? -1 : 1;
        if (!cells.stores(next) || cells.region(next[0], next[1], next[2]) == here) continue;
        const double kappa = media_.face(d, face[0], face[1], face[2]);
        if (kappa == 0) continue;
        const Axis& axis = block_.axes[d];
        const double distance = 0.5 * (axis.width(face[d] - 1) + axis.width(face[d]));
        flow +=
            kappa * block_.face_area(static_cast<int>(d), cell[0], cell[1], cell[2]) / distance * (u(cell) - u(next));
      }
    return flow;
  }

  void add_links(const SolutionPlanes& u, int first, int last) {
    for (const FixedLink* link : links_) {
      if (link->cell[2] < first || link->cell[2] >= last) continue;
      const auto [i, j, k] = link->cell;
      const double flow = link->conductance * (media_.value_of(*link) - u(link->cell));
      sums_[link->region].flow += flow;
      sums_[media_.cells().region(i, j, k)].flow -= flow;
    }
  }

  void add_faces() {
    for_each_face(d_.problem(), [&](int d, int end, const Boundary& face) {
      if (!block_.axes[d].open(end) || CellFace::is_closed(face)) return;
      const Layer u(d_.functionals(), u_, cells_behind(block_, d, end));
      const FaceAreas area(block_, d);
      const CellFace values(d_.problem(), block_, d, end, &media_);
      add_in_shares(values.behind(), [&](int j, int k, std::vector<Sums>& sums) {
        values.visit_line(j, k, [&](int i, int, int, const CellFace::Values& v) {
          if (media_.solved(i, j, k))
            sums[media_.cells().region(i, j, k)].through_faces -=
                area(i, j, k) * (v.given - v.conductance * u(i, j, k));
        });
      });
    });
  }

  const Discretization& d_;
  const MediaSystem& media_;
  const Block& block_;
  const Field& u_;
  std::vector<Sums> sums_;
  std::vector<const FixedLink*> links_;
};

RegionResult result_of(const Sums& s, std::string name, std::string material, double volume) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  RegionResult r{std::move(name), std::move(material), static_cast<std::int64_t>(s.cells), volume, s.power,
                 s.flow,          s.through_faces};
  const bool any = s.size > 0;
  r.mean = any ? s.integral / s.size : none;
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
  std::vector<Sums> sums = RegionSums(d, field).all();
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
    const std::vector<Sums> sums = RegionSums(d, field).of_links();
    for (std::size_t r = 0; r < flows.size(); ++r)
      if (media.cells().fixed(static_cast<RegionNumber>(r))) flows[r] = d.processes().sum(sums[r].flow);
  }
  return flows;
}

void set_gaps(const Discretization& d, double otherwise, Field& u, bool fixed_values) {
  const MediaSystem& media = *d.media();
  if (!media.has_gaps()) return;
  const auto gap = [&](RegionNumber r) {
    const std::optional<double>& fixed = media.media().material_of(r).fixed;
    return fixed_values ? fixed.value_or(otherwise) : otherwise;
  };
  if (media.codes() && !media.floating() && !std::isnan(otherwise)) {
    const double unchanged = std::numeric_limits<double>::quiet_NaN();
    const auto of_region = [&](RegionNumber r) { return media.cells().conducts(r) ? unchanged : gap(r); };
    return media.codes()->look_up(media.table(of_region, otherwise), u);
  }
  const Box box = d.block().layout().box();
  std::vector<double> values = d.functionals().values(u, box);
  for_each_place(box, [&](int i, int j, int k) {
    const CellState state = media.state(i, j, k);
    if (state == CellState::solved) return;
    values[media.own(i, j, k)] = fixed_values && state == CellState::fixed ? media.fixed_value(i, j, k) : otherwise;
  });
  d.sampler().put(box, values, SampleStore::set, u);
}

}  // namespace poisson
