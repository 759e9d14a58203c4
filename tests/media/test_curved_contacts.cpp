// Contacts on surfaces of bodies that are not parallel to faces: orders against exact solutions.

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr auto D = BoundaryKind::dirichlet;
constexpr double radius = 0.437;
const Point centre{0.012, -0.022, 0.007};

/// Is a cylinder or a sphere in a uniform gradient along x, with a contact on its surface. Inside, u = inside · x;
/// outside, u = x (1 + dipole/r^d).
struct Core {
  std::string name;
  int dimension;
  double kappa, resistance;
  double inside = 0, dipole = 0;

  Core(std::string called, int d, double k, double r) : name(std::move(called)), dimension(d), kappa(k), resistance(r) {
    // κ inside = 1 − (d − 1) dipole/a^d, and the jump a (1 + dipole/a^d − inside) = R κ inside.
    const double power = std::pow(radius, d), rest = d - 1.0;
    inside = (1 + rest) / (rest * (1 + resistance * kappa / radius) + kappa);
    dipole = (1 - kappa * inside) / rest * power;
  }
  double u(double x, double y, double z) const {
    const Point p{x - centre[0], y - centre[1], dimension == 2 ? 0 : z - centre[2]};
    const double r = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return r < radius ? inside * p[0] : p[0] * (1 + dipole / std::pow(r, dimension));
  }
};
void PrintTo(const Core& core, std::ostream* out) {
  *out << core.name;
}

Options tight() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-10;
  o.precision = SolvePrecision::double_;
  return o;
}

/// Contains errors relative to the largest u: rms, largest, and that of the gradient inside.
struct Errors {
  double rms = 0, most = 0, inside = 0;
};

Errors errors_of(const Core& core, int cells, Surfaces surfaces) {
  Problem p = core.dimension == 2 ? square_in_cells(cells) : cube_in_cells(cells);
  const auto exact = [core](double x, double y, double z) { return core.u(x, y, z); };
  for (std::size_t d = 0; d < static_cast<std::size_t>(core.dimension); ++d) {
    p.nodes[d] = uniform_nodes(-1, 1, cells);
    for (Boundary& face : p.boundary[d]) face = Boundary{D, exact};
  }
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", core.kappa);
  media.body("core", make_ellipsoid(centre, {radius, radius, core.dimension == 2 ? Bounds::far : radius}));
  media.contact("core", "background", core.resistance);
  media.use(p, surfaces);
  Solve solve(p, tight());
  EXPECT_TRUE(solve.run().converged());
  const MediaSystem& system = *solve.discretization().media();
  const std::vector<double> u = values(solve.solution());
  Errors errors;
  double sum = 0, count = 0, moment = 0, squares = 0;
  std::size_t at = 0;
  for_each(solve.block().layout().box(), [&](int i, int j, int k) {
    const double here = u[at++];
    const Point c = system.cells().centre(i, j, k);
    const double error = std::abs(here - core.u(c[0], c[1], c[2]));
    errors.most = std::max(errors.most, error);
    sum += error * error;
    ++count;
    const double x = c[0] - centre[0], y = c[1] - centre[1], z = core.dimension == 2 ? 0 : c[2] - centre[2];
    if (x * x + y * y + z * z > 0.64 * radius * radius) return;
    moment += here * x;
    squares += x * x;
  });
  errors.rms = std::sqrt(sum / count);
  errors.inside = std::abs(moment / squares / core.inside - 1);
  return errors;
}

class CurvedContacts : public testing::TestWithParam<Core> {};

TEST_P(CurvedContacts, ActOnTheirTrueArea) {
  const Core& core = GetParam();
  const std::array<int, 2> cells = core.dimension == 2 ? std::array{64, 256} : std::array{32, 64};
  for (const Surfaces surfaces : {Surfaces::sharp, Surfaces::averaged}) {
    const Errors coarse = errors_of(core, cells[0], surfaces), fine = errors_of(core, cells[1], surfaces);
    const double ratio = std::log(static_cast<double>(cells[1]) / cells[0]);
    const double order = std::log(coarse.rms / fine.rms) / ratio;
    std::printf("%s: rms %.2e to %.2e, order %.2f; max %.2e to %.2e; inside %.2e to %.2e\n", core.name.c_str(),
                coarse.rms, fine.rms, order, coarse.most, fine.most, coarse.inside, fine.inside);
    EXPECT_GT(order, 1.2);
    EXPECT_LT(core.dimension == 2 ? coarse.rms : fine.rms, 2e-3);
    EXPECT_LT(core.dimension == 2 ? coarse.inside : fine.inside, 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Exact, CurvedContacts,
                         testing::Values(Core("cylinder, same", 2, 1, 0.5), Core("cylinder, small", 2, 1, 0.1),
                                         Core("cylinder, large", 2, 1, 5), Core("cylinder, better", 2, 10, 0.2),
                                         Core("cylinder, worse", 2, 0.1, 0.5), Core("sphere, same", 3, 1, 0.3),
                                         Core("sphere, large", 3, 1, 3), Core("sphere, better", 3, 10, 0.2),
                                         Core("sphere, worse", 3, 0.1, 0.5)));

/// A contact on a plane that crosses the grid at an angle, between two materials: the exact solution is linear on both
/// sides, also if it varies along the plane.
TEST(ObliqueContacts, OfPlanesConverge) {
  for (const double degrees : {0.0, 17.0, 30.0, 45.0, 63.0}) {
    const double angle = degrees * M_PI / 180, nx = std::cos(angle), ny = std::sin(angle);
    for (const double tangential : {0.0, 1.0}) {
      constexpr double kappa = 3, resistance = 0.4, offset = 0.0137;
      const auto exact = [=](double x, double y, double) {
        const double n = nx * x + ny * y - offset, t = ny * x - nx * y;
        return (n < 0 ? n : n / kappa + resistance) + tangential * t;
      };
      std::array<double, 2> rms{};
      for (const std::size_t level : {0U, 1U}) {
        const int cells = level == 0 ? 64 : 128;
        Problem p = square_in_cells(cells);
        for (std::size_t d = 0; d < 2; ++d) {
          p.nodes[d] = uniform_nodes(-1, 1, cells);
          for (Boundary& face : p.boundary[d]) face = Boundary{D, exact};
        }
        MediaBuilder media;
        media.add("background", 1);
        media.add("beyond", kappa);
        media.body("beyond",
                   make_moved(make_box({offset, -9, -9}, {9, 9, 9}), Motion::rotation({0, 0, 1}, angle, {0, 0, 0})));
        media.contact("beyond", "background", resistance);
        media.use(p, Surfaces::sharp);
        Solve solve(p, tight());
        ASSERT_TRUE(solve.run().converged());
        const std::vector<double> u = values(solve.solution());
        double sum = 0;
        std::size_t at = 0;
        for_each(solve.block().layout().box(), [&](int i, int j, int k) {
          const Point c = solve.discretization().media()->cells().centre(i, j, k);
          sum += std::pow(u[at++] - exact(c[0], c[1], 0), 2);
        });
        rms[level] = std::sqrt(sum / (cells * cells));
      }
      std::printf("%g degrees, tangential %g: rms %.2e and %.2e\n", degrees, tangential, rms[0], rms[1]);
      EXPECT_LT(rms[0], 1e-2);
      EXPECT_LT(rms[1], 0.7 * rms[0] + 1e-9);
    }
  }
}

}  // namespace
}  // namespace poisson
