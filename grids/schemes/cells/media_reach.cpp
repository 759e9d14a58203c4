// Finds the cells that no conductance connects to a fixed value.

#include <algorithm>
#include <map>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/joined_parts.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

using Cell = std::array<int, 3>;

}  // namespace

// Returns the cells that a fixed value, an open Robin face or a reaction determines directly.
std::vector<Cell> MediaSystem::contacts(const Problem& problem) const {
  std::vector<Cell> found;
  for (const FixedLink& link : links_)
    if (link.conductance > 0) found.push_back(link.cell);
  for_each_face(problem, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::neumann || !block_.axes[static_cast<std::size_t>(d)].open(end)) return;
    const Box behind = cells_behind(block_, d, end);
    std::vector<double> alpha;
    if (face.kind == BoundaryKind::robin)
      alpha = sample(face.alpha, face_key(d, end, true), Sign::nonnegative, {block_}, Location::cell,
                     face_box(block_, d, end));
    const std::vector<double>& kappa = end_kappa(d, end);
    constexpr Cell none{-1, -1, -1};
    const std::size_t before = found.size();
    found.resize(before + static_cast<std::size_t>(behind.size()), none);
    cpu::for_each_line(behind, cpu::heavy_threshold, [&](int j, int k) {
      std::size_t at = number_in(behind, behind.first[0], j, k);
      for (int i = behind.first[0]; i < behind.last[0]; ++i, ++at)
        if ((alpha.empty() || alpha[at] > 0) && kappa[at] > 0 && solved(i, j, k)) found[before + at] = {i, j, k};
    });
    std::erase(found, none);
  });
  if (uniform_value(problem.reaction) == 0.0) return found;
  std::size_t at = 0;
  const auto values =
      sample(problem.reaction, "reaction", Sign::nonnegative, {block_}, Location::cell, block_.layout().box());
  for_each_place(block_.layout().box(), [&](int i, int j, int k) {
    if (values[at++] > 0 && solved(i, j, k)) found.push_back({i, j, k});
  });
  return found;
}

// Returns whether nothing but mean gradients between periodic faces drives a flow, as for effective coefficients. Each
// part that connects both ends of an axis then conducts, although no value is fixed in it.
bool MediaSystem::driven_by_gradients(const Problem& problem) const {
  const auto is_zero = [](const Quantity& quantity) { return uniform_value(quantity) == 0.0; };
  const auto idle = [&](const MediaRegion& r) {
    const Material& m = media_->materials[r.material];
    return !m.fixed && m.power.value_or(0) == 0 && is_zero(m.source);
  };
  const auto axes = static_cast<std::ptrdiff_t>(block_.dimension());
  return std::all_of(block_.axes.begin(), block_.axes.begin() + axes, [](const Axis& a) { return a.closed(); }) &&
         is_zero(problem.source) && is_zero(problem.reaction) && std::ranges::all_of(media_->regions, idle);
}

