// The system of voxels: each cell has the material of its centre, so conductances follow from the regions of two cells.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "backends/memory/places.hpp"
#include "grids/rows/face_means.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

bool MediaSystem::are_voxels() const {
  const bool crossed = media_->bodies && media_->surfaces != Surfaces::staircase;
  return !crossed && media_->contacts.empty() && media_->sheets.empty() && cells_.kappa_is_constant();
}

bool MediaSystem::floats(const std::array<int, 3>& cell) const {
  return contains(block_.layout().box(), cell) && state(cell[0], cell[1], cell[2]) == CellState::floating;
}

// Floating cells connect only to one another, so a solved cell never has a floating neighbour on another process.
double MediaSystem::face_of_voxels(std::size_t axis, int i, int j, int k) const {
  const Axis& along = block_.axes[axis];
  std::array below{i, j, k}, above = below;
  --below[axis];
  const bool lower = above[axis] == 0 && along.open(0), upper = above[axis] == n_[axis] && along.open(1);
  if (lower) below = above;
  if (upper) above = below;
  const RegionNumber r0 = cells_.region(below[0], below[1], below[2]), r1 = cells_.region(above[0], above[1], above[2]);
  if (!cells_.conducts(r0) || !cells_.conducts(r1) || floats(below) || floats(above)) return 0;
  const double kappa0 = cells_.kappa(r0, axis, below[0], below[1], below[2]);
  if (lower || upper) return kappa0;
  const double kappa1 = cells_.kappa(r1, axis, above[0], above[1], above[2]);
  return harmonic_face(kappa0, along.width(below[axis]), kappa1, along.width(above[axis]));
}

// Couples cells to neighbours with a fixed value.
void MediaSystem::link_voxels() {
  if (std::ranges::none_of(media_->materials, [](const Material& m) { return m.fixed.has_value(); })) return;
  std::vector<std::vector<FixedLink>> planes(static_cast<std::size_t>(n_[2]));
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < n_[2]; ++k)
    for_each_place({{0, 0, k}, {n_[0], n_[1], k + 1}}, [&](int i, int j, int) {
      const RegionNumber here = cells_.region(i, j, k);
      if (!cells_.conducts(here)) return;
      for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
        for (const int side : {-1, 1}) {
          std::array next{i, j, k};
          next[d] += side;
          if (!cells_.stores(next)) continue;
          const RegionNumber beyond = cells_.region(next[0], next[1], next[2]);
          if (!cells_.fixed(beyond)) continue;
          const int axis = static_cast<int>(d);
          const double half = 0.5 * block_.axes[d].width(std::array{i, j, k}[d]);
          planes[static_cast<std::size_t>(k)].push_back(
              {{i, j, k}, beyond, cells_.kappa(here, d, i, j, k) * block_.face_area(axis, i, j, k) / half, axis, side});
        }
    });
  for (const auto& plane : planes) links_.insert(links_.end(), plane.begin(), plane.end());
}

// Adds up the volumes of the cells of each region. No region has a source.
void MediaSystem::find_volumes_of_voxels() {
  const std::size_t regions = media_->regions.size();
  if (states_.empty() && equal_voxels()) {
    const double volume = cells_.volume(0, 0, 0);
    for (const double cells : cells_of_regions_) receiving_.push_back(volume * cells);
    volumes_ = receiving_;
    return;
  }
  std::vector<std::vector<double>> planes(static_cast<std::size_t>(n_[2]), std::vector<double>(regions));
#pragma omp parallel for
  for (int k = 0; k < n_[2]; ++k) {
    std::vector<double>& sums = planes[static_cast<std::size_t>(k)];
    for (int j = 0; j < n_[1]; ++j)
      for (int i = 0; i < n_[0]; ++i) sums[cells_.region(i, j, k)] += cells_.volume(i, j, k);
  }
  receiving_.assign(regions, 0);
  for (const auto& plane : planes)
    for (std::size_t r = 0; r < regions; ++r) receiving_[r] += plane[r];
  for (double& volume : receiving_) volume = block_.processes().sum(volume);
  volumes_ = receiving_;
}

