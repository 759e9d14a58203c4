#include "grids/schemes/bands/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/places.hpp"
#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

std::size_t band_of(const BandedMatrix& m, const Offset& offset) {
  return static_cast<std::size_t>(std::find(m.offsets.begin(), m.offsets.end(), offset) - m.offsets.begin());
}

Offset opposite(const Offset& o) {
  return {-o[0], -o[1], -o[2]};
}

Offset neighbour(const Offset& point, const Offset& o) {
  return {point[0] + o[0], point[1] + o[1], point[2] + o[2]};
}

bool on_grid(const BandedMatrix& m, const Offset& point) {
  for (std::size_t d = 0; d < 3; ++d)
    if (point[d] < 0 || point[d] >= m.shape[d]) return false;
  return true;
}

}  // namespace

void measure(BandedMatrix& m, const std::optional<Box>& own, const Processes& processes) {
  const Box rows = own.value_or(m.stored_rows());
  const std::vector<double>& diagonal = m.entries[band_of(m, {0, 0, 0})];
  std::vector<double> off(static_cast<std::size_t>(rows.size()), 0.0);
  double asymmetry = 0, dominance = 1;
  std::array<double, 3> strengths{};
  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    const Offset& o = m.offsets[b];
    if (o == Offset{}) continue;
    const std::size_t back = band_of(m, opposite(o));
    std::size_t row = 0;
    double strength = 0;
    for_each_place(rows, [&](int x, int y, int z) {
      const std::size_t r = row++;
      const Offset there = neighbour({x, y, z}, o);
      if (!on_grid(m, there)) return;
      const std::size_t i = m.place(x, y, z);
      const double here = m.entries[b][i];
      strength += std::abs(here);
      off[r] += std::abs(here);
      // Rows that reach beyond the layers next to a part have their other end on another process.
      if (!m.holds(there)) return;
      const std::size_t j = m.place(there[0], there[1], there[2]);
      const double transposed = back < m.offsets.size() ? m.entries[back][j] : 0, apart = std::abs(here - transposed);
      const double larger = std::max(std::abs(here), std::abs(transposed));
      if (apart > 0)
        asymmetry = std::max(asymmetry, std::min(apart / std::min(diagonal[i], diagonal[j]), apart / larger));
    });
    for (std::size_t d = 0; d < 3; ++d)
      if (o[d] != 0) strengths[d] += strength;
  }
  std::size_t row = 0;
  for_each_place(rows, [&](int x, int y, int z) {
    const double a = diagonal[m.place(x, y, z)];
    dominance = std::min(dominance, (a - off[row++]) / a);
  });
  m.asymmetry = processes.largest(asymmetry);
  m.dominance = processes.least(dominance);
  for (std::size_t d = 0; d < 3; ++d)
    m.strengths[d] = std::max(processes.sum(strengths[d]), std::numeric_limits<double>::min());
}

namespace {

// If the diagonal spans at least this range, entries and their squares leave the range of single precision.
constexpr double widest_diagonal = 0x1p60;

// Multiplies the entries by 2^(e_i + e_j), or divides them. In the layers next to a part some columns belong to other
// processes; nothing reads these entries.
void scale_entries(BandedMatrix& m, const std::vector<int>& exponents, int sign) {
  for (std::size_t b = 0; b < m.offsets.size(); ++b)
    for_each_place(m.stored_rows(), [&](int x, int y, int z) {
      const Offset there = neighbour({x, y, z}, m.offsets[b]);
      if (!on_grid(m, there) || !m.holds(there)) return;
      const std::size_t i = m.place(x, y, z);
      double& a = m.entries[b][i];
      a = std::ldexp(a, sign * (exponents[i] + exponents[m.place(there[0], there[1], there[2])]));
    });
}

}  // namespace

void balance(BandedMatrix& m, const std::optional<Box>& own, const Processes& processes) {
  const std::vector<double>& diagonal = m.entries[band_of(m, {0, 0, 0})];
  double least = std::numeric_limits<double>::max(), most = 0;
  for_each_place(own.value_or(m.stored_rows()), [&](int x, int y, int z) {
    const double a = diagonal[m.place(x, y, z)];
    least = std::min(least, a);
    most = std::max(most, a);
  });
  least = processes.least(least);
  most = processes.largest(most);
  if (most <= 2 * least) return;
  const int middle = (std::ilogb(least) + std::ilogb(most)) / 2;  // b and u are equally far from 1
  std::vector<int> exponents(diagonal.size());
  std::ranges::transform(diagonal, exponents.begin(),
                         [&](double a) { return a > 0 ? -((std::ilogb(a) - middle) >> 1) : 0; });
  if (!processes.any(std::ranges::any_of(exponents, [](int e) { return e != 0; }))) return;
  const double asymmetry = m.asymmetry, dominance = m.dominance;
  const std::array<double, 3> strengths = m.strengths;
  scale_entries(m, exponents, 1);
  measure(m, own, processes);
  if (m.dominance > dominance || most / least > widest_diagonal) {
    m.exponents = std::move(exponents);
  } else {
    scale_entries(m, exponents, -1);
    m.strengths = strengths;
  }
  m.asymmetry = asymmetry;
  m.dominance = dominance;
}

