#include "grids/problem/values_in_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace poisson {
namespace {

double value_at(const GridArray& array, const std::array<std::vector<double>, 3>& nodes,
                const std::array<double, 3>& point) {
  std::array<std::int64_t, 3> cell{};
  for (std::size_t d = 0; d < 3; ++d) cell[d] = cell_of(nodes[d], point[d]);
  if (array.location == Location::cell) return array.at(cell);
  double sum = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::array<std::int64_t, 3> node = cell;
    double weight = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool upper = (corner >> d & 1) != 0;
      double share = 0;
      if (nodes[d].size() > 1) {
        const auto low = nodes[d].begin() + cell[d];
        share = std::clamp((point[d] - low[0]) / (low[1] - low[0]), 0.0, 1.0);
      }
      weight *= upper ? share : 1 - share;
      if (upper) ++node[d];
    }
    if (weight > 0) sum += weight * array.at(node);
  }
  return sum;
}

}  // namespace

int cell_of(const std::vector<double>& nodes, double x) {
  if (nodes.size() < 2) return 0;
  const auto above = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x);
  return static_cast<int>(above - nodes.begin()) - 1;
}

Quantity::Function values_in_cells(const Quantity& array, const std::array<std::vector<double>, 3>& nodes) {
  const Quantity on_host = array.array()->on_device ? Quantity(array.array()->on_host()) : array;
  return [on_host, nodes](std::span<const double> x, std::span<const double> y, std::span<const double> z,
                          std::span<double> values) {
    const GridArray& read = *on_host.array();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = read.values.empty() ? 1 : value_at(read, nodes, {x[i], y[i], z[i]});
  };
}

}  // namespace poisson
