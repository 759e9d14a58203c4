#include "solver/direct/axis_modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "backends/transforms/blas.hpp"
#include "backends/transforms/trig_tables.hpp"

namespace poisson {
namespace {

// Mirrored couplings that differ by less count as equal. Folding uses their mean, and refinement corrects the
// difference.
constexpr double mirrored = 1e-10;

// Bounds the ratio of the diagonal of a consistent mass matrix of linear elements to its least eigenvalue.
constexpr double consistent_mass = 3;

bool alike(double a, double b) {
  return std::abs(a - b) <= mirrored * std::max(std::abs(a), std::abs(b));
}

// Returns the even or odd half of a folded pencil.
AxisPencil half_of(const AxisPencil& p, bool even) {
  const std::size_t n = p.size(), pairs = n / 2, half = even ? n - pairs : pairs;
  const auto mean = [&](const std::vector<double>& v, std::size_t i, std::size_t k) { return 0.5 * (v[i] + v[k]); };
  AxisPencil h;
  h.inner = p.inner;
  // Values run from the end to the middle.
  for (std::size_t i = 0; i < half; ++i) {
    h.sum.push_back(mean(p.sum, i, n - 1 - i));
    h.mass.push_back(mean(p.mass, i, n - 1 - i));
    const bool joined = i + 1 < half;
    h.coupling.push_back(joined ? mean(p.coupling, i, n - 2 - i) : 0);
    h.mass_off.push_back(joined ? mean(p.mass_off, i, n - 2 - i) : 0);
  }
  const auto couple_to_itself = [&](std::size_t i, double coupling, double off) {
    h.mass[i] += even ? off : -off;
    if (!even) h.sum[i] += 2 * coupling;
  };
  if (pairs > 0 && n % 2 == 0) couple_to_itself(pairs - 1, p.coupling[pairs - 1], p.mass_off[pairs - 1]);
  if (pairs > 0 && n % 2 == 1) {
    if (even) {  // scales the middle value by √½
      h.sum[pairs] /= 2;
      h.mass[pairs] /= 2;
    } else {
      h.sum[pairs - 1] += mean(p.coupling, pairs - 1, pairs);
    }
  }
  if (pairs > 0 && p.closed) couple_to_itself(0, p.coupling[n - 1], p.mass_off[n - 1]);
  if (even) return h;
  // The odd half runs from the middle to the end.
  std::ranges::reverse(h.sum);
  std::ranges::reverse(h.mass);
  const auto turn = [](std::vector<double>& between) {  // the last entry couples nothing
    std::reverse(between.begin(), between.end() - (between.empty() ? 0 : 1));
  };
  turn(h.coupling);
  turn(h.mass_off);
  return h;
}

void add_rows(const AxisPencil& p, std::size_t first, std::size_t last, AxisLines& lines) {
  for (std::size_t i = first; i < last; ++i) {
    const double before = i > 0 ? p.mass_off[i - 1] : p.closed ? p.mass_off.back() : 0;
    lines.sum.push_back(p.sum[i]);
    lines.coupling.push_back(p.coupling[i]);
    lines.mass_sum.push_back(before + p.mass[i] + p.mass_off[i]);
    lines.mass_off.push_back(p.mass_off[i]);
  }
}

// Returns vᵀKv of a mode with vᵀMv = 1 as a sum of squares. Nothing cancels, so an eigenvalue far below the largest one
// keeps its digits. LAPACK's eigenvalue has an error of one rounding of the largest.
double rayleigh_quotient(const AxisPencil& p, std::span<const double> v) {
  const std::size_t n = p.size();
  double value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    value += p.sum[i] * v[i] * v[i];
    if (i + 1 < n) value += p.coupling[i] * (v[i + 1] - v[i]) * (v[i + 1] - v[i]);
  }
  if (p.closed && n > 1) value += p.coupling[n - 1] * (v[0] - v[n - 1]) * (v[0] - v[n - 1]);
  return value;
}

// Appends the modes of a full or half pencil, computed by LAPACK.
void decompose(const AxisPencil& p, bool has_constant, AxisBasis& basis) {
  const std::size_t n = p.size();
  if (n == 0) return;
  std::vector<double> values(n), vectors(n * n);
  const bool lumped = std::ranges::all_of(p.mass_off, [](double off) { return off == 0; });
  if (lumped && !p.closed) {
    std::vector<double> off(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = p.diagonal(i) / p.mass[i];
      if (i + 1 < n) off[i] = -p.coupling[i] / std::sqrt(p.mass[i] * p.mass[i + 1]);
    }
    Blas::get().tridiagonal_eigenvectors(values, off, vectors);
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t i = 0; i < n; ++i) vectors[m * n + i] /= std::sqrt(p.mass[i]);
  } else {
    std::vector<double> M(n * n);
    const auto add = [&](std::size_t i, std::size_t k, double stiffness, double mass) {
      vectors[k * n + i] += stiffness;
      M[k * n + i] += mass;
      if (i == k) return;
      vectors[i * n + k] += stiffness;
      M[i * n + k] += mass;
    };
    for (std::size_t i = 0; i < n; ++i) {
      add(i, i, p.diagonal(i), p.mass[i]);
      if (i + 1 < n) add(i + 1, i, -p.coupling[i], p.mass_off[i]);
    }
    if (p.closed && n > 1) add(n - 1, 0, -p.coupling[n - 1], p.mass_off[n - 1]);
    Blas::get().eigenvectors(vectors, M, values);
  }
  for (std::size_t m = 0; m < n; ++m) values[m] = rayleigh_quotient(p, std::span(vectors).subspan(m * n, n));
  if (has_constant) {  // set exactly: lines of this mode are singular if nothing else constrains them
    values.front() = 0;
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i) mass += p.mass[i] + (i + 1 < n ? 2 * p.mass_off[i] : 0);
    if (p.closed && n > 1) mass += 2 * p.mass_off[n - 1];
    std::fill_n(vectors.begin(), n, 1 / std::sqrt(mass));
  }
  basis.eigenvalues.insert(basis.eigenvalues.end(), values.begin(), values.end());
  basis.modes.insert(basis.modes.end(), vectors.begin(), vectors.end());
}

