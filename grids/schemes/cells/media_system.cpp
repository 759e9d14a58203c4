#include "grids/schemes/cells/media_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "backends/memory/error.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/sampling/detached_faces.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"

namespace poisson {

MediaSystem::MediaSystem(const Problem& problem, MediaCells cells, const Block& block, const Tools& tools,
                         std::unique_ptr<FloatingBodies> floating)
    : media_(problem.media),
      cells_(std::move(cells)),
      block_(block),
      n_(block.layout().n),
      floating_(std::move(floating)) {
  for (std::size_t r = 0; r < media_->regions.size(); ++r)
    state_of_region_.push_back(state_of(static_cast<RegionNumber>(r)));
  MediaShares shares(cells_);
  if (!are_voxels() || !block.processes().alone()) find_states();
  if (are_voxels()) {
    link_voxels();
    codes_ = make_codes(tools.backend);
    set_ends_of_voxels(problem, true);
    if (block.processes().alone()) {
      find_floating_voxels(problem);
    } else {
      find_floating(problem, tools);
      codes_ = make_codes(tools.backend);
    }
    set_ends_of_voxels(problem, false);
  } else {
    integrate_faces(shares);
    find_floating(problem, tools);
  }
  name_bodies_of_links();
  join_slivers();
  if (states_.empty() && equal_voxels())
    count_voxels();
  else
    count();
  find_volumes(shares);
  check_sources();
}

CellState MediaSystem::state_of(RegionNumber region) const {
  const Material& m = media_->material_of(region);
  return m.conducts() ? CellState::solved : m.has_value() ? CellState::fixed : CellState::insulator;
}

void MediaSystem::find_states() {
  states_.resize(static_cast<std::size_t>(block_.layout().box().size()));
  cpu::for_each_line(block_.layout().box(), [&](int j, int k) {
    for (int i = 0; i < n_[0]; ++i) states_[own(i, j, k)] = state_of_region_[cells_.region(i, j, k)];
  });
}

void MediaSystem::set_media(std::shared_ptr<const Media> media) {
  bool same = media->materials.size() == media_->materials.size() && media->regions.size() == media_->regions.size();
  for (std::size_t m = 0; same && m < media->materials.size(); ++m) {
    const Material &now = media->materials[m], &before = media_->materials[m];
    same = now.fixed.has_value() == before.fixed.has_value() && now.insulator == before.insulator &&
           now.floating.has_value() == before.floating.has_value();
  }
  if (!same) throw std::invalid_argument("other materials need another discretization");
  media_ = std::move(media);
}

std::size_t MediaSystem::face_index(std::size_t axis, int i, int j, int k) const {
  const auto nx = static_cast<std::size_t>(n_[0] + (axis == 0 ? 1 : 0));
  const auto ny = static_cast<std::size_t>(n_[1] + (axis == 1 ? 1 : 0));
  return (static_cast<std::size_t>(k) * ny + static_cast<std::size_t>(j)) * nx + static_cast<std::size_t>(i);
}

void MediaSystem::integrate_faces(MediaShares& shares) {
  const MediaLines lines(cells_);
  const DetachedFaces detached(cells_);
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
    std::array<int, 3> sizes = n_;
    ++sizes[d];
    faces_[d].resize(static_cast<std::size_t>(sizes[0]) * static_cast<std::size_t>(sizes[1]) *
                     static_cast<std::size_t>(sizes[2]));
    // One task for each line across the axis. Links, gifts and moves are put in the order of the lines afterwards.
    // Lines beside the block only give something to its faces.
    const std::size_t a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    const int beside = lines.gives() || detached.any() ? 1 : 0;
    std::vector<std::vector<FixedLink>> links(static_cast<std::size_t>(n_[b] + 2 * beside));
    std::vector<std::vector<MediaLines::Given>> given(links.size());
    std::vector<std::vector<DetachedFaces::Move>> moves(links.size());
#pragma omp parallel for schedule(dynamic)
    for (int q = -beside; q < n_[b] + beside; ++q) {
      std::vector<double> kappa;
      const auto task = static_cast<std::size_t>(q + beside);
      for (int p = -beside; p < n_[a] + beside; ++p) {
        MediaLines::At at{d, {}};
        at.cell[a] = p;
        at.cell[b] = q;
        const bool own_a = p >= 0 && p < n_[a], own_b = q >= 0 && q < n_[b];
        if (!(own_a || own_b || detached.any()) || !cells_.stores(at.cell)) continue;
        std::vector<FixedLink> none;
        const bool here = own_a && own_b;
        lines.faces(at, kappa, here ? links[task] : none, given[task], here ? &shares : nullptr);
        if (detached.any()) detached.find(at, kappa, moves[task]);
        if (!here) continue;
        for (int f = 0; f <= n_[d]; ++f) {
          at.cell[d] = f;
          faces_[d][face_index(d, at.cell[0], at.cell[1], at.cell[2])] = kappa[static_cast<std::size_t>(f)];
        }
      }
    }
    for (auto& more : links) links_.insert(links_.end(), more.begin(), more.end());
    Box faces = block_.layout().box();
    ++faces.last[d];
    for (const auto& more : given)
      for (const MediaLines::Given& g : more)
        if (contains(faces, g.cell)) faces_[d][face_index(d, g.cell[0], g.cell[1], g.cell[2])] += g.kappa;
    for (const auto& more : moves)
      for (const auto& [cell, kappa] : more) faces_[d][face_index(d, cell[0], cell[1], cell[2])] += kappa;
    for (int end = 0; end < 2; ++end) {
      if (!block_.axes[d].open(end)) continue;
      Box layer = block_.layout().box();
      layer.first[d] = end == 0 ? 0 : n_[d];
      layer.last[d] = layer.first[d] + 1;
      for_each_place(layer, [&](int i, int j, int k) {
        ends_[d][static_cast<std::size_t>(end)].push_back(faces_[d][face_index(d, i, j, k)]);
      });
    }
  }
}