// Sets κ behind the open ends from the present states. `contacts`: only behind those that may determine values.
void MediaSystem::set_ends_of_voxels(const Problem& problem, bool contacts) {
  std::vector<double> kappa(media_->regions.size());
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
    for (std::size_t r = 0; r < kappa.size(); ++r)
      if (state_of_region_[r] == CellState::solved) kappa[r] = cells_.kappa(static_cast<RegionNumber>(r), d, 0, 0, 0);
    for (int end = 0; end < 2; ++end) {
      const bool neumann = boundary(problem, static_cast<int>(d), end).kind == BoundaryKind::neumann;
      if (!block_.axes[d].open(end) || (contacts && neumann)) continue;
      const Box behind = cells_behind(block_, static_cast<int>(d), end);
      std::vector<double>& values = ends_[d][static_cast<std::size_t>(end)];
      values.resize(static_cast<std::size_t>(behind.size()));
      cpu::for_each_line(behind, [&](int j, int k) {
        double* const line = values.data() + number_in(behind, behind.first[0], j, k);
        for (int i = behind.first[0]; i < behind.last[0]; ++i)
          line[i - behind.first[0]] = solved(i, j, k) ? kappa[cells_.region(i, j, k)] : 0;
      });
    }
  }
}

bool MediaSystem::equal_voxels() const {
  return std::ranges::all_of(block_.axes, [](const Axis& axis) { return axis.degenerate() || axis.equidistant(); });
}

namespace {

// Returns the offsets of this process's cells along an axis.
std::vector<std::int64_t> own_offsets(const MediaCells& cells, const LabelBytes& labels, std::size_t axis, int count) {
  const auto first = labels.offset[axis].begin() - cells.box().first[axis];
  return {first, first + count};
}

// Counts the bytes of a line. Neighbouring voxels are often equal, and one table would wait for its own increments.
struct ByteTally {
  std::array<std::array<std::int64_t, 256>, 4> lanes{};

  void add(const std::uint8_t* first, const std::vector<std::int64_t>& offset) {
    std::size_t i = 0;
    for (; i + 4 <= offset.size(); i += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) ++lanes[lane][first[offset[i + lane]]];
    for (; i < offset.size(); ++i) ++lanes[0][first[offset[i]]];
  }
  std::int64_t count(std::size_t byte) const {
    return lanes[0][byte] + lanes[1][byte] + lanes[2][byte] + lanes[3][byte];
  }
};

}  // namespace

