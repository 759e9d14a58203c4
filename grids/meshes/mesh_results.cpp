#include "grids/meshes/mesh_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/memory/unset_vector.hpp"
#include "grids/compact/csr.hpp"

namespace poisson {
namespace {

// Calls f(cell number, cell, rule, coordinates) for all elements and sums what it returns.
template <class F>
double sum_elements(const MeshData& data, const F& f) {
  return sum_rows(data.topology.cells(), [&](std::int64_t e) {
    const Topology::Cell cell = data.topology.cell(e);
    return f(e, cell, rule_of(cell.shape), data.coordinates(cell.corners));
  });
}

std::array<double, 3> gradient(const ElementPoint& at, std::span<const int> corners, const std::vector<double>& u) {
  std::array<double, 3> sum{};
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += at.slope[c][d] * u[static_cast<std::size_t>(corners[c])];
  return sum;
}

// Finds the least and the largest value, and the first points that have them.
void find_extremes(const MeshData& data, const std::vector<double>& u, MeshIntegrals& found) {
  struct Extremes {
    double least = std::numeric_limits<double>::max(), largest = -std::numeric_limits<double>::max();
    std::int64_t least_at = -1, largest_at = -1;
    void add(double value, std::int64_t at) {
      if (value < least) {
        least = value;
        least_at = at;
      }
      if (value > largest) {
        largest = value;
        largest_at = at;
      }
    }
  };
  const auto points = static_cast<std::int64_t>(u.size());
  std::vector<Extremes> parts(static_cast<std::size_t>((points + row_chunk - 1) / row_chunk));
  for_row_chunks(points, [&](std::int64_t first, std::int64_t last) {
    Extremes& own = parts[static_cast<std::size_t>(first / row_chunk)];
    for (std::int64_t p = first; p < last; ++p)
      if (data.used(p)) own.add(u[static_cast<std::size_t>(p)], p);
  });
  Extremes all;
  for (const Extremes& part : parts) {
    if (part.least_at >= 0) all.add(part.least, part.least_at);
    if (part.largest_at >= 0) all.add(part.largest, part.largest_at);
  }
  found.least = all.least;
  found.largest = all.largest;
  if (all.least_at >= 0) found.least_at = data.mesh().points[static_cast<std::size_t>(all.least_at)];
  if (all.largest_at >= 0) found.largest_at = data.mesh().points[static_cast<std::size_t>(all.largest_at)];
}

}  // namespace

std::array<double, 3> mean_gradient(const MeshData& data, std::int64_t e, const std::vector<double>& u) {
  const Topology::Cell cell = data.topology.cell(e);
  const ElementRule& rule = rule_of(cell.shape);
  const MeshData::Coordinates x = data.coordinates(cell.corners);
  std::array<double, 3> sum{};
  double volume = 0;
  ElementPoint at;
  for (int p = 0; p < rule.points; ++p) {
    map_point(rule, p, x, at);
    const auto g = gradient(at, cell.corners, u);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += std::abs(at.measure) * g[d];
    volume += std::abs(at.measure);
  }
  for (double& value : sum) value /= volume;
  return sum;
}

std::array<double, 2> extreme_widths(const MeshData& data) {
  const std::int64_t cells = data.topology.cells();
  const auto chunks = static_cast<std::size_t>((cells + row_chunk - 1) / row_chunk);
  std::vector<std::array<double, 2>> parts(chunks);
  for_row_chunks(cells, [&](std::int64_t first, std::int64_t last) {
    std::array<double, 2> own{std::numeric_limits<double>::infinity(), 0};
    for (std::int64_t e = first; e < last; ++e) {
      const Topology::Cell cell = data.topology.cell(e);
      const double measure = measure_of(data.mesh(), cell.shape, cell.corners);
      own = {std::min(own[0], measure), std::max(own[1], measure)};
    }
    parts[static_cast<std::size_t>(first / row_chunk)] = own;
  });
  std::array<double, 2> all{std::numeric_limits<double>::infinity(), 0};
  for (const auto& [least, largest] : parts) all = {std::min(all[0], least), std::max(all[1], largest)};
  for (double& measure : all) measure = std::pow(measure, 1.0 / data.mesh().dimension);
  return all;
}

MeshIntegrals integrate(const MeshData& data, const std::vector<double>& u) {
  MeshIntegrals found;
  find_extremes(data, u, found);
  const bool sources = !data.density.empty() || !data.source.empty(), reacts = !data.reaction.empty();
  const std::int64_t cells = data.topology.cells();
  using Sums = std::array<double, 6>;
  std::vector<Sums> parts(static_cast<std::size_t>((cells + row_chunk - 1) / row_chunk));
  for_row_chunks(cells, [&](std::int64_t first, std::int64_t last) {
    Sums& chunk = parts[static_cast<std::size_t>(first / row_chunk)];
    for (std::int64_t e = first; e < last; ++e) {
      const Topology::Cell cell = data.topology.cell(e);
      const ElementRule& rule = rule_of(cell.shape);
      const MeshData::Coordinates x = data.coordinates(cell.corners);
      Sums own{};
      for (int p = 0; p < rule.points; ++p) {
        const double w = std::abs(mapped_measure(rule, p, x)),
                     v = interpolated(rule, static_cast<std::size_t>(p), cell.corners, u),
                     f = sources ? data.source_at(e, p) : 0,
                     absorbed = reacts ? data.reaction[static_cast<std::size_t>(e)] * v : 0;
        own[0] += w * v;
        own[1] += w * (v * v);
        own[2] += w * f;
        own[3] += w * std::abs(f);
        own[4] += w * absorbed;
        own[5] += w * std::abs(absorbed);
      }
      for (std::size_t i = 0; i < own.size(); ++i) chunk[i] += own[i];
    }
  });
  Sums all{};
  for (const Sums& part : parts)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += part[i];
  found.integral = all[0];
  found.l2 = std::sqrt(all[1]);
  found.source = all[2];
  found.source_size = all[3];
  found.reaction = all[4];
  found.reaction_size = all[5];
  return found;
}

MeshError error_of(const MeshData& data, const std::vector<double>& u, const Quantity& exact) {
  MeshError error;
  std::vector<std::array<double, 3>> places(data.mesh().points.begin(), data.mesh().points.end());
  const std::vector<double> at_points = sample_at(exact, "exact", Sign::any, places);
  for (std::size_t p = 0; p < u.size(); ++p)
    if (data.used(static_cast<std::int64_t>(p))) error.largest = std::max(error.largest, std::abs(u[p] - at_points[p]));
  places.clear();
  places.resize(static_cast<std::size_t>(data.first_source(data.topology.cells())));
  const auto for_places = [&](const auto& f) {
    for_rows(data.topology.cells(), [&](std::int64_t e) {
      const Topology::Cell cell = data.topology.cell(e);
      f(e, cell, rule_of(cell.shape), static_cast<std::size_t>(data.first_source(e)));
    });
  };
  for_places([&](std::int64_t, const Topology::Cell& cell, const ElementRule& rule, std::size_t first) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p)
      for (std::size_t c = 0; c < cell.corners.size(); ++c)
        for (std::size_t d = 0; d < 3; ++d)
          places[first + p][d] += rule.value[p][c] * data.mesh().points[static_cast<std::size_t>(cell.corners[c])][d];
  });
  const std::vector<double> inside = sample_at(exact, "exact", Sign::any, places);
  error.l2 = std::sqrt(
      sum_elements(data, [&](std::int64_t e, const Topology::Cell& cell, const ElementRule& rule, const auto& x) {
        double sum = 0;
        ElementPoint at;
        const auto first = static_cast<std::size_t>(data.first_source(e));
        for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
          map_point(rule, static_cast<int>(p), x, at);
          const double gap = interpolated(rule, p, cell.corners, u) - inside[first + p];
          sum += std::abs(at.measure) * gap * gap;
        }
        return sum;
      }));
  return error;
}

