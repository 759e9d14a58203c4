#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson {

/// Is a cylinder or a sphere in a uniform gradient along x, with a contact or a sheet on its surface. Inside,
/// u = inside · x; outside, u = x (1 + dipole/r^d).
struct RoundCore {
  static constexpr double radius = 0.437;
  static constexpr Point centre{0.012, -0.022, 0.007};

  std::string name;
  int dimension = 2;
  double kappa = 1, resistance = 0, sheet = 0;  ///< κ inside; R of the contact; κ · thickness of the sheet
  double inside = 0, dipole = 0;

  /// κ inside = 1 − (d − 1) dipole/a^d, and the jump a (1 + dipole/a^d − inside) = R κ inside.
  static RoundCore with_contact(std::string name, int d, double kappa, double resistance) {
    RoundCore core{std::move(name), d, kappa, resistance};
    const double rest = d - 1.0;
    core.inside = (1 + rest) / (rest * (1 + resistance * kappa / radius) + kappa);
    core.dipole = (1 - kappa * core.inside) / rest * std::pow(radius, d);
    return core;
  }
  /// inside = 1 + dipole/a^d; the sheet passes (d − 1) sheet inside/a = 1 − (d − 1) dipole/a^d − κ inside.
  static RoundCore with_sheet(std::string name, int d, double kappa, double sheet) {
    RoundCore core{std::move(name), d, kappa, 0, sheet};
    const double rest = d - 1.0;
    core.inside = (1 + rest) / (rest + kappa + rest * sheet / radius);
    core.dipole = (core.inside - 1) * std::pow(radius, d);
    return core;
  }

  /// Returns the distance of a point from the centre along each axis.
  Point from_centre(double x, double y, double z) const {
    return {x - centre[0], y - centre[1], dimension == 2 ? 0 : z - centre[2]};
  }
  double u(double x, double y, double z) const {
    const Point p = from_centre(x, y, z);
    const double r = std::hypot(p[0], p[1], p[2]);
    return r < radius ? inside * p[0] : p[0] * (1 + dipole / std::pow(r, dimension));
  }

  /// Returns the problem in [−1, 1]^d with the exact u on all faces.
  Problem problem(const std::array<int, 3>& cells, Surfaces surfaces) const {
    Problem p = dimension == 2 ? square_in_cells(1) : cube_in_cells(1);
    const auto exact = [core = *this](double x, double y, double z) { return core.u(x, y, z); };
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      p.nodes[d] = uniform_nodes(-1, 1, cells[d]);
      for (Boundary& face : p.boundary[d]) face = Boundary{BoundaryKind::dirichlet, exact};
    }
    MediaBuilder media;
    media.add("background", 1);
    media.add("core", kappa);
    media.body("core", make_ellipsoid(centre, {radius, radius, dimension == 2 ? Bounds::far : radius}));
    if (resistance > 0) media.contact("core", "background", resistance);
    if (sheet > 0) media.sheet("core", 1e-3, sheet / 1e-3);
    media.use(p, surfaces);
    return p;
  }
};
inline void PrintTo(const RoundCore& core, std::ostream* out) {
  *out << core.name;
}

/// Contains the rms and the largest error of u, the rms error in cells at least two cells away from the surface, and
/// the error of the gradient inside. The outer gradient is 1.
struct CoreErrors {
  double rms = 0, most = 0, away = 0, inside = 0;
};

inline CoreErrors errors_of(const RoundCore& core, const std::array<int, 3>& cells, Surfaces surfaces) {
  Solve solve(core.problem(cells, surfaces), to_tolerance(1e-10));
  EXPECT_TRUE(solve.run().converged());
  const MediaSystem& system = *solve.discretization().media();
  const std::vector<double> u = values(solve.solution());
  const double layer = 4.0 / *std::min_element(cells.begin(), cells.begin() + core.dimension);
  CoreErrors errors;
  double count = 0, far = 0, moment = 0, squares = 0;
  std::size_t at = 0;
  for_each(solve.block().layout().box(), [&](int i, int j, int k) {
    const double here = u[at++];
    const Point c = system.cells().centre(i, j, k);
    const double error = std::abs(here - core.u(c[0], c[1], c[2]));
    errors.most = std::max(errors.most, error);
    errors.rms += error * error;
    ++count;
    const Point p = core.from_centre(c[0], c[1], c[2]);
    const double r = std::hypot(p[0], p[1], p[2]);
    if (std::abs(r - core.radius) > layer) {
      errors.away += error * error;
      ++far;
    }
    if (r > 0.8 * core.radius) return;
    moment += here * p[0];
    squares += p[0] * p[0];
  });
  errors.rms = std::sqrt(errors.rms / count);
  errors.away = std::sqrt(errors.away / far);
  errors.inside = std::abs(moment / squares - core.inside);
  return errors;
}

/// Prints the errors on two grids, and returns the order of the rms error.
inline double order_of(const RoundCore& core, const CoreErrors& coarse, const CoreErrors& fine, double ratio) {
  const double order = std::log(coarse.rms / fine.rms) / std::log(ratio);
  std::printf("%s: rms %.2e to %.2e, order %.2f; away %.2e to %.2e; max %.2e to %.2e; inside %.2e to %.2e of %.3f\n",
              core.name.c_str(), coarse.rms, fine.rms, order, coarse.away, fine.away, coarse.most, fine.most,
              coarse.inside, fine.inside, core.inside);
  return order;
}

}  // namespace poisson
