#include "grids/schemes/bands/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/backend.hpp"
#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

std::size_t band_of(const BandedMatrix& m, const Offset& offset) {
  return static_cast<std::size_t>(std::find(m.offsets.begin(), m.offsets.end(), offset) - m.offsets.begin());
}

Offset opposite(const Offset& o) {
  return {-o[0], -o[1], -o[2]};
}

// f(point, index of the point at the offset) wherever that lies on the grid.
template <class F>
void for_each_pair(const BandedMatrix& m, const Offset& o, const F& f) {
  const int nx = m.shape[0], ny = m.shape[1], nz = m.shape[2];
  for (int k = std::max(0, -o[2]); k < std::min(nz, nz - o[2]); ++k)
    for (int j = std::max(0, -o[1]); j < std::min(ny, ny - o[1]); ++j)
      for (int i = std::max(0, -o[0]); i < std::min(nx, nx - o[0]); ++i) {
        const auto at = [&](int x, int y, int z) {
          return static_cast<std::size_t>(x) +
                 static_cast<std::size_t>(nx) *
                     (static_cast<std::size_t>(y) + static_cast<std::size_t>(ny) * static_cast<std::size_t>(z));
        };
        f(at(i, j, k), at(i + o[0], j + o[1], k + o[2]));
      }
}

}  // namespace

void measure(BandedMatrix& m) {
  const std::vector<double>& diagonal = m.entries[band_of(m, {0, 0, 0})];
  std::vector<double> off(m.points(), 0.0);
  m.asymmetry = 0;
  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    if (m.offsets[b] == Offset{}) continue;
    const std::size_t back = band_of(m, opposite(m.offsets[b]));
    for_each_pair(m, m.offsets[b], [&](std::size_t i, std::size_t j) {
      const double there = back < m.offsets.size() ? m.entries[back][j] : 0;
      const double here = m.entries[b][i], apart = std::abs(here - there);
      const double larger = std::max(std::abs(here), std::abs(there));
      if (apart > 0)
        m.asymmetry = std::max(m.asymmetry, std::min(apart / std::min(diagonal[i], diagonal[j]), apart / larger));
      off[i] += std::abs(m.entries[b][i]);
    });
  }
  m.dominance = 1;
  for (std::size_t i = 0; i < m.points(); ++i)
    m.dominance = std::min(m.dominance, (diagonal[i] - off[i]) / diagonal[i]);
}

Block make_block(const BandedMatrix& m) {
  Block block;
  for (std::size_t d = 0; d < 3; ++d)
    if (m.shape[d] > 1)
      block.axes[d] =
          Axis(uniform_nodes(0, m.shape[d] - 1, m.shape[d] - 1), BoundaryKind::neumann, BoundaryKind::neumann);
  return block;
}

std::array<double, 3> coupling_strengths(const BandedMatrix& m) {
  std::array<double, 3> strength{};
  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    double sum = 0;
    for (const double a : m.entries[b]) sum += std::abs(a);
    for (std::size_t d = 0; d < 3; ++d)
      if (m.offsets[b][d] != 0) strength[d] += sum;
  }
  for (double& s : strength) s = std::max(s, std::numeric_limits<double>::min());
  return strength;
}

Bands make_bands(Backend& backend, const BandedMatrix& m, const Block& block) {
  const std::vector<double>& diagonal = m.entries[band_of(m, {0, 0, 0})];
  double mean = 0;
  for (const double d : diagonal) mean += d / static_cast<double>(m.points());

  Bands bands;
  bands.space = block.space();
  bands.symmetric = m.symmetric();
  bands.scale = std::ldexp(1.0, -std::ilogb(mean));

  const auto host = make_cpu_backend();
  const auto upload = [&](const std::vector<double>& values, double factor) {
    auto field = std::make_shared<Field>(backend, bands.space, Precision::fp64);
    Field staging(*host, bands.space, Precision::fp64);
    const auto view = staging.view<double>();
    const auto& first = bands.space.origin();
    for (int k = 0; k < view.n[2]; ++k)
      for (int j = 0; j < view.n[1]; ++j) {
        const auto row = static_cast<std::size_t>(k + first[2]) * static_cast<std::size_t>(m.shape[1]) +
                         static_cast<std::size_t>(j + first[1]);
        const double* line = &values[row * static_cast<std::size_t>(m.shape[0]) + static_cast<std::size_t>(first[0])];
        for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = factor * line[i];
      }
    transfer(staging, *field);
    if (!bands.space.whole()) backend.exchange(*field, cut_halo);
    return field;
  };

  std::vector<double> sum = diagonal, size = diagonal;
  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    const Offset& o = m.offsets[b];
    if (o == Offset{}) continue;
    for (std::size_t i = 0; i < m.points(); ++i) {
      sum[i] += m.entries[b][i];
      size[i] += std::abs(m.entries[b][i]);
    }
    if (bands.symmetric && !is_forward(o)) {
      // A band whose opposite the file leaves out is zero to the tolerance, as that one is.
      continue;
    }
    std::vector<double> entries = m.entries[b];
    if (bands.symmetric) {
      const std::size_t back = band_of(m, opposite(o));
      for_each_pair(m, o, [&](std::size_t i, std::size_t j) {
        entries[i] = 0.5 * (entries[i] + (back < m.offsets.size() ? m.entries[back][j] : 0));
      });
    }
    bands.offsets.push_back(o);
    bands.entries.push_back(upload(entries, -bands.scale));
  }
  // Row sums are zero to rounding; all of them, where they are small and of both signs, to the digits they were
  // written with.
  double least = 0, most = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    least = std::min(least, sum[i] / size[i]);
    most = std::max(most, sum[i] / size[i]);
  }
  const double written = least < -0.1 * most && std::max(most, -least) < 1e-5 ? 1e-5 : 1e-14;
  bands.singular = bands.symmetric;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (std::abs(sum[i]) <= written * size[i]) sum[i] = 0;
    bands.singular = bands.singular && sum[i] == 0;
  }
  bands.sum = upload(sum, bands.scale);
  return bands;
}

}  // namespace poisson
