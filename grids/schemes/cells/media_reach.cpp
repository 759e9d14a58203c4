// Finds the cells that no conductance connects to a fixed value.

#include <algorithm>
#include <string>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

using Cell = std::array<int, 3>;

// Fills the halo of a mask of this process's cells with those of its neighbours.
class SharedMask {
 public:
  SharedMask(const Block& block, const MediaSystem::Tools& tools)
      : tools_(tools), box_(block.layout().box()), field_(tools.backend, block.space(), Precision::fp64) {
    tools.backend.fill(field_, 0);
  }
  /// Returns the mask on the box with its halo, x fastest.
  std::vector<double> exchanged(const std::vector<char>& mask, const Box& with_halo) {
    const std::vector<double> values(mask.begin(), mask.end());
    tools_.sampler.put(box_, values, SampleStore::set, field_);
    tools_.backend.exchange(field_, 1);
    return tools_.functionals.values(field_, with_halo);
  }

 private:
  const MediaSystem::Tools& tools_;
  Box box_;
  Field field_;
};

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
    std::size_t at = 0;
    for_each_place(behind, [&](int i, int j, int k) {
      const bool passes = alpha.empty() || alpha[at] > 0;
      if (passes && end_kappa(d, end)[at] > 0 && solved(i, j, k)) found.push_back({i, j, k});
      ++at;
    });
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

// Marks the cells that conductances connect to the front, on this process, by runs along x. Returns the number of new
// ones.
std::size_t MediaSystem::spread(std::vector<Cell>& front, std::vector<char>& reached) const {
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
    if (block_.axes[0].periodic() && face(0, 0, j, k) > 0) {
      if (first == 0) front.push_back({n_[0] - 1, j, k});
      if (last == n_[0] - 1) front.push_back({0, j, k});
    }
    for (std::size_t d = 1; d < static_cast<std::size_t>(block_.dimension()); ++d)
      for (const int side : {0, 1}) {
        Cell beyond{first, j, k}, next{first, j, k};
        beyond[d] += side;
        next[d] += side == 0 ? -1 : 1;
        if (next[d] < 0 || next[d] >= n_[d]) {
          if (!block_.axes[d].periodic()) continue;
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
  std::vector<char> reached(states_.size());
  const auto spread_everywhere = [&] {
    spread(front, reached);
    if (processes.alone()) return;
    SharedMask mask(block_, tools);
    const Box around = cells_.box();
    for (bool any = true; any;) {
      const std::vector<double> beyond = mask.exchanged(reached, around);
      for_each_place(block_.layout().box(), [&](int i, int j, int k) {
        if (reached[own(i, j, k)] || !solved(i, j, k)) return;
        for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
          for (const int side : {0, 1}) {
            Cell face{i, j, k}, next{i, j, k};
            face[d] += side;
            next[d] += side == 0 ? -1 : 1;
            if ((next[d] >= 0 && next[d] < n_[d]) || !cells_.stores(next)) continue;
            if (this->face(d, face[0], face[1], face[2]) > 0 && beyond[cells_.index(next[0], next[1], next[2])] != 0)
              front.push_back({i, j, k});
          }
      });
      any = processes.any(spread(front, reached) > 0);
    }
  };
  if (!singular_) {
    spread_everywhere();
    return let_float(reached);
  }
  // Without a fixed value the largest connected part is solved, with one of its cells as anchor.
  if (!processes.alone())
    throw InputError(
        "no value is fixed (all faces are Neumann or periodic faces, without a reaction), and cells leave the system: "
        "several processes cannot choose among connected parts; use one process, or fix a value");
  std::size_t most = 0;
  for_each_place(block_.layout().box(), [&](int i, int j, int k) {
    if (reached[own(i, j, k)] || !solved(i, j, k)) return;
    front.assign(1, {i, j, k});
    const std::size_t size = spread(front, reached);
    if (size <= most) return;
    most = size;
    anchor_ = {i, j, k};
  });
  if (most == 0) return;
  std::ranges::fill(reached, 0);
  front.assign(1, anchor_);
  spread(front, reached);
  let_float(reached);
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
        if (!end || !block_.axes[d].open(side)) continue;
        const std::size_t a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
        ends_[d][static_cast<std::size_t>(side)][static_cast<std::size_t>(cell[b]) * static_cast<std::size_t>(n_[a]) +
                                                 static_cast<std::size_t>(cell[a])] = 0;
      }
  });
}

}  // namespace poisson