// A body with one value couples to the centre of a cell as if the cell were whole (Gibou et al., J. Comput. Phys. 176,
// 205, 2002). Conducting shares of the cell therefore receive the sources of the part inside the body as well.
void MediaSystem::scale_shares(const std::vector<MediaShares::Share>& line, std::vector<double>& scales) const {
  std::vector<double> conducting(scales.size()), held(scales.size());
  for (const MediaShares::Share& s : line) {
    if (cells_.conducts(s.region)) conducting[static_cast<std::size_t>(s.i)] += s.fraction;
    if (cells_.fixed(s.region)) held[static_cast<std::size_t>(s.i)] += s.fraction;
  }
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (held[i] > 0 && conducting[i] > 0) scales[i] = 1 + held[i] / conducting[i];
}

void MediaSystem::find_volumes(const MediaShares& of_cells) {
  std::vector<char> receives(media_->regions.size());
  for (std::size_t r = 0; r < receives.size(); ++r) {
    const Material& m = media_->material_of(static_cast<RegionNumber>(r));
    const double* source = m.source.constant();
    receives[r] = m.power || !source || *source != 0 ? 1 : 0;
  }
  if (std::ranges::none_of(receives, [](char r) { return r != 0; }) && are_voxels()) return find_volumes_of_voxels();
  const Box box = block_.layout().box();
  const std::size_t regions = receives.size();
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(n_[2])), received(sums.size());
  std::vector<std::vector<Share>> shares(sums.size());
#pragma omp parallel for schedule(dynamic)
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    const auto plane = static_cast<std::size_t>(k);
    sums[plane].assign(regions, 0);
    received[plane].assign(regions, 0);
    std::vector<MediaShares::Share> line;
    std::vector<double> scales;
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      of_cells.line(cells_, j, k, line);
      scales.assign(static_cast<std::size_t>(n_[0]), 1);
      if (cells_.sharp()) scale_shares(line, scales);
      for (const MediaShares::Share& s : line) {
        const double volume = s.fraction * cells_.volume(s.i, j, k);
        sums[plane][s.region] += volume;
        std::size_t cell = own(s.i, j, k);
        if (receives[s.region]) {
          const CellState now = state(s.i, j, k);
          if (now == CellState::insulator && cells_.sharp()) {
            const auto joined = largest_neighbour({s.i, j, k});
            if (!joined) continue;
            cell = own((*joined)[0], (*joined)[1], (*joined)[2]);
          } else if (now != CellState::solved) {
            continue;
          }
          shares[plane].push_back({cell, s.region, volume * scales[static_cast<std::size_t>(s.i)]});
        }
        received[plane][s.region] += volume * (receives[s.region] ? scales[static_cast<std::size_t>(s.i)] : 1);
      }
    }
  }
  const auto add_up = [&](const std::vector<std::vector<double>>& planes) {
    std::vector<double> all(regions);
    for (const auto& plane : planes)
      for (std::size_t r = 0; r < regions; ++r) all[r] += plane[r];
    for (double& volume : all) volume = block_.processes().sum(volume);
    return all;
  };
  receiving_ = add_up(received);
  volumes_ = cells_.sharp() ? add_up(sums) : receiving_;
  for (const auto& plane : shares) shares_.insert(shares_.end(), plane.begin(), plane.end());
}