std::vector<double> element_flux(const MeshData& data, const std::vector<double>& u) {
  std::vector<double> flux(3 * static_cast<std::size_t>(data.topology.cells()));
  for_rows(data.topology.cells(), [&](std::int64_t e) {
    const auto f = data.flux(e, mean_gradient(data, e, u));
    for (std::size_t d = 0; d < 3; ++d) flux[3 * static_cast<std::size_t>(e) + d] = -f[d];
  });
  return flux;
}

namespace {

// Adds the gradient at a point of an element times its measure, and the measure. The slopes of shape functions in space
// are not needed.
void add_gradient(const ElementRule& rule, std::size_t point, const MeshData::Coordinates& x,
                  const std::array<double, most_corners>& values, std::array<double, 4>& sum) {
  using Vector = std::array<double, 3>;
  std::array<Vector, 3> J{};  // reference slopes of x, y and z
  Vector s{};                 // and of u
  for (std::size_t c = 0; c < static_cast<std::size_t>(rule.corners); ++c) {
    const Vector& slope = rule.slope[point][c];
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t d = 0; d < 3; ++d) J[r][d] += slope[r] * x[c][d];
      s[r] += slope[r] * values[c];
    }
  }
  if (rule.dimension == 2) J[2] = {0, 0, 1};
  const auto cross = [](const Vector& a, const Vector& b) {
    return Vector{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const std::array<Vector, 3> across{cross(J[1], J[2]), cross(J[2], J[0]), cross(J[0], J[1])};
  const double det = J[0][0] * across[0][0] + J[0][1] * across[0][1] + J[0][2] * across[0][2],
               weight = det < 0 ? -rule.weight[point] : rule.weight[point];
  for (std::size_t d = 0; d < 3; ++d)
    sum[d] += weight * (across[0][d] * s[0] + across[1][d] * s[1] + across[2][d] * s[2]);
  sum[3] += weight * det;
}

}  // namespace

