// Sheets on surfaces of bodies that are not parallel to faces: orders against exact solutions.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;
constexpr double radius = 0.437;
const Point centre{0.012, -0.022, 0.007};

Options tight() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-10;
  o.precision = SolvePrecision::double_;
  return o;
}

/// Is a cylinder or a sphere in a uniform gradient along x, with a sheet on its surface that conducts `sheet` per
/// width. Inside, u = inside · x; outside, u = x (1 + dipole/r^d).
struct Shell {
  std::string name;
  int dimension;
  double kappa, sheet;
  double inside = 0, dipole = 0;

  Shell(std::string called, int d, double k, double s) : name(std::move(called)), dimension(d), kappa(k), sheet(s) {
    // inside = 1 + dipole/a^d; the sheet passes (d − 1) sheet inside/a = 1 − (d − 1) dipole/a^d − κ inside.
    const double rest = d - 1.0;
    inside = (1 + rest) / (rest + kappa + rest * sheet / radius);
    dipole = (inside - 1) * std::pow(radius, d);
  }
  double u(double x, double y, double z) const {
    const Point p{x - centre[0], y - centre[1], dimension == 2 ? 0 : z - centre[2]};
    const double r = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return r < radius ? inside * p[0] : p[0] * (1 + dipole / std::pow(r, dimension));
  }
};
void PrintTo(const Shell& shell, std::ostream* out) {
  *out << shell.name;
}

Problem shell_problem(const Shell& shell, int cells) {
  Problem p = shell.dimension == 2 ? square_in_cells(cells) : cube_in_cells(cells);
  const auto exact = [shell](double x, double y, double z) { return shell.u(x, y, z); };
  for (std::size_t d = 0; d < static_cast<std::size_t>(shell.dimension); ++d) {
    p.nodes[d] = uniform_nodes(-1, 1, cells);
    for (Boundary& face : p.boundary[d]) face = Boundary{D, exact};
  }
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", shell.kappa);
  media.body("core", make_ellipsoid(centre, {radius, radius, shell.dimension == 2 ? Bounds::far : radius}));
  media.sheet("core", 1e-3, shell.sheet / 1e-3);
  media.use(p, Surfaces::sharp);
  return p;
}

/// Contains errors relative to a gradient of 1: rms, largest, and that of the gradient inside.
struct Errors {
  double rms = 0, most = 0, inside = 0;
};

Errors errors_of(const Shell& shell, int cells) {
  Solve solve(shell_problem(shell, cells), tight());
  EXPECT_TRUE(solve.run().converged());
  const std::vector<double> u = values(solve.solution());
  Errors errors;
  double sum = 0, count = 0, moment = 0, squares = 0;
  std::size_t at = 0;
  for_each(solve.block().layout().box(), [&](int i, int j, int k) {
    const double here = u[at++];
    const Point c = solve.discretization().media()->cells().centre(i, j, k);
    const double error = std::abs(here - shell.u(c[0], c[1], c[2]));
    errors.most = std::max(errors.most, error);
    sum += error * error;
    ++count;
    const double x = c[0] - centre[0], y = c[1] - centre[1], z = shell.dimension == 2 ? 0 : c[2] - centre[2];
    if (x * x + y * y + z * z > 0.64 * radius * radius) return;
    moment += here * x;
    squares += x * x;
  });
  errors.rms = std::sqrt(sum / count);
  errors.inside = std::abs(moment / squares - shell.inside);
  return errors;
}

class CurvedSheets : public testing::TestWithParam<Shell> {};

TEST_P(CurvedSheets, ConductAlongTheirSurface) {
  const Shell& shell = GetParam();
  const std::array<int, 2> cells = shell.dimension == 2 ? std::array{64, 256} : std::array{32, 64};
  const Errors coarse = errors_of(shell, cells[0]), fine = errors_of(shell, cells[1]);
  const double ratio = std::log(static_cast<double>(cells[1]) / cells[0]);
  const double order = std::log(coarse.rms / fine.rms) / ratio;
  std::printf("%s: rms %.2e to %.2e, order %.2f; max %.2e to %.2e; inside %.2e to %.2e\n", shell.name.c_str(),
              coarse.rms, fine.rms, order, coarse.most, fine.most, coarse.inside, fine.inside);
  EXPECT_GT(order, shell.dimension == 2 ? 1.1 : 0.9);
  const Errors& at_64 = shell.dimension == 2 ? coarse : fine;
  EXPECT_LT(at_64.rms, 4e-3);
  EXPECT_LT(at_64.inside, shell.dimension == 2 ? 1e-2 : 2.5e-2);
}

