// This file finds places in elements.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grids/meshes/mesh_results.hpp"

namespace poisson {
namespace {

// Finds the reference coordinates of a place in an element by Newton's method, and returns the values of the shape
// functions there if it is inside.
std::optional<std::array<double, most_corners>> weights_in(const MeshData& data, const Topology::Cell& cell,
                                                           const std::array<double, 3>& place) {
  constexpr double slack = 1e-9;
  const auto x = data.coordinates(cell.corners);
  const std::size_t n = cell.corners.size();
  const auto dimension = static_cast<std::size_t>(data.mesh().dimension);
  std::array<double, 3> size{};
  for (std::size_t d = 0; d < dimension; ++d) {
    double lower = x[0][d], upper = x[0][d];
    for (std::size_t c = 1; c < n; ++c) {
      lower = std::min(lower, x[c][d]);
      upper = std::max(upper, x[c][d]);
    }
    size[d] = upper - lower;
    const double room = 1e-9 * size[d];
    if (place[d] < lower - room || place[d] > upper + room) return {};
  }
  const bool simplex = cell.shape == CellShape::triangle || cell.shape == CellShape::tetrahedron;
  std::array<double, 3> at =
      simplex || cell.shape == CellShape::prism ? std::array{0.3, 0.3, simplex ? 0.3 : 0.0} : std::array{0.0, 0.0, 0.0};
  if (cell.shape == CellShape::pyramid) at[2] = 0.25;
  std::array<double, most_corners> value{};
  std::array<std::array<double, 3>, most_corners> slope{};
  for (int step = 0; step < 30; ++step) {
    shape_functions(cell.shape, at, value, slope);
    std::array<std::array<double, 4>, 3> system{};  // J and the gap
    for (std::size_t d = 0; d < dimension; ++d) {
      system[d][3] = place[d];
      for (std::size_t c = 0; c < n; ++c) {
        system[d][3] -= value[c] * x[c][d];
        for (std::size_t r = 0; r < dimension; ++r) system[d][r] += slope[c][r] * x[c][d];
      }
    }
    for (std::size_t k = 0; k < dimension; ++k) {  // Gauss–Jordan elimination with pivots
      std::size_t pivot = k;
      for (std::size_t r = k + 1; r < dimension; ++r)
        if (std::abs(system[r][k]) > std::abs(system[pivot][k])) pivot = r;
      std::swap(system[k], system[pivot]);
      if (system[k][k] == 0) return {};
      for (std::size_t r = 0; r < dimension; ++r) {
        if (r == k) continue;
        const double f = system[r][k] / system[k][k];
        for (std::size_t c = k; c < 4; ++c) system[r][c] -= f * system[k][c];
      }
    }
    double change = 0;
    for (std::size_t d = 0; d < dimension; ++d) {
      const double by = system[d][3] / system[d][d];
      at[d] = std::clamp(at[d] + by, -2.0, 2.0);
      change = std::max(change, std::abs(by));
    }
    if (cell.shape == CellShape::pyramid) at[2] = std::min(at[2], 1.0);
    if (change < 1e-13) break;
  }
  shape_functions(cell.shape, at, value, slope);
  std::array<double, 3> image{};
  for (std::size_t c = 0; c < n; ++c) {
    if (value[c] < -slack) return {};
    for (std::size_t d = 0; d < dimension; ++d) image[d] += value[c] * x[c][d];
  }
  for (std::size_t d = 0; d < dimension; ++d)
    if (std::abs(image[d] - place[d]) > 1e-7 * size[d]) return {};
  return value;
}

}  // namespace

std::vector<std::optional<MeshPlace>> locate(const MeshData& data, const std::vector<std::array<double, 3>>& places) {
  std::vector<std::optional<MeshPlace>> found(places.size());
  if (places.empty()) return found;
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return places[i][0]; });
  std::vector<double> x;
  for (const std::size_t i : order) x.push_back(places[i][0]);
  const std::int64_t cells = data.topology.cells();
  using Found = std::pair<std::size_t, MeshPlace>;
  std::vector<std::vector<Found>> parts(static_cast<std::size_t>((cells + row_chunk - 1) / row_chunk));
  for_row_chunks(cells, [&](std::int64_t first, std::int64_t last) {
    std::vector<Found>& own = parts[static_cast<std::size_t>(first / row_chunk)];
    for (std::int64_t e = first; e < last; ++e) {
      const Topology::Cell cell = data.topology.cell(e);
      double lower = std::numeric_limits<double>::max(), upper = -lower;
      for (const int p : cell.corners) {
        lower = std::min(lower, data.mesh().points[static_cast<std::size_t>(p)][0]);
        upper = std::max(upper, data.mesh().points[static_cast<std::size_t>(p)][0]);
      }
      const double room = 1e-9 * (upper - lower);
      for (auto at = std::ranges::lower_bound(x, lower - room); at != x.end() && *at <= upper + room; ++at) {
        const std::size_t i = order[static_cast<std::size_t>(at - x.begin())];
        if (const auto weights = weights_in(data, cell, places[i])) own.emplace_back(i, MeshPlace{e, *weights});
      }
    }
  });
  for (const std::vector<Found>& part : parts)
    for (const auto& [i, place] : part)
      if (!found[i]) found[i] = place;
  return found;
}

double interpolate(const MeshData& data, const std::vector<double>& u, const MeshPlace& place) {
  const Topology::Cell cell = data.topology.cell(place.cell);
  double sum = 0;
  for (std::size_t c = 0; c < cell.corners.size(); ++c)
    sum += place.weights[c] * u[static_cast<std::size_t>(cell.corners[c])];
  return sum;
}

std::optional<double> value_at(const MeshData& data, const std::vector<double>& u, const std::array<double, 3>& place) {
  const auto found = locate(data, {place})[0];
  return found ? std::optional(interpolate(data, u, *found)) : std::nullopt;
}

}  // namespace poisson
