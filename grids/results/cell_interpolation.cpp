#include "grids/results/cell_interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

using Index = CellInterpolation::Index;

constexpr double no_solution = std::numeric_limits<double>::quiet_NaN();

/// Moves `at` by `step` along each axis whose bit is set in `subset`.
Index moved(Index at, std::span<const std::size_t> axes, unsigned subset, int step = 1) {
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (subset >> a & 1) at[axes[a]] += step;
  return at;
}

/// Describes the place of a coordinate on an axis: its cell in this process's sub-block, and the side of the centre.
/// `share` is its distance from the centre over that of the face on this side.
struct Spot {
  int cell = 0, side = 0;
  double share = 0;
};

Spot spot(const Axis& axis, double x) {
  if (axis.degenerate()) return {};
  const auto& nodes = axis.nodes();
  const auto next = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x);
  const double low = *(next - 1), high = *next, from_centre = 2 * (x - low) / (high - low) - 1;
  return {static_cast<int>(next - nodes.begin()) - 1 - axis.origin(), from_centre < 0 ? -1 : 1,
          std::min(std::abs(from_centre), 1.0)};
}

}  // namespace

std::size_t CellInterpolation::Window::number(const Index& at) const {
  std::size_t number = 0;
  for (std::size_t d = 3; d-- > 0;)
    number =
        number * static_cast<std::size_t>(box.last[d] - box.first[d]) + static_cast<std::size_t>(at[d] - box.first[d]);
  return number;
}
double& CellInterpolation::Window::operator()(const Index& at) {
  return values[number(at)];
}
double CellInterpolation::Window::operator()(const Index& at) const {
  return values[number(at)];
}

CellInterpolation::CellInterpolation(const Discretization& discretization, const Field& u, const Box& cells)
    : block_(discretization.block()) {
  const Problem& problem = discretization.problem();
  for (std::size_t d = 0; d < coefficient_count(problem); ++d) kappa_.emplace_back(problem, block_, d, cells);
  u_.box = cells;
  for (std::size_t d = 0; d < 3; ++d) {
    if (block_.axes[d].degenerate()) continue;
    --u_.box.first[d];
    ++u_.box.last[d];
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = u_.box.first[d]; i < u_.box.last[d]; ++i) widths_[d].push_back(block_.axes[d].width(i));
  read(u);
  fill_faces(discretization, cells);
  fill_edges();
  if (const MediaSystem* media = discretization.media(); media && media->has_gaps()) mark_gaps(*media);
}

// Marks insulators and cells without contact to a fixed value. Cells of other processes count as insulators or as
// solved, because their contacts are not known here. A place on a face of the box is that of the cell behind it.
void CellInterpolation::mark_gaps(const MediaSystem& media) {
  gone_.resize(u_.values.size());
  const Box own = block_.layout().box();
  for_each_place(u_.box, [&](int i, int j, int k) {
    Index cell{i, j, k};
    for (std::size_t d = 0; d < 3; ++d)
      if (!block_.axes[d].degenerate()) cell[d] = block_.axes[d].inner_cell(cell[d]);
    const auto [x, y, z] = cell;
    bool without = false;
    if (contains(own, cell))
      without = media.state(x, y, z) == CellState::insulator || media.state(x, y, z) == CellState::floating;
    else if (media.cells().stores(cell))
      without = media.cells().leaves(x, y, z) && !media.cells().fixed(media.cells().region(x, y, z));
    gone_[u_.number({i, j, k})] = without ? 1 : 0;
  });
}

// Reads the window from the field. The halo past a Dirichlet face has the value on the face; past other faces it is
// replaced.
void CellInterpolation::read(const Field& u) {
  u_.values.resize(static_cast<std::size_t>(u_.box.size()));
  const auto& closed = u.layout().periodic;
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    const auto wrapped = [&](std::size_t d, int i) {
      const int n = view.n[d];
      return !closed[d] ? i : i < 0 ? i + n : i < n ? i : i - n;
    };
    // Rows of the window are copied in one piece; on an axis that is periodic within the process, complete rows are.
    Box rows = u_.box;
    for (const std::size_t d : {0, 1})
      if (closed[d]) rows.first[d] = 0, rows.last[d] = view.n[d];
    const auto n0 = rows.last[0] - rows.first[0];
    std::vector<T> copied(static_cast<std::size_t>((rows.last[1] - rows.first[1] - 1) * view.sy + n0));
    for (int k = u_.box.first[2]; k < u_.box.last[2]; ++k) {
      const T* from = &view(rows.first[0], rows.first[1], wrapped(2, k));
      if (!on_host(u)) {
        u.backend().read(from, copied.data(), copied.size() * sizeof(T));
        from = copied.data();
      }
      Box plane = u_.box;
      plane.first[2] = k;
      plane.last[2] = k + 1;
      for_each_place(plane, [&](int i, int j, int) {
        u_({i, j, k}) =
            static_cast<double>(from[(wrapped(1, j) - rows.first[1]) * view.sy + wrapped(0, i) - rows.first[0]]);
      });
    }
  });
}