// Counts equal voxels of one process, whose states follow from their regions and from the floating cells.
void MediaSystem::count_voxels() {
  const std::size_t regions = media_->regions.size();
  std::vector<std::int64_t> of_region(regions), floating(regions);
  const LabelBytes* const labels = cells_.labels();
  const bool counted = labels && !labels->cells.empty();
  const std::vector<std::int64_t> columns =
      labels ? own_offsets(cells_, *labels, 0, n_[0]) : std::vector<std::int64_t>();
  const auto words = static_cast<std::int64_t>(floating_cells_.size());
  const auto nx = static_cast<std::uint32_t>(n_[0]), ny = static_cast<std::uint32_t>(n_[1]);
  const int low_y = cells_.box().first[1], low_z = cells_.box().first[2];
#pragma omp parallel
  {
    std::vector<std::int64_t> own_cells(regions), own_floating(regions);
    ByteTally tally;
#pragma omp for schedule(static)
    for (int k = 0; k < (counted ? 0 : n_[2]); ++k)
      for (int j = 0; j < n_[1]; ++j) {
        if (!labels) {
          for (int i = 0; i < n_[0]; ++i) ++own_cells[cells_.region(i, j, k)];
          continue;
        }
        tally.add(labels->first + labels->offset[1][static_cast<std::size_t>(j - low_y)] +
                      labels->offset[2][static_cast<std::size_t>(k - low_z)],
                  columns);
      }
    for (std::size_t b = 0; labels && b < 256; ++b) own_cells[labels->region[b]] += tally.count(b);
#pragma omp for schedule(static)
    for (std::int64_t w = 0; w < words; ++w)
      for (std::uint32_t bits = floating_cells_[static_cast<std::size_t>(w)]; bits != 0; bits &= bits - 1) {
        const std::uint32_t cell =
            32 * static_cast<std::uint32_t>(w) + static_cast<std::uint32_t>(std::countr_zero(bits));
        ++own_floating[cells_.region(static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny),
                                     static_cast<int>(cell / nx / ny))];
      }
#pragma omp critical
    for (std::size_t r = 0; r < regions; ++r) {
      of_region[r] += own_cells[r];
      floating[r] += own_floating[r];
    }
  }
  if (counted) std::ranges::copy(labels->cells, of_region.begin());
  std::vector<std::int64_t> solved(regions);
  for (std::size_t r = 0; r < regions; ++r) {
    const CellState state = state_of_region_[r];
    counts_[static_cast<std::size_t>(state)] += of_region[r] - floating[r];
    counts_[static_cast<std::size_t>(CellState::floating)] += floating[r];
    if (state == CellState::solved) solved[r] = of_region[r] - floating[r];
  }
  for (std::size_t s = 0; s < counts_.size(); ++s)
    state_volumes_[s] = static_cast<double>(counts_[s]) * cells_.volume(0, 0, 0);
  add_counts(of_region, solved);
}

std::unique_ptr<CellCodes> MediaSystem::make_codes(Backend& backend) const {
  const std::size_t used = media_->regions.size() + 1;
  if (const LabelBytes* const labels = cells_.labels(); labels && states_.empty()) {
    const std::uint8_t* first = labels->first;
    std::int64_t stride = 1;
    bool dense = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<std::int64_t> offsets = own_offsets(cells_, *labels, d, n_[d]);
      for (std::size_t i = 1; i < offsets.size(); ++i) dense = dense && offsets[i] - offsets[i - 1] == stride;
      first += offsets[0];
      stride *= n_[d];
    }
    if (dense) return make_cell_codes(backend, n_, used, BytesOfCells{first, labels->region});
  }
  return make_cell_codes(backend, n_, used, [&](int j, int k, std::span<CellCodes::Code> line) {
    for (int i = 0; i < n_[0]; ++i) {
      const bool floating = state(i, j, k) == CellState::floating;
      line[static_cast<std::size_t>(i)] = floating ? static_cast<CellCodes::Code>(used - 1) : cells_.region(i, j, k);
    }
  });
}

// Returns whether one part has cells of the system at both ends of an axis. Adds such parts to `joining` unless it is
// null.
bool MediaSystem::parts_join_ends(std::size_t axis, std::vector<CellCodes::Cell>* joining) const {
  std::array<std::vector<CellCodes::Cell>, 2> parts;
  for (std::size_t end = 0; end < 2; ++end) {
    Box layer = block_.layout().box();
    (end == 0 ? layer.last : layer.first)[axis] = end == 0 ? 1 : n_[axis] - 1;
    std::vector<CellCodes::Cell> cells(static_cast<std::size_t>(layer.size()), CellCodes::nowhere);
    cpu::for_each_line(layer, cpu::heavy_threshold, [&](int j, int k) {
      CellCodes::Cell* const line = cells.data() + number_in(layer, layer.first[0], j, k);
      for (int i = layer.first[0]; i < layer.last[0]; ++i)
        if (solved(i, j, k)) line[i - layer.first[0]] = static_cast<CellCodes::Cell>(own(i, j, k));
    });
    std::erase(cells, CellCodes::nowhere);
    parts[end] = codes_->parts_of(cells);
    // Neighbours often belong to one part, so few numbers are left to sort.
    for (const bool sorted : {false, true}) {
      if (sorted) std::ranges::sort(parts[end]);
      const auto equal = std::ranges::unique(parts[end]);
      parts[end].erase(equal.begin(), equal.end());
    }
    std::erase(parts[end], CellCodes::nowhere);
  }
  std::vector<CellCodes::Cell> both;
  std::ranges::set_intersection(parts[0], parts[1], std::back_inserter(both));
  if (joining) joining->insert(joining->end(), both.begin(), both.end());
  return !both.empty();
}