INSTANTIATE_TEST_SUITE_P(Exact, CurvedSheets,
                         testing::Values(Shell("cylinder, weak", 2, 1, 0.1), Shell("cylinder, as both", 2, 1, 1),
                                         Shell("cylinder, strong", 2, 1, 100), Shell("cylinder, better core", 2, 10, 2),
                                         Shell("cylinder, worse core", 2, 0.1, 0.5), Shell("sphere, weak", 3, 1, 0.1),
                                         Shell("sphere, as both", 3, 1, 1), Shell("sphere, strong", 3, 1, 100),
                                         Shell("sphere, worse core", 3, 0.1, 0.5)));

/// A sheet on a plane at any angle carries its current along the plane: a linear field is nearly exact. Only faces
/// beside the sheet, which conduct over other distances, disturb it.
TEST(ObliqueSheets, OfPlanesCarryTheirCurrent) {
  for (const double degrees : {0.0, 20.0, 45.0, 71.0}) {
    const double angle = degrees * M_PI / 180, tx = -std::sin(angle), ty = std::cos(angle);
    const auto exact = [=](double x, double y, double) { return tx * x + ty * y; };
    Problem p = square_in_cells(24);
    for (std::size_t d = 0; d < 2; ++d) {
      p.nodes[d] = uniform_nodes(-1, 1, 24);
      for (Boundary& face : p.boundary[d]) face = Boundary{D, exact};
    }
    MediaBuilder media;
    media.add("background", 1);
    media.add("beyond", 1);
    media.body("beyond",
               make_moved(make_box({0.0137, -9, -9}, {9, 9, 9}), Motion::rotation({0, 0, 1}, angle, {0, 0, 0})));
    media.sheet("beyond", 1e-3, 4e3);
    media.use(p, Surfaces::averaged);
    Solve solve(p, tight());
    ASSERT_TRUE(solve.run().converged());
    const std::vector<double> u = values(solve.solution());
    double most = 0;
    std::size_t at = 0;
    for_each(solve.block().layout().box(), [&](int i, int j, int k) {
      const Point c = solve.discretization().media()->cells().centre(i, j, k);
      most = std::max(most, std::abs(u[at++] - exact(c[0], c[1], 0)));
    });
    EXPECT_LT(most, 0.02) << degrees;
  }
}

/// A board with copper on both sides that does not end on faces of cells: the flow is that of all three in parallel.
TEST(ObliqueSheets, OfBoardsLieWhereTheirSurfacesAre) {
  for (const bool insulates : {false, true}) {
    Problem p = cube_in_cells(16);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
    MediaBuilder media;
    media.add("background", 2);
    media.add("board", 2);
    if (insulates) media.back().insulator = true;
    media.body("board", make_box({-1, -1, 0.43}, {2, 2, 0.61}));
    media.sheet("board", 35e-6, 390e3);
    media.use(p, Surfaces::sharp);
    Solve solve(p, tight());
    ASSERT_TRUE(solve.run().converged());
    const Balance flows =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
    EXPECT_NEAR(flows.flux[0], 2 * (insulates ? 1 - 0.18 : 1) + 2 * 35e-6 * 390e3, 1e-3) << insulates;
  }
}

/// Values do not depend on the number of processes.
TEST(ObliqueSheets, ProcessesAgree) {
  const Problem p = shell_problem(Shell("sphere", 3, 2, 3), 16);
  Solve one(p, tight());
  ASSERT_TRUE(one.run().converged());
  const double expected =
      balance(one.discretization(), one.solver().A(), one.solution(), one.rhs(), one.solver().spare()).flux[0];
  for (const Parts& parts : {Parts{1, 1, 2}, Parts{2, 2, 1}})
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const auto backend = test_backend();
      GridModel model(*backend, p, Assembly::automatic, Sampling::automatic, Sharing{processes, parts, 300});
      const auto solver = make_solver(model, tight());
      model.fill(solver->rhs(), solver->solution());
      EXPECT_TRUE(model.solve(*solver, false).converged());
      EXPECT_NEAR(
          balance(model.discretization(), solver->A(), solver->solution(), solver->rhs(), solver->spare()).flux[0],
          expected, 1e-8);
    });
}

}  // namespace
}  // namespace poisson