Block make_block(const BandedMatrix& m) {
  Block block;
  for (std::size_t d = 0; d < 3; ++d)
    if (m.shape[d] > 1)
      block.axes[d] =
          Axis(uniform_nodes(0, m.shape[d] - 1, m.shape[d] - 1), BoundaryKind::neumann, BoundaryKind::neumann);
  return block;
}

namespace {

void allocate_bands(Backend& backend, const BandedMatrix& m, Bands& bands) {
  for (const Offset& o : m.offsets)
    if (bands.symmetric ? is_forward(o) : o != Offset{}) bands.offsets.push_back(o);
  bands.sum = std::make_shared<Field>(backend, bands.space, Precision::fp64);
  for (std::size_t b = 0; b < bands.offsets.size(); ++b)
    bands.entries.push_back(std::make_shared<Field>(backend, bands.space, Precision::fp64));
}

}  // namespace

Bands make_bands(Backend& backend, const BandedMatrix& m, const Block& block) {
  const std::vector<double>& diagonal = m.entries[band_of(m, {0, 0, 0})];
  const Processes& processes = block.processes();
  Bands bands;
  bands.space = block.space();
  const auto &first = bands.space.part().origin(), &n = bands.space.part().layout().n;
  const Box own{first, {first[0] + n[0], first[1] + n[1], first[2] + n[2]}};
  bands.symmetric = m.symmetric();
  if (rehearses(backend)) {
    allocate_bands(backend, m, bands);
    return bands;
  }
  std::vector<double> sum;
  sum.reserve(static_cast<std::size_t>(own.size()));
  for_each_place(own, [&](int x, int y, int z) { sum.push_back(diagonal[m.place(x, y, z)]); });
  std::vector<double> size = sum;
  const double all = std::accumulate(sum.begin(), sum.end(), 0.0);
  bands.scale = std::ldexp(1.0, -std::ilogb(processes.sum(all) / static_cast<double>(m.points())));

  const auto host = make_cpu_backend();
  // Stores the values f(x, y, z) of this process's points in a field.
  const auto upload = [&](const auto& f) {
    auto field = std::make_shared<Field>(backend, bands.space, Precision::fp64);
    Field staging(*host, bands.space, Precision::fp64);
    const auto view = staging.view<double>();
    for_each_place(own, [&](int x, int y, int z) { view(x - first[0], y - first[1], z - first[2]) = f(x, y, z); });
    transfer(staging, *field);
    if (!bands.space.is_global()) backend.exchange(*field, cut_halo);
    return field;
  };

  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    const Offset& o = m.offsets[b];
    if (o == Offset{}) continue;
    std::size_t row = 0;
    for_each_place(own, [&](int x, int y, int z) {
      const double a = m.entries[b][m.place(x, y, z)];
      sum[row] += a;
      size[row++] += std::abs(a);
    });
    // If the file omits the opposite of a band, both bands are zero within the tolerance.
    if (bands.symmetric && !is_forward(o)) continue;
    const std::size_t back = band_of(m, opposite(o));
    bands.offsets.push_back(o);
    bands.entries.push_back(upload([&](int x, int y, int z) {
      double a = m.entries[b][m.place(x, y, z)];
      const Offset there = neighbour({x, y, z}, o);
      if (bands.symmetric && on_grid(m, there))
        a = 0.5 * (a + (back < m.offsets.size() ? m.entries[back][m.place(there[0], there[1], there[2])] : 0));
      return -bands.scale * a;
    }));
  }
  // Row sums within rounding become zero. If all row sums are small and both signs occur, the tolerance is 1e-5,
  // because the file may contain few digits.
  double least = 0, most = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    least = std::min(least, sum[i] / size[i]);
    most = std::max(most, sum[i] / size[i]);
  }
  least = processes.least(least);
  most = processes.largest(most);
  const double written = least < -0.1 * most && std::max(most, -least) < 1e-5 ? 1e-5 : 1e-14;
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (std::abs(sum[i]) <= written * size[i]) sum[i] = 0;
  bands.singular = bands.symmetric && !processes.any(std::ranges::any_of(sum, [](double s) { return s != 0; }));
  std::size_t row = 0;
  bands.sum = upload([&](int, int, int) { return bands.scale * sum[row++]; });
  return bands;
}

}  // namespace poisson
