#pragma once

// These problems have known solutions: the source and the face data follow by analytic differentiation.

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// Evaluates level + sin(frequency·s + phase), one factor of a product.
struct SineFactor {
  double level = 1, frequency = 0, phase = 0;
};

/// Contains the value and derivatives of a function at a point.
struct Jet {
  double value = 0;
  std::array<double, 3> first{};   ///< ∂/∂x_d
  std::array<double, 3> second{};  ///< ∂²/∂x_d²
};

/// Evaluates a function of space with one factor per axis; the third is 1 in two dimensions.
struct SineProduct {
  std::array<SineFactor, 3> factors;

  Jet at(const std::array<double, 3>& point) const {
    std::array<double, 3> f{1, 1, 1}, df{}, ddf{};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [level, w, phase] = factors[d];
      if (w == 0 && level == 1 && phase == 0) continue;
      const double sine = std::sin(w * point[d] + phase);
      f[d] = level + sine;
      df[d] = w * std::cos(w * point[d] + phase);
      ddf[d] = -w * w * sine;
    }
    Jet jet{f[0] * f[1] * f[2], {}, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      const double others = f[(d + 1) % 3] * f[(d + 2) % 3];
      jet.first[d] = df[d] * others;
      jet.second[d] = ddf[d] * others;
    }
    return jet;
  }
};

/// Evaluates scale·(1 + amplitude·shape), which is positive for amplitudes below 1.
struct Modulated {
  double scale = 1, amplitude = 0;
  SineProduct shape;

  Jet at(const std::array<double, 3>& point) const {
    if (amplitude == 0) return {scale, {}, {}};
    Jet jet = shape.at(point);
    jet.value = scale * (1 + amplitude * jet.value);
    for (double& d : jet.first) d *= scale * amplitude;
    for (double& d : jet.second) d *= scale * amplitude;
    return jet;
  }
  double value(const std::array<double, 3>& point) const { return at(point).value; }
  /// Returns a plain number if nothing varies.
  Quantity quantity() const {
    if (amplitude == 0) return scale;
    return Quantity([*this](double x, double y, double z) { return value({x, y, z}); });
  }
};

/// Describes the equation and its boundary kinds. `lengths` are those of the box, which begins at 0.
struct Manufactured {
  int dimension = 3;
  std::array<double, 3> lengths{1, 1, 1};
  std::array<std::array<BoundaryKind, 2>, 3> kinds{};
  bool isotropic = true;
  std::array<Modulated, 3> kappa;  ///< per direction; isotropic: only the first
  Modulated sigma{0, 0, {}};
  Modulated alpha;
  SineProduct solution;

  /// Returns the frequency of sines along an axis: `open`, or one period if the axis is periodic.
  double frequency(std::size_t d, double open) const {
    if (d >= static_cast<std::size_t>(dimension)) return 0;
    return kinds[d][0] == BoundaryKind::periodic ? 2 * std::numbers::pi / lengths[d] : open;
  }
  /// Returns sines around `level` that suit the boundary kinds.
  SineProduct product(double level, const std::array<double, 3>& open, const std::array<double, 3>& phase) const {
    SineProduct p;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      p.factors[d] = {level, frequency(d, open[d]), phase[d]};
    return p;
  }

  const Modulated& coefficient(std::size_t d) const { return kappa[isotropic ? 0 : d]; }
  double source(const std::array<double, 3>& point) const {
    const Jet u = solution.at(point);
    double f = sigma.value(point) * u.value;
    const Jet isotropic_kappa = kappa[0].at(point);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      const Jet k = isotropic ? isotropic_kappa : kappa[d].at(point);
      f -= k.first[d] * u.first[d] + k.value * u.second[d];
    }
    return f;
  }
  /// Returns the datum of the face at an end of axis d.
  double face_value(std::size_t d, std::size_t end, const std::array<double, 3>& point) const {
    const BoundaryKind kind = kinds[d][end];
    const Jet u = solution.at(point);
    if (kind == BoundaryKind::dirichlet) return u.value;
    const double flux = (end == 0 ? -1 : 1) * coefficient(d).value(point) * u.first[d];
    return kind == BoundaryKind::robin ? flux + alpha.value(point) * u.value : flux;
  }

  Problem problem(const std::array<std::vector<double>, 3>& nodes) const {
    Problem p;
    p.dimension = dimension;
    p.nodes = nodes;
    p.isotropic = isotropic;
    for (std::size_t d = 0; d < 3; ++d) p.coefficient[d] = coefficient(d).quantity();
    p.reaction = sigma.quantity();
    p.source = [*this](double x, double y, double z) { return source({x, y, z}); };
    p.exact = [*this](double x, double y, double z) { return solution.at({x, y, z}).value; };
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      for (std::size_t end = 0; end < 2; ++end)
        p.boundary[d][end] = {kinds[d][end],
                              [*this, d, end](double x, double y, double z) {
                                return face_value(d, end, {x, y, z});
                              },
                              alpha.quantity()};
    return p;
  }
};

/// Tabulates a function on the product of three axes, as if read from a file.
inline Quantity tabulated(const Quantity& quantity, const std::array<std::vector<double>, 3>& axes, Location location) {
  GridArray array;
  array.location = location;
  std::vector<double> x, y, z;
  for (std::size_t d = 0; d < 3; ++d) array.shape[d] = static_cast<std::int64_t>(axes[d].size());
  for (const double c : axes[2])
    for (const double b : axes[1])
      for (const double a : axes[0]) {
        x.push_back(a);
        y.push_back(b);
        z.push_back(c);
      }
  array.values.resize(x.size());
  (*quantity.function())(x, y, z, array.values);
  return array;
}

/// Tabulates a function on the nodes of a problem.
inline Quantity on_nodes(const Quantity& quantity, const Problem& p) {
  std::array<std::vector<double>, 3> axes = p.nodes;
  if (p.dimension == 2) axes[2] = {0};
  return tabulated(quantity, axes, Location::node);
}

}  // namespace poisson