// Tabulates sin and cos of 2π q/period for integers q.
class TrigTransforms {
 public:
  explicit TrigTransforms(int period) : period_(period) {
    for (int q = 0; q < period; ++q) sine_.push_back(std::sin(2 * std::numbers::pi * q / period));
  }
  double sine(std::int64_t q) const { return sine_[static_cast<std::size_t>(((q % period_) + period_) % period_)]; }
  double cosine(std::int64_t q) const { return sine(q + period_ / 4); }

 private:
  int period_;
  std::vector<double> sine_;
};

// Scales the modes of a full or half pencil to vᵀMv = 1.
void normalize(const AxisPencil& p, std::span<double> modes) {
  const std::size_t n = p.size();
  for (std::size_t m = 0; m < n; ++m) {
    const auto v = modes.subspan(m * n, n);
    double square = 0;
    for (std::size_t i = 0; i < n; ++i)
      square += v[i] * (p.mass[i] * v[i] + (i + 1 < n ? 2 * p.mass_off[i] * v[i + 1] : 0));
    for (double& value : v) value /= std::sqrt(square);
  }
}

// Contains λ of K v = λ M v, and the factor by which a row of M multiplies v. The phase of v changes by π·wave/(2N)
// from cell to cell.
struct TrigValue {
  double eigenvalue, mass;
};
TrigValue value_of(const AxisPencil& p, int wave, int N) {
  const double s = std::sin(std::numbers::pi * wave / (4.0 * N));
  const double mass = p.inner.mass + 2 * p.inner.mass_off * (1 - 2 * s * s);
  return {4 * p.inner.coupling * s * s / mass, mass};
}

