#pragma once

// Problems whose solution is known: the source and the data of the faces follow from it by analytic derivatives.

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "grids/problem.hpp"

namespace poisson {

/// level + sin(frequency·s + phase): one factor of a product.
struct SineFactor {
  double level = 1, frequency = 0, phase = 0;

  double value(double s) const { return level + std::sin(frequency * s + phase); }
  double first(double s) const { return frequency * std::cos(frequency * s + phase); }
  double second(double s) const { return -frequency * frequency * std::sin(frequency * s + phase); }
};

/// A function of space that is a product of one factor per axis; the third is 1 in two dimensions.
struct SineProduct {
  std::array<SineFactor, 3> factors;

  /// The product with the factor of one axis differentiated `order` times; axis 3 for none.
  double derivative(std::size_t axis, int order, const std::array<double, 3>& at) const {
    double product = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const SineFactor& f = factors[d];
      product *= d != axis || order == 0 ? f.value(at[d]) : order == 1 ? f.first(at[d]) : f.second(at[d]);
    }
    return product;
  }
  double value(const std::array<double, 3>& at) const { return derivative(3, 0, at); }
};

/// scale·(1 + amplitude·shape): positive for amplitudes below 1.
struct Modulated {
  double scale = 1, amplitude = 0;
  SineProduct shape;

  double value(const std::array<double, 3>& at) const { return scale * (1 + amplitude * shape.value(at)); }
  double derivative(std::size_t axis, const std::array<double, 3>& at) const {
    return scale * amplitude * shape.derivative(axis, 1, at);
  }
  /// A plain number where nothing varies.
  Quantity quantity() const {
    if (amplitude == 0) return scale;
    return Quantity([*this](double x, double y, double z) { return value({x, y, z}); });
  }
};

/// The equation and its boundary kinds; `lengths` are those of the box, which begins at 0.
struct Manufactured {
  int dimension = 3;
  std::array<double, 3> lengths{1, 1, 1};
  std::array<std::array<BoundaryKind, 2>, 3> kinds{};
  bool isotropic = true;
  std::array<Modulated, 3> kappa;  ///< one per direction, the first alone where isotropic
  Modulated sigma{0, 0, {}};
  Modulated alpha;
  SineProduct solution;

  /// The frequency of sines along an axis: `open`, or once around where the axis is periodic.
  double frequency(std::size_t d, double open) const {
    if (d >= static_cast<std::size_t>(dimension)) return 0;
    return kinds[d][0] == BoundaryKind::periodic ? 2 * std::numbers::pi / lengths[d] : open;
  }
  /// Sines around `level` that fit the boundary kinds.
  SineProduct product(double level, const std::array<double, 3>& open, const std::array<double, 3>& phase) const {
    SineProduct p;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      p.factors[d] = {level, frequency(d, open[d]), phase[d]};
    return p;
  }

  const Modulated& coefficient(std::size_t d) const { return kappa[isotropic ? 0 : d]; }
  double source(const std::array<double, 3>& at) const {
    double f = sigma.value(at) * solution.value(at);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      f -= coefficient(d).derivative(d, at) * solution.derivative(d, 1, at) +
           coefficient(d).value(at) * solution.derivative(d, 2, at);
    return f;
  }
  /// What the face across axis d at an end is given.
  double face_value(std::size_t d, std::size_t end, const std::array<double, 3>& at) const {
    const BoundaryKind kind = kinds[d][end];
    if (kind == BoundaryKind::dirichlet) return solution.value(at);
    const double flux = (end == 0 ? -1 : 1) * coefficient(d).value(at) * solution.derivative(d, 1, at);
    return kind == BoundaryKind::robin ? flux + alpha.value(at) * solution.value(at) : flux;
  }

  Problem problem(const std::array<std::vector<double>, 3>& nodes) const {
    Problem p;
    p.dimension = dimension;
    p.nodes = nodes;
    p.isotropic = isotropic;
    for (std::size_t d = 0; d < 3; ++d) p.coefficient[d] = coefficient(d).quantity();
    p.reaction = sigma.quantity();
    p.source = [*this](double x, double y, double z) { return source({x, y, z}); };
    p.exact = [*this](double x, double y, double z) { return solution.value({x, y, z}); };
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

}  // namespace poisson