// Marks the cells that conductances connect to the front, on this process, by runs along x, with `around` also across
// periodic ends. Returns the number of new ones, and adds them to `cells` unless it is null.
std::size_t MediaSystem::spread(std::vector<Cell>& front, std::vector<char>& reached, bool around,
                                std::vector<std::size_t>* cells) const {
  std::size_t found = 0;
  const auto free = [&](int i, int j, int k) { return reached[own(i, j, k)] == 0 && solved(i, j, k); };
  while (!front.empty()) {
    const auto [i, j, k] = front.back();
    front.pop_back();
    if (!free(i, j, k)) continue;
    int first = i, last = i;
    while (first > 0 && face(0, first, j, k) > 0 && free(first - 1, j, k)) --first;
    while (last + 1 < n_[0] && face(0, last + 1, j, k) > 0 && free(last + 1, j, k)) ++last;
    std::fill_n(reached.begin() + static_cast<std::ptrdiff_t>(own(first, j, k)), last - first + 1, char{1});
    found += static_cast<std::size_t>(last - first + 1);
    for (int x = first; cells && x <= last; ++x) cells->push_back(own(x, j, k));
    if (around && block_.axes[0].periodic() && face(0, 0, j, k) > 0) {
      if (first == 0) front.push_back({n_[0] - 1, j, k});
      if (last == n_[0] - 1) front.push_back({0, j, k});
    }
    for (std::size_t d = 1; d < static_cast<std::size_t>(block_.dimension()); ++d)
      for (const int side : {0, 1}) {
        Cell beyond{first, j, k}, next{first, j, k};
        beyond[d] += side;
        next[d] += side == 0 ? -1 : 1;
        if (next[d] < 0 || next[d] >= n_[d]) {
          if (!around || !block_.axes[d].periodic()) continue;
          next[d] = next[d] < 0 ? n_[d] - 1 : 0;
        }
        bool before = false;  // the run that contains the cell before is already in the front
        for (int x = first; x <= last; ++x) {
          const bool now = face(d, x, beyond[1], beyond[2]) > 0 && free(x, next[1], next[2]);
          if (now && !(before && face(0, x, next[1], next[2]) > 0)) front.push_back({x, next[1], next[2]});
          before = now;
        }
      }
  }
  return found;
}

void MediaSystem::find_floating(const Problem& problem, const Tools& tools) {
  const Processes& processes = block_.processes();
  std::vector<Cell> front = contacts(problem);
  singular_ = !processes.any(!front.empty());
  if (!media_->has_gaps()) return;  // all cells are connected
  const bool winding = driven_by_gradients(problem);
  if (winding || !processes.alone()) return find_floating_of_several(front, winding, tools);
  std::vector<char> reached(states_.size());
  if (singular_) {
    // Without a fixed value the largest connected part is solved, with one of its cells as anchor.
    std::size_t most = 0;
    for_each_place(block_.layout().box(), [&](int i, int j, int k) {
      if (reached[own(i, j, k)] || !solved(i, j, k)) return;
      front.assign(1, {i, j, k});
      const std::size_t size = spread(front, reached, true);
      if (size <= most) return;
      most = size;
      anchors_.assign(1, {i, j, k});
    });
    if (most == 0) return;
    std::ranges::fill(reached, 0);
    front = anchors_;
  }
  spread(front, reached, true);
  let_float(reached);
}