// Sets the value on a Neumann or Robin face: u of the cell plus the change due to the flux over half of the cell.
void CellInterpolation::fill_faces(const Discretization& discretization, const Box& cells) {
  for (std::size_t d = 0; d < 3; ++d)
    for (const int end : {0, 1}) {
      const Axis& axis = block_.axes[d];
      if (!axis.open(end) || axis.kind(end) == BoundaryKind::dirichlet) continue;
      const int cell = end == 0 ? 0 : axis.size() - 1;
      if (cell < cells.first[d] || cell >= cells.last[d]) continue;
      Box within = u_.box;
      for (std::size_t e = 0; e < 3; ++e) {
        if (block_.axes[e].degenerate()) continue;
        if (beyond(e, within.first[e])) ++within.first[e];
        if (beyond(e, within.last[e] - 1)) --within.last[e];
      }
      const CellFace face(discretization.problem(), block_, static_cast<int>(d), end, within, discretization.media());
      face.visit([&](int i, int j, int k, const CellFace::Values& v) {
        Index at{i, j, k};
        const double inside = u_(at), resistance = 0.5 * width(d, at[d]) / kappa(d, at);
        at[d] += end == 0 ? -1 : 1;
        u_(at) = inside + (v.given - v.conductance * inside) * resistance;
      });
    }
}

// Sets the values where two faces of the box meet, then where three meet. Where all are Dirichlet faces, the halo
// already has their mean.
void CellInterpolation::fill_edges() {
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}})
    for_each_place(u_.box, [&](int i, int j, int k) {
      const Index at{i, j, k};
      std::array<std::size_t, 3> ends{};
      std::size_t found = 0, given = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (!beyond(d, at[d])) continue;
        ends[found++] = d;
        given += block_.axes[d].kind(at[d] < 0 ? 0 : 1) == BoundaryKind::dirichlet ? 1 : 0;
      }
      if (found == count && given < count) u_(at) = value_beyond(at, std::span(ends).first(found));
    });
}

// On a Dirichlet face, the data extend to the edge, as they do for fluxes along the face. The flux through the other
// face does not matter. If there is no Dirichlet face, the changes through all faces add up.
double CellInterpolation::value_beyond(const Index& at, std::span<const std::size_t> ends) const {
  const auto end_of = [&](std::size_t d) { return at[d] < 0 ? 0 : 1; };
  const auto given = [&](std::size_t d) { return block_.axes[d].kind(end_of(d)) == BoundaryKind::dirichlet; };
  const auto inwards = [&](Index place, std::size_t d, int cells) {
    place[d] += end_of(d) == 0 ? cells : -cells;
    return place;
  };
  Index cell = at;
  for (const std::size_t d : ends) cell = inwards(cell, d, 1);
  if (std::ranges::any_of(ends, given)) {
    const std::size_t d = *std::ranges::find_if_not(ends, given);
    const Index first = inwards(at, d, 1), second = inwards(at, d, 2);
    if (block_.axes[d].size() > 1) {
      const auto resistance = [&](const Index& c) { return width(d, c[d]) / kappa(d, c); };
      const double near = resistance(first), far = resistance(second);
      return u_(first) + (u_(first) - u_(second)) * near / (near + far);
    }
    Index face = cell;
    face[d] = at[d];
    return u_(first) + u_(face) - u_(cell);
  }
  double sum = u_(cell);
  for (const std::size_t d : ends) {
    Index face = cell;
    face[d] = at[d];
    sum += u_(face) - u_(cell);
  }
  return sum;
}

// Returns the weighted mean of the cells that meet across these axes.
double CellInterpolation::mean(const Index& low, std::span<const std::size_t> across) const {
  double sum = 0, weights = 0;
  for (unsigned subset = 0; subset < 1u << across.size(); ++subset) {
    const Index cell = moved(low, across, subset);
    if (gone(cell)) continue;
    double weight = kappa(0, cell);
    for (const std::size_t e : across) weight /= width(e, cell[e]);
    sum += weight * u_(cell);
    weights += weight;
  }
  return weights > 0 ? sum / weights : no_solution;
}

// Returns the total conductance along axis d of the cells next to each other across these axes, starting at `low`.
double CellInterpolation::weight(const Index& low, std::span<const std::size_t> across, std::size_t d) const {
  double sum = 0;
  for (unsigned subset = 0; subset < 1u << across.size(); ++subset) {
    const Index cell = moved(low, across, subset);
    if (gone(cell)) continue;
    double part = kappa(d, cell) / width(d, cell[d]);
    for (const std::size_t e : across) part /= width(e, cell[e]);
    sum += part;
  }
  return sum;
}

