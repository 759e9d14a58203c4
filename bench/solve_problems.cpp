#include "bench/solve_problems.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson::bench {
namespace {

constexpr double pi = std::numbers::pi;

// Tabulates sin kπx and cos kπx at the nodes of n cells, their centres, and the sample points of sources. With a few
// billion points, computing sines would be slow.
class TrigTransforms {
 public:
  explicit TrigTransforms(int n) : n_(n) {
    for (std::size_t k = 0; k <= highest; ++k)
      for (int i = 0; i <= parts * n; ++i) {
        sin_[k].push_back(std::sin(static_cast<double>(k) * pi * i / (parts * n)));
        cos_[k].push_back(std::cos(static_cast<double>(k) * pi * i / (parts * n)));
      }
  }
  double sin(std::size_t k, double x) const { return sin_[k][at(x)]; }
  double cos(std::size_t k, double x) const { return cos_[k][at(x)]; }

  /// Returns the factor by which the mean over the sample points of a control volume, on both sides of its node,
  /// multiplies sin kπx.
  double mean(int k) const { return std::cos(k * pi * part_point / n_); }
  /// Returns the eigenvalue of −Δ_h for sin kπx, a sum over neighbours at the distance of one cell.
  double eigenvalue(int k) const {
    const double s = 2 * n_ * std::sin(k * pi / (2 * n_));
    return s * s;
  }

 private:
  static constexpr std::size_t highest = 7;
  static constexpr int parts = 40;  // per cell
  static_assert(parts * part_point == 3);
  std::size_t at(double x) const { return static_cast<std::size_t>(std::lround(parts * n_ * x)); }

  int n_;
  std::array<std::vector<double>, highest + 1> sin_, cos_;
};

// Evaluates a sin πx sin πy sin πz + b sin 7πx sin 5πy sin 3πz, line by line.
Quantity waves(std::shared_ptr<const TrigTransforms> w, double a, double b) {
  return Quantity::Function([w = std::move(w), a, b](std::span<const double> x, std::span<const double> y,
                                                     std::span<const double> z, std::span<double> values) {
    if (values.empty()) return;
    const double slow = a * w->sin(1, y[0]) * w->sin(1, z[0]), fast = b * w->sin(5, y[0]) * w->sin(3, z[0]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = slow * w->sin(1, x[i]) + fast * w->sin(7, x[i]);
  });
}

Problem cube(int n) {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i <= n; ++i) nodes.push_back(static_cast<double>(i) / n);
  return p;
}

}  // namespace

Problem two_trig(int n) {
  const auto w = std::make_shared<const TrigTransforms>(n);
  Problem p = cube(n);
  p.source = waves(w, 3 * pi * pi, 8.3 * pi * pi);
  p.exact = waves(
      w, 3 * pi * pi * std::pow(w->mean(1), 3) / (3 * w->eigenvalue(1)),
      8.3 * pi * pi * w->mean(7) * w->mean(5) * w->mean(3) / (w->eigenvalue(7) + w->eigenvalue(5) + w->eigenvalue(3)));
  return p;
}

Problem smooth_coefficient(int n) {
  const auto w = std::make_shared<const TrigTransforms>(n);
  Problem p = cube(n);
  p.exact = waves(w, 1, 0.1);
  p.coefficient[0] = [w](double x, double y, double z) { return 1 + 0.5 * w->sin(2, x) * w->sin(2, y) * w->sin(2, z); };
  p.source = [w](double x, double y, double z) {
    const double sx = w->sin(2, x), sy = w->sin(2, y), sz = w->sin(2, z);
    const std::array gradient{pi * w->cos(2, x) * sy * sz, pi * sx * w->cos(2, y) * sz, pi * sx * sy * w->cos(2, z)};
    double f = 0;
    const auto add = [&](double a, std::size_t k, std::size_t l, std::size_t m) {
      const double ux = w->sin(k, x), uy = w->sin(l, y), uz = w->sin(m, z);
      f += a * pi * pi * static_cast<double>(k * k + l * l + m * m) * ux * uy * uz * (1 + 0.5 * sx * sy * sz);
      f -= a * pi *
           (gradient[0] * static_cast<double>(k) * w->cos(k, x) * uy * uz +
            gradient[1] * static_cast<double>(l) * ux * w->cos(l, y) * uz +
            gradient[2] * static_cast<double>(m) * ux * uy * w->cos(m, z));
    };
    add(1, 1, 1, 1);
    add(0.1, 7, 5, 3);
    return f;
  };
  return p;
}

Problem stretched(int n, double expansion, int axes) {
  Problem p = cube(n);
  for (auto d = static_cast<std::size_t>(3 - axes); d < 3; ++d)
    p.nodes[d] = geometric_nodes(0, 1, n, geometric_ratio(expansion, n, StretchedEnd::lower), StretchedEnd::lower);
  // Sums a factor times a sin kπx sin πy sin πz over both waves. The x axis, along which lines run, is equidistant.
  const auto sum = [w = std::make_shared<const TrigTransforms>(n)](double slow, double fast) {
    return Quantity::Function(
        [=](std::span<const double> x, std::span<const double> y, std::span<const double> z, std::span<double> values) {
          if (values.empty()) return;
          const double across = std::sin(pi * y[0]) * std::sin(pi * z[0]);
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = across * (slow * w->sin(1, x[i]) + fast * w->sin(7, x[i]));
        });
  };
  p.exact = sum(1, 0.1);
  p.source = sum(3 * pi * pi, 0.1 * 51 * pi * pi);
  return p;
}

Problem jumping_coefficient(int n) {
  Problem p = cube(n);
  p.source = waves(std::make_shared<const TrigTransforms>(n), 3 * pi * pi, 8.3 * pi * pi);
  p.coefficient[0] = [](double x, double y, double z) {
    const double dx = x - 0.5, dy = y - 0.5, dz = z - 0.5;
    return dx * dx + dy * dy + dz * dz < 0.09 ? 1e6 : 1.0;
  };
  return p;
}

}  // namespace poisson::bench