// Does the same for cells of several processes: each finds its connected parts, which are joined at cuts. `winding`:
// parts that connect both ends of an axis stay as well, each with an anchor.
void MediaSystem::find_floating_of_several(const std::vector<Cell>& contacts, bool winding, const Tools& tools) {
  const Processes& processes = block_.processes();
  std::vector<int> labels(states_.size(), -1);
  std::vector<Cell> first, front;
  std::vector<std::int64_t> sizes;
  {
    std::vector<char> reached(states_.size());
    std::vector<std::size_t> cells;
    for_each_place(block_.layout().box(), [&](int i, int j, int k) {
      if (reached[own(i, j, k)] || !solved(i, j, k)) return;
      front.assign(1, {i, j, k});
      cells.clear();
      spread(front, reached, !winding, &cells);
      for (const std::size_t cell : cells) labels[cell] = static_cast<int>(first.size());
      first.push_back({i, j, k});
      sizes.push_back(static_cast<std::int64_t>(cells.size()));
    });
  }
  const JoinedParts joined(block_, cells_.box(), tools.backend, tools.sampler, tools.functionals, labels, first,
                           [&](Cell cell, std::size_t d, int side) {
                             if (side > 0) ++cell[d];
                             return face(d, cell[0], cell[1], cell[2]) > 0;
                           });
  const auto winds = [&](std::size_t p) {
    return winding && std::ranges::count(joined.of(static_cast<int>(p)).winds, true) > 0;
  };
  bool any_winds = false;
  for (std::size_t p = 0; p < first.size(); ++p) any_winds = any_winds || winds(p);
  any_winds = processes.any(any_winds);
  std::vector<std::int64_t> kept;  // first cells of parts that stay in the system
  if (singular_ && !any_winds) {
    const std::int64_t largest = largest_part(joined, sizes);
    if (largest < 0) return;
    kept.push_back(largest);
    for (std::size_t p = 0; p < first.size(); ++p)
      if (joined.of(static_cast<int>(p)).first == largest && joined.begins(static_cast<int>(p)))
        anchors_.push_back(first[p]);
  } else {
    std::vector<std::int64_t> shared;
    for (const auto& [i, j, k] : contacts)
      if (const int label = labels[own(i, j, k)]; label >= 0)
        (joined.meets_others(label) ? shared : kept).push_back(joined.of(label).first);
    for (auto* list : {&shared, &kept}) {
      std::ranges::sort(*list);
      list->erase(std::ranges::unique(*list).begin(), list->end());
    }
    const std::vector<std::int64_t> all = gather_lists(processes, shared);
    kept.insert(kept.end(), all.begin(), all.end());
    std::ranges::sort(kept);
  }
  std::vector<char> stays;
  for (std::size_t p = 0; p < first.size(); ++p) {
    const bool fixed = std::ranges::binary_search(kept, joined.of(static_cast<int>(p)).first);
    if (!fixed && winds(p) && joined.begins(static_cast<int>(p))) anchors_.push_back(first[p]);
    stays.push_back(fixed || winds(p) ? 1 : 0);
  }
  std::vector<char> reached(states_.size());
  for (std::size_t n = 0; n < reached.size(); ++n)
    reached[n] = labels[n] >= 0 && stays[static_cast<std::size_t>(labels[n])] ? 1 : 0;
  let_float(reached);
}

// Returns the first cell of the part of the grid with most cells, of equal ones the first, or −1 if there is none.
std::int64_t MediaSystem::largest_part(const JoinedParts& joined, const std::vector<std::int64_t>& sizes) const {
  struct Found {
    std::int64_t first = -1, cells = 0;
  };
  Found own;
  const auto keep_larger = [](Found& most, const Found& other) {
    if (other.cells > most.cells || (other.cells == most.cells && other.first < most.first)) most = other;
  };
  std::map<std::int64_t, std::int64_t> shared;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    const std::int64_t first = joined.of(static_cast<int>(p)).first;
    if (joined.meets_others(static_cast<int>(p)))
      shared[first] += sizes[p];
    else
      keep_larger(own, {first, sizes[p]});
  }
  std::vector<Found> list{own};
  for (const auto& [first, cells] : shared) list.push_back({first, cells});
  std::map<std::int64_t, std::int64_t> all;
  for (const Found& found : gather_lists(block_.processes(), list)) all[found.first] += found.cells;
  Found most;
  for (const auto& [first, cells] : all) keep_larger(most, {first, cells});
  return most.first;
}

// Removes the cells that were not reached. Their conductances only lead to one another.
void MediaSystem::let_float(const std::vector<char>& reached) {
  for_each_place(block_.layout().box(), [&](int i, int j, int k) {
    CellState& state = states_[own(i, j, k)];
    if (state != CellState::solved || reached[own(i, j, k)]) return;
    state = CellState::floating;
    const Cell cell{i, j, k};
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
      for (const int side : {0, 1}) {
        Cell face = cell;
        face[d] += side;
        if (!codes_) faces_[d][face_index(d, face[0], face[1], face[2])] = 0;
        const bool end = face[d] == 0 || face[d] == n_[d];
        if (!end || !block_.axes[d].open(side) || ends_[d][static_cast<std::size_t>(side)].empty()) continue;
        const std::size_t a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
        ends_[d][static_cast<std::size_t>(side)][static_cast<std::size_t>(cell[b]) * static_cast<std::size_t>(n_[a]) +
                                                 static_cast<std::size_t>(cell[a])] = 0;
      }
  });
}

}  // namespace poisson
