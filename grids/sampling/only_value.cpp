#include "grids/sampling/only_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/processes/processes.hpp"

namespace poisson {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Range {
  double least = infinity, largest = -infinity;

  bool varies() const { return largest - least > 1e-13 * std::max(std::abs(least), std::abs(largest)); }
};

Range join(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.largest, b.largest)};
}

using Coordinates = std::array<std::vector<double>, 3>;

Coordinates coordinates(const Block& block, CellPoints points, Location location) {
  Coordinates at;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (location == Location::node) {
      at[d] = node_coordinates(axis);
      continue;
    }
    for (int i = 0; i < block.cell_layout().n[d]; ++i) at[d].push_back(cell_coordinate(axis, points, i));
  }
  return at;
}

// Returns at most 16 coordinates along each axis, evenly spread.
Coordinates lattice(const Coordinates& all) {
  constexpr std::size_t most = 16;
  Coordinates some;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t n = all[d].size(), count = std::min(n, most);
    for (std::size_t i = 0; i < count; ++i) some[d].push_back(all[d][(2 * i + 1) * n / (2 * count)]);
  }
  return some;
}

Range range_of_line(const Quantity::Function& f, const std::vector<double>& x, double y, double z) {
  thread_local std::vector<double> ys, zs, values;
  values.resize(x.size());
  ys.assign(x.size(), y);
  zs.assign(x.size(), z);
  f(x, ys, zs, values);
  Range range;
  for (const double value : values)
    range = std::isnan(value) ? Range{-infinity, infinity} : join(range, {value, value});
  return range;
}

// Evaluates batches of lines until the values are known to vary.
Range range_of(const Quantity::Function& f, const Coordinates& at) {
  constexpr std::size_t together = 256;
  const std::size_t rows = at[1].size(), lines = rows * at[2].size();
  Range range;
  for (std::size_t first = 0; first < lines && !range.varies(); first += together) {
    std::vector<Range> found(std::min(together, lines - first));
    const Box box{{0, 0, 0}, {static_cast<int>(at[0].size()), static_cast<int>(found.size()), 1}};
    cpu::for_each_line(box, cpu::heavy_threshold, [&](int line, int) {
      const auto l = static_cast<std::size_t>(line);
      found[l] = range_of_line(f, at[0], at[1][(first + l) % rows], at[2][(first + l) / rows]);
    });
    for (const Range& line : found) range = join(range, line);
  }
  return range;
}

}  // namespace

std::optional<double> only_value(const Quantity& quantity, const SampleGrid& grid, Location location) {
  const Quantity::Function* const f = quantity.function();
  if (!f) return {};
  // Every process evaluates the same lattice, so that no process continues alone.
  if (range_of(*f, lattice(coordinates(grid.block.global(), grid.cells, location))).varies()) return {};
  Range range = range_of(*f, coordinates(grid.block, grid.cells, location));
  range = {grid.block.processes().least(range.least), grid.block.processes().largest(range.largest)};
  return range.varies() ? std::nullopt : std::optional(range.least);
}

}  // namespace poisson