// Returns the neighbour in the system, on this process, that shares the largest open face with a cell.
std::optional<std::array<int, 3>> MediaSystem::largest_neighbour(const std::array<int, 3>& cell) const {
  std::optional<std::array<int, 3>> found;
  double most = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
    for (const int side : {-1, 1}) {
      std::array next = cell, face = cell;
      next[d] += side;
      if (side > 0) ++face[d];
      if (!contains(block_.layout().box(), next) || !solved(next[0], next[1], next[2])) continue;
      const double area = cells_.open_face(d, face[0], face[1], face[2]) *
                          block_.face_area(static_cast<int>(d), cell[0], cell[1], cell[2]);
      if (area <= most) continue;
      most = area;
      found = next;
    }
  return found;
}

// Adds the conducting volume of cells that left as slivers to the neighbours with the largest open faces.
void MediaSystem::join_slivers() {
  if (!cells_.cut()) return;
  for_each_place(block_.layout().box(), [&](int i, int j, int k) {
    if (state(i, j, k) != CellState::insulator) return;
    const double open = cells_.open_volume(i, j, k);
    if (open == 0) return;
    if (const auto to = largest_neighbour({i, j, k})) {
      const auto [x, y, z] = *to;
      joined_[own(x, y, z)] += open * cells_.volume(i, j, k) / cells_.volume(x, y, z);
    }
  });
}

// Returns the density of a region's source in a cell, in W per volume.
double MediaSystem::density(const Share& share) const {
  const Material& m = media_->material_of(share.region);
  const double power = m.power ? *m.power / receiving_[share.region] : 0;
  if (const double* number = m.source.constant()) return power + *number;
  const auto cell = static_cast<int>(share.cell);
  const Point p = cells_.centre(cell % n_[0], cell / n_[0] % n_[1], cell / (n_[0] * n_[1]));
  double value = 0;
  (*m.source.function())({p.data(), 1}, {p.data() + 1, 1}, {p.data() + 2, 1}, {&value, 1});
  if (!std::isfinite(value))
    throw ValueError("materials." + m.name + ".source", p, value, "must be finite in its bodies");
  return power + value;
}

double MediaSystem::power(RegionNumber region) const {
  double sum = 0;
  for (const Share& share : shares_)
    if (share.region == region) sum += density(share) * share.volume;
  return sum;
}

std::vector<double> MediaSystem::sources_elsewhere() const {
  std::vector<double> sums(media_->regions.size());
  for (const Share& share : shares_) {
    const auto cell = static_cast<int>(share.cell);
    const RegionNumber centre = cells_.region(cell % n_[0], cell / n_[0] % n_[1], cell / (n_[0] * n_[1]));
    if (centre == share.region) continue;
    const double watts = density(share) * share.volume;
    sums[share.region] += watts;
    sums[centre] -= watts;
  }
  return sums;
}

std::vector<double> MediaSystem::sources() const {
  std::vector<double> watts(static_cast<std::size_t>(block_.layout().box().size()));
  for (const Share& share : shares_) watts[share.cell] += density(share) * share.volume;
  return watts;
}

MediaSystem::Linked MediaSystem::linked() const {
  const auto size = static_cast<std::size_t>(block_.layout().box().size());
  Linked sums{std::vector<double>(size), std::vector<double>(size)};
  for (const FixedLink& link : links_) {
    const auto [i, j, k] = link.cell;
    if (!solved(i, j, k)) continue;
    const std::size_t at = own(i, j, k);
    sums.conductance[at] += link.conductance;
    sums.flow[at] += link.conductance * value_of(link);
  }
  return sums;
}