// Returns the modes on N equal cells. Value i of mode k is the sine or cosine of 2π w p/(8N). The wave w is 2k or 2k +
// 1, and p is twice the distance from the lower end in cells. On periodic axes w = 4k, and p is twice the distance from
// the middle.
AxisBasis closed_modes(const Axis& axis, const AxisPencil& p) {
  const int N = axis.all_cells(), n = static_cast<int>(p.size());
  const TrigTransforms trig(8 * N);
  const bool closed = axis.closed(), cells = axis.centering() == Centering::cell;
  const bool dirichlet[2]{axis.kind(0) == BoundaryKind::dirichlet, axis.kind(1) == BoundaryKind::dirichlet};
  AxisBasis basis;
  basis.folded = p.symmetric();
  const int half = basis.first_half(n);
  for (int part = 0; part < 2; ++part) {
    const int rows = part == 0 ? half : n - half, first = part == 0 ? 0 : half;
    std::vector<double> modes;
    for (int m = 0; m < rows; ++m) {
      int wave = 0;
      bool sine = dirichlet[0];
      if (closed) {
        sine = part == 1;
        wave = 4 * (sine ? m + 1 : m);
      } else if (dirichlet[0] != dirichlet[1]) {
        wave = 2 * m + 1;
      } else {  // number of half trig; sines start at one, and odd numbers of them are even about the middle
        wave = 2 * (2 * m + part + (sine ? 1 : 0));
      }
      for (int i = first; i < first + rows; ++i) {
        const int at = closed ? 2 * i - (n - 1) : 2 * (i + axis.first()) + (cells ? 1 : 0);
        const std::int64_t phase = std::int64_t{wave} * at;
        modes.push_back(sine ? trig.sine(phase) : trig.cosine(phase));
      }
      basis.eigenvalues.push_back(value_of(p, wave, N).eigenvalue);
    }
    if (rows > 0) normalize(basis.folded ? half_of(p, part == 0) : p, modes);
    basis.modes.insert(basis.modes.end(), modes.begin(), modes.end());
  }
  return basis;
}

}  // namespace

double AxisPencil::diagonal(std::size_t i) const {
  const double before = i > 0 ? coupling[i - 1] : closed ? coupling[size() - 1] : 0;
  return sum[i] + before + coupling[i];
}

bool AxisPencil::symmetric() const {
  const std::size_t n = size();
  if (n == 1) return false;  // one value cannot be folded
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t image = n - 1 - i;
    if (!alike(sum[i], sum[image]) || !alike(mass[i], mass[image])) return false;
    if (i + 1 < n && (!alike(coupling[i], coupling[n - 2 - i]) || !alike(mass_off[i], mass_off[n - 2 - i])))
      return false;
  }
  return true;
}

AxisPencil axis_pencil(const Axis& axis, double kappa, double stiffness, double unit, const ElementMass* mass) {
  AxisPencil p;
  p.closed = axis.closed();
  const int first = axis.first(), last = axis.last();
  for (int i = first; i < last; ++i) {
    const bool inside = i + 1 < last || p.closed;
    double sum = 0;
    if (i == first && !p.closed) sum += axis.coupling(i - 1, kappa);
    if (i + 1 == last && !p.closed) sum += axis.coupling(i, kappa);
    p.sum.push_back(stiffness * sum);
    p.coupling.push_back(inside ? stiffness * axis.coupling(i, kappa) : 0);
    p.mass.push_back((mass ? mass->own * (axis.width(i - 1) + axis.width(i)) : axis.mass(i)) / unit);
    p.mass_off.push_back(mass && inside ? mass->off * axis.width(i) / unit : 0);
  }
  const double h = axis.width(0);
  p.inner = {stiffness * kappa / h, (mass ? 2 * mass->own : 1) * h / unit, mass ? mass->off * h / unit : 0};
  return p;
}

bool has_closed_modes(const Axis& axis) {
  const auto plain = [&](int end) {
    return axis.kind(end) == BoundaryKind::dirichlet || axis.kind(end) == BoundaryKind::neumann;
  };
  return axis.equidistant() && (axis.closed() || (plain(0) && plain(1)));
}