double recovered_error(const MeshData& data, const std::vector<double>& u) {
  const auto cells = data.topology.cells();
  UnsetVector<std::array<double, 4>> mean(static_cast<std::size_t>(cells));  // gradient and measure
  for_rows(cells, [&](std::int64_t e) {
    const Topology::Cell cell = data.topology.cell(e);
    const ElementRule& rule = rule_of(cell.shape);
    const MeshData::Coordinates x = data.coordinates(cell.corners);
    std::array<double, most_corners> values{};
    for (std::size_t c = 0; c < cell.corners.size(); ++c) values[c] = u[static_cast<std::size_t>(cell.corners[c])];
    std::array<double, 4> own{};
    for (int p = 0; p < rule.points; ++p) add_gradient(rule, static_cast<std::size_t>(p), x, values, own);
    for (std::size_t d = 0; d < 3; ++d) own[d] /= own[3];
    mean[static_cast<std::size_t>(e)] = own;
  });
  // Elements whose gradients have a common mean: those of equal κ, and of one label if κ varies little between them.
  const std::size_t entries = data.kappa_entries;
  const auto similar = [&](std::int64_t a, int label, std::int64_t b) {
    constexpr double most = 0.5;
    const double* const k = data.kappa.data() + static_cast<std::size_t>(a) * entries;
    const double* const l = data.kappa.data() + static_cast<std::size_t>(b) * entries;
    double difference = 0, size = 0;
    for (std::size_t c = 0; c < entries; ++c) {
      difference = std::max(difference, std::abs(k[c] - l[c]));
      size = std::max({size, std::abs(k[c]), std::abs(l[c])});
    }
    return difference == 0 || (difference <= most * size && data.topology.cell(b).label == label);
  };
  const auto energy = [&](std::int64_t e, const std::array<double, 3>& g) {
    const auto flux = data.flux(e, g);
    return flux[0] * g[0] + flux[1] * g[1] + flux[2] * g[2];
  };
  const auto energies = [&](std::int64_t e, bool whole) {
    const Topology::Cell cell = data.topology.cell(e);
    const auto& own = mean[static_cast<std::size_t>(e)];
    if (whole) return own[3] * energy(e, {own[0], own[1], own[2]});
    double sum = 0;
    for (const int point : cell.corners) {
      std::array<double, 4> near{};
      for (const int other : data.topology.at(point)) {
        if (!similar(e, cell.label, other)) continue;
        const auto& theirs = mean[static_cast<std::size_t>(other)];
        for (std::size_t d = 0; d < 3; ++d) near[d] += theirs[3] * theirs[d];
        near[3] += theirs[3];
      }
      std::array<double, 3> gap{};
      for (std::size_t d = 0; d < 3; ++d) gap[d] = near[d] / near[3] - own[d];
      sum += energy(e, gap);
    }
    // The mean over corners of a linear function's square is larger than that over a simplex of dimension n, (n + 2)
    // times for a function without a mean.
    return own[3] * sum / static_cast<double>(cell.corners.size()) / (data.mesh().dimension + 2);
  };
  const double whole = sum_rows(cells, [&](std::int64_t e) { return energies(e, true); });
  return whole > 0 ? std::sqrt(sum_rows(cells, [&](std::int64_t e) { return energies(e, false); }) / whole) : 0;
}

}  // namespace poisson