// Removes the parts with none of these cells. The parts of `winding` that have none of `kept` get an anchor.
void MediaSystem::keep_parts(std::vector<CellCodes::Cell> kept, const std::vector<CellCodes::Cell>& winding) {
  const auto parts = [&](const std::vector<CellCodes::Cell>& cells) {
    std::vector<CellCodes::Cell> found = codes_->parts_of(cells);
    std::ranges::sort(found);
    const auto equal = std::ranges::unique(found);
    found.erase(equal.begin(), equal.end());
    return found;
  };
  std::vector<CellCodes::Cell> free;
  if (!winding.empty()) std::ranges::set_difference(parts(winding), parts(kept), std::back_inserter(free));
  if (singular_ && free.empty()) {
    // Without a fixed value the largest connected part is solved, with one of its cells as anchor.
    free.push_back(codes_->largest_part());
    if (free.front() == CellCodes::nowhere) return;
  }
  for (const CellCodes::Cell cell : free) {
    const auto at = static_cast<std::int64_t>(cell), nx = std::int64_t{n_[0]}, ny = std::int64_t{n_[1]};
    anchors_.push_back({static_cast<int>(at % nx), static_cast<int>(at / nx % ny), static_cast<int>(at / nx / ny)});
  }
  kept.insert(kept.end(), free.begin(), free.end());
  const auto floating = static_cast<CellCodes::Code>(media_->regions.size());
  codes_->set_others(kept, floating);
  floating_cells_ = codes_->cells_with(floating);
  if (std::ranges::all_of(floating_cells_, [](std::uint32_t word) { return word == 0; })) floating_cells_ = {};
}

void MediaSystem::find_floating_voxels(const Problem& problem) {
  const std::vector<std::array<int, 3>> front = contacts(problem);
  singular_ = front.empty();
  if (!media_->has_gaps()) return;  // all cells are connected
  std::vector<char> connects;
  for (std::size_t r = 0; r < media_->regions.size(); ++r)
    connects.push_back(cells_.conducts(static_cast<RegionNumber>(r)) ? 1 : 0);
  connects.push_back(0);
  const auto axes = static_cast<std::size_t>(block_.dimension());
  std::array<bool, 3> closed{};
  for (std::size_t d = 0; d < axes; ++d) closed[d] = block_.axes[d].periodic();
  // Without the faces between the ends of an axis, a part that winds around it connects both ends.
  std::vector<CellCodes::Cell> winding;
  const bool winds = driven_by_gradients(problem);
  const auto find_percolation = [&] {
    for (std::size_t d = 0; d < axes; ++d) {
      if (!closed[d]) continue;
      std::array<bool, 3> others = closed;
      others[d] = false;
      codes_->find_parts(connects, others);
      percolates_[d] = parts_join_ends(d, winds ? &winding : nullptr);
    }
  };
  if (winds) find_percolation();
  codes_->find_parts(connects, closed);
  std::vector<CellCodes::Cell> kept;
  for (const auto& [i, j, k] : front) kept.push_back(static_cast<CellCodes::Cell>(own(i, j, k)));
  keep_parts(std::move(kept), winding);
  for (std::size_t d = 0; d < axes; ++d) {
    const auto& ends = problem.boundary[d];  // a flow is driven between faces that are both open
    const bool driven = ends[0].kind != BoundaryKind::neumann && ends[1].kind != BoundaryKind::neumann;
    if (!closed[d] && driven) percolates_[d] = parts_join_ends(d);
  }
  if (!winds) find_percolation();
  codes_->forget_parts();
}

}  // namespace poisson