// Returns the mean if κ differs between the axes. It joins cells across one axis after another, `across.back()` last.
double CellInterpolation::joined(const Index& low, std::span<const std::size_t> across) const {
  if (across.empty()) return gone(low) ? no_solution : u_(low);
  const std::size_t d = across.back();
  const auto others = across.first(across.size() - 1);
  Index high = low;
  ++high[d];
  const double below = weight(low, others, d), above = weight(high, others, d);
  if (!(above > 0)) return joined(low, others);
  if (!(below > 0)) return joined(high, others);
  return (below * joined(low, others) + above * joined(high, others)) / (below + above);
}

double CellInterpolation::joined_in_all_orders(const Index& low, std::span<std::size_t> across) const {
  double sum = 0;
  int orders = 0;
  do {
    sum += joined(low, across);
    ++orders;
  } while (std::ranges::next_permutation(across).found);
  return sum / orders;
}

double CellInterpolation::at(const Index& cell, const Index& side) const {
  // Counting from the lowest cell gives a place the same value in each cell that touches it.
  Index low = cell;
  std::array<std::size_t, 3> across{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const int next = cell[d] + side[d];
    if (side[d] != 0 && !beyond(d, next)) across[count++] = d;
    low[d] = beyond(d, next) ? next : std::min(cell[d], next);
  }
  if (count == 0) return gone(low) ? no_solution : u_(low);
  const auto axes = std::span(across).first(count);
  return kappa_.size() == 1 ? mean(low, axes) : joined_in_all_orders(low, axes);
}

double CellInterpolation::at(const Index& cell, std::span<const double> point) const {
  std::array<Spot, 3> spots;
  for (std::size_t d = 0; d < point.size(); ++d) spots[d] = spot(block_.axes[d], point[d]);
  double sum = 0;
  for (unsigned subset = 0; subset < 8; ++subset) {
    Index side{};
    double share = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool on_face = subset >> d & 1;
      side[d] = on_face ? spots[d].side : 0;
      share *= on_face ? spots[d].share : 1 - spots[d].share;
    }
    if (share > 0) sum += share * at(cell, side);
  }
  return sum;
}

double interpolate_at(const Discretization& discretization, const Field& u, std::span<const double> point) {
  const Block& block = discretization.block();
  if (block.centering() == Centering::node) return interpolate_at(block, u, point);
  if (!u.space().is_global()) u.backend().exchange(u, 1);
  Box box{{0, 0, 0}, {1, 1, 1}};
  Index cell{};
  for (std::size_t d = 0; d < point.size(); ++d) {
    cell[d] = spot(block.axes[d], point[d]).cell;
    box.first[d] = cell[d];
    box.last[d] = cell[d] + 1;
  }
  const bool here = contains(block.layout().box(), cell);
  return u.space().processes().sum(here ? CellInterpolation(discretization, u, box).at(cell, point) : 0);
}

std::vector<double> values_on_plane(const Discretization& discretization, const Field& u, std::size_t normal,
                                    double position) {
  const Block& block = discretization.block();
  Box cells = block.layout().box();
  const Spot depth = spot(block.axes[normal], position);
  if (depth.cell < cells.first[normal] || depth.cell >= cells.last[normal]) return {};
  cells.first[normal] = depth.cell;
  cells.last[normal] = depth.cell + 1;
  const CellInterpolation between(discretization, u, cells);
  const std::size_t across = normal == 0 ? 1 : 0, up = normal == 2 ? 1 : 2;
  const int columns = 2 * cells.last[across] + 1, rows = 2 * cells.last[up] + 1;
  std::vector<double> values(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  // The places alternate: node, centre, node, …; the last node is the upper face of the last cell.
  const auto place = [&](int half, std::size_t d, Index& cell, Index& side) {
    const bool last = half == 2 * cells.last[d];
    cell[d] = last ? cells.last[d] - 1 : half / 2;
    side[d] = last ? 1 : half % 2 == 0 ? -1 : 0;
  };
  cpu::for_each_line({{0, 0, 0}, {columns, rows, 1}}, cpu::heavy_threshold, [&](int row, int) {
    Index cell{}, side{};
    cell[normal] = depth.cell;
    place(row, up, cell, side);
    for (int column = 0; column < columns; ++column) {
      place(column, across, cell, side);
      double value = 0;
      for (const bool on_face : {false, true}) {
        const double share = on_face ? depth.share : 1 - depth.share;
        side[normal] = on_face ? depth.side : 0;
        if (share > 0) value += share * between.at(cell, side);
      }
      values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)] =
          value;
    }
  });
  return values;
}

}  // namespace poisson