void MediaSystem::count() {
  struct Count {
    std::array<std::int64_t, 4> cells{};
    std::array<double, 4> volumes{};
  };
  const std::size_t regions = media_->regions.size();
  std::vector<std::int64_t> of_region(regions), solved(regions);
  const auto planes = static_cast<std::size_t>(n_[2]);
  std::vector<Count> counts(planes);
#pragma omp parallel
  {
    std::vector<std::int64_t> own_cells(regions), own_solved(regions);
#pragma omp for schedule(static)
    for (int k = 0; k < n_[2]; ++k) {
      Count& c = counts[static_cast<std::size_t>(k)];
      for_each_place({{0, 0, k}, {n_[0], n_[1], k + 1}}, [&](int i, int j, int) {
        const CellState now = state(i, j, k);
        const auto s = static_cast<std::size_t>(now);
        ++c.cells[s];
        c.volumes[s] += cells_.volume(i, j, k);
        const RegionNumber r = cells_.region(i, j, k);
        ++own_cells[r];
        if (now == CellState::solved) ++own_solved[r];
      });
    }
#pragma omp critical
    for (std::size_t r = 0; r < regions; ++r) {
      of_region[r] += own_cells[r];
      solved[r] += own_solved[r];
    }
  }
  for (const Count& c : counts)
    for (std::size_t s = 0; s < counts_.size(); ++s) {
      counts_[s] += c.cells[s];
      state_volumes_[s] += c.volumes[s];
    }
  add_counts(of_region, solved);
}

void MediaSystem::add_counts(const std::vector<std::int64_t>& of_region, const std::vector<std::int64_t>& solved) {
  const Processes& processes = block_.processes();
  for (std::size_t r = 0; r < of_region.size(); ++r) {
    cells_of_regions_.push_back(processes.sum(static_cast<double>(of_region[r])));
    solved_of_regions_.push_back(processes.sum(static_cast<double>(solved[r])));
  }
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    counts_[s] = static_cast<std::int64_t>(processes.sum(static_cast<double>(counts_[s])));
    state_volumes_[s] = processes.sum(state_volumes_[s]);
  }
  gaps_ = counts_[1] + counts_[2] + counts_[3] > 0;
}

// A power needs cells that receive it, and its heat a way out.
void MediaSystem::check_sources() const {
  for (std::size_t r = 0; r < volumes_.size(); ++r) {
    const Material& m = media_->material_of(static_cast<RegionNumber>(r));
    if (!m.power || *m.power == 0 || receiving_[r] > 0) continue;
    Point middle{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
      const std::vector<double>& nodes = block_.axes[d].nodes();
      middle[d] = std::midpoint(nodes.front(), nodes.back());
      if (media_->regions[r].origin != MediaRegion::Origin::body) continue;
      const Bounds extent = media_->bodies->extent_of(static_cast<RegionNumber>(r));
      if (std::isfinite(extent.lower[d]) && std::isfinite(extent.upper[d]))
        middle[d] = std::midpoint(extent.lower[d], extent.upper[d]);
    }
    throw ValueError("materials." + m.name + ".power", middle, *m.power,
                     "needs a cell of " + media_->regions[r].name +
                         " that has contact to a fixed value: use a finer grid, move the body, or connect it to a "
                         "fixed value");
  }
}

std::shared_ptr<MediaSystem> make_media_system(Problem& problem, const Block& block, const MediaSystem::Tools& tools) {
  std::optional<MediaCells> cells;
  ErrorCollector check;
  check([&] { cells.emplace(problem, block); });
  check.finish(block.processes());
  std::unique_ptr<FloatingBodies> floating;
  if (FloatingBodies::any(*problem.media)) {
    floating = std::make_unique<FloatingBodies>(*cells, tools.backend, tools.sampler, tools.functionals);
    std::vector<std::size_t> count(problem.media->regions.size());
    if (needs_strong_conductors(*problem.media, floating->all().size() + floating->count_thin(count))) {
      for (const FloatingBody& body : floating->all())
        for (const RegionNumber r : body.regions) ++count[r];
      use_media(problem, with_strong_conductors(*problem.media, count));
      floating.reset();
      check([&] { cells.emplace(problem, block); });
      check.finish(block.processes());
    }
  }
  std::shared_ptr<MediaSystem> system;
  check([&] { system = std::make_shared<MediaSystem>(problem, std::move(*cells), block, tools, std::move(floating)); });
  check.finish(block.processes());
  return system;
}

}  // namespace poisson