TrigAxis trig_axis(const Axis& axis) {
  if (!has_closed_modes(axis) || axis.degenerate() || !is_transformable(axis.all_cells())) return {};
  const bool cells = axis.centering() == Centering::cell;
  const bool lower = axis.kind(0) == BoundaryKind::dirichlet, upper = axis.kind(1) == BoundaryKind::dirichlet;
  TrigAxis trig;
  trig.kind = axis.closed()    ? TrigKind::periodic
              : lower != upper ? (cells ? TrigKind::mixed_cells : TrigKind::mixed_nodes)
              : cells          ? TrigKind::cells
              : lower          ? TrigKind::sines
                               : TrigKind::cosines;
  trig.lower_dirichlet = lower;
  trig.cells = axis.all_cells();
  return trig;
}

AxisBasis trig_modes(const TrigAxis& trig, const AxisPencil& pencil) {
  AxisBasis basis;
  basis.trig = trig;
  for (int position = 0; position < trig.values(); ++position) {
    const TrigValue value = value_of(pencil, wave_at(trig, position), trig.cells);
    basis.eigenvalues.push_back(value.eigenvalue);
    basis.weights.push_back(1 / (value.mass * square_of_wave(trig, position)));
  }
  return basis;
}

AxisBasis axis_modes(const Axis& axis, const AxisPencil& pencil) {
  if (has_closed_modes(axis)) return closed_modes(axis, pencil);
  const bool has_constant = std::ranges::all_of(pencil.sum, [](double s) { return s == 0; });
  AxisBasis basis;
  basis.folded = pencil.symmetric();
  if (!basis.folded) {
    decompose(pencil, has_constant, basis);
    return basis;
  }
  decompose(half_of(pencil, true), has_constant, basis);
  decompose(half_of(pencil, false), false, basis);
  return basis;
}

AxisSpectrum spectrum_bounds(const AxisPencil& p) {
  const std::size_t n = p.size();
  AxisSpectrum bounds;
  const bool lumped = std::ranges::all_of(p.mass_off, [](double off) { return off == 0; });
  for (std::size_t i = 0; i < n; ++i) bounds.largest_ratio = std::max(bounds.largest_ratio, p.diagonal(i) / p.mass[i]);
  if (!lumped) bounds.largest_ratio *= consistent_mass;
  const auto mass = [&](std::size_t i) {
    const double before = i > 0 ? p.mass_off[i - 1] : p.closed ? p.mass_off[n - 1] : 0;
    return before + p.mass[i] + p.mass_off[i];
  };
  // These are the conductances from each value to the ground on either side, along the axis and without its periodic
  // closure. Removing a coupling increases resistances and decreases the bound.
  std::vector<double> below(n), above(n);
  const auto in_series = [](double a, double b) { return a > 0 && b > 0 ? 1 / (1 / a + 1 / b) : 0; };
  for (std::size_t i = 1; i < n; ++i) below[i] = in_series(below[i - 1] + p.sum[i - 1], p.coupling[i - 1]);
  for (std::size_t i = n - 1; i-- > 0;) above[i] = in_series(above[i + 1] + p.sum[i + 1], p.coupling[i]);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += mass(i) / (below[i] + p.sum[i] + above[i]);
  bounds.least = trace < std::numeric_limits<double>::infinity() ? 1 / trace : 0;
  // On vectors without a mean, the bound is the mean resistance between all pairs of masses.
  double passed = 0, all = 0, pairs = 0;
  for (std::size_t i = 0; i < n; ++i) all += mass(i);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    passed += mass(i);
    pairs += passed * (all - passed) / p.coupling[i];
  }
  bounds.least_beside_constants = pairs > 0 ? all / pairs : std::numeric_limits<double>::infinity();
  return bounds;
}

bool can_have_lines(const AxisPencil& pencil) {
  return !pencil.closed || pencil.symmetric();
}

AxisLines axis_lines(const AxisPencil& pencil) {
  AxisLines lines;
  if (!pencil.closed) {
    add_rows(pencil, 0, pencil.size(), lines);
  } else {
    for (const bool even : {true, false}) {
      const AxisPencil half = half_of(pencil, even);
      add_rows(half, 0, half.size(), lines);
    }
  }
  return lines;
}

AxisLines part_of_lines(const AxisPencil& pencil, int first, int last) {
  AxisLines lines;
  add_rows(pencil, static_cast<std::size_t>(first), static_cast<std::size_t>(last), lines);
  return lines;
}

}  // namespace poisson
