// Sheets on surfaces of bodies that are not parallel to faces: orders against exact solutions.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/media/round_core.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"

namespace poisson::curved_sheets_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;
class CurvedSheets : public testing::TestWithParam<RoundCore> {};

// Cells that the sheet crosses have its value instead of that at their centre: the largest errors are there.
TEST_P(CurvedSheets, ConductAlongTheirSurface) {
  const RoundCore& core = GetParam();
  const bool flat = core.dimension == 2;
  const std::array<int, 2> cells = flat ? std::array{64, 250} : std::array{33, 64};
  const auto on = [&](int n) { return errors_of(core, {n, n, n}, Surfaces::sharp); };
  const CoreErrors coarse = on(cells[0]), fine = on(cells[1]);
  // The rule for averaged surfaces takes the field around bodies that conduct worse to be that without a sheet.
  const bool worse = core.kappa < 1;
  EXPECT_GT(order_of(core, coarse, fine, static_cast<double>(cells[1]) / cells[0]), worse ? 1.2 : flat ? 1.25 : 1.35);
  const CoreErrors& at_64 = flat ? coarse : fine;
  EXPECT_LT(at_64.rms, 3e-3);
  EXPECT_LT(at_64.away, worse ? 1.6e-3 : 1e-3);
  EXPECT_LT(at_64.inside, worse ? 1.2e-2 : 4e-3);
}

INSTANTIATE_TEST_SUITE_P(Exact, CurvedSheets,
                         testing::Values(RoundCore::with_sheet("cylinder, weak", 2, 1, 0.1),
                                         RoundCore::with_sheet("cylinder, as both", 2, 1, 1),
                                         RoundCore::with_sheet("cylinder, strong", 2, 1, 100),
                                         RoundCore::with_sheet("cylinder, better core", 2, 10, 2),
                                         RoundCore::with_sheet("cylinder, worse core", 2, 0.1, 0.5),
                                         RoundCore::with_sheet("sphere, weak", 3, 1, 0.1),
                                         RoundCore::with_sheet("sphere, as both", 3, 1, 1),
                                         RoundCore::with_sheet("sphere, strong", 3, 1, 100),
                                         RoundCore::with_sheet("sphere, better core", 3, 10, 2),
                                         RoundCore::with_sheet("sphere, worse core", 3, 0.1, 0.5)));

/// Cells need not be cubes.
TEST(ObliqueSheets, ConductOnBoxesOfOtherShapes) {
  for (const std::array<int, 3>& cells : {std::array{50, 70, 40}, std::array{36, 36, 72}}) {
    const RoundCore core = RoundCore::with_sheet("sphere", 3, 2, 1.5);
    const CoreErrors errors = errors_of(core, cells, Surfaces::averaged);
    std::printf("%d x %d x %d: rms %.2e, away %.2e, inside %.2e of %.3f\n", cells[0], cells[1], cells[2], errors.rms,
                errors.away, errors.inside, core.inside);
    EXPECT_LT(errors.away, 5e-4);
    EXPECT_LT(errors.inside, 4e-3);
  }
}

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
    Solve solve(p, to_tolerance(1e-10));
    ASSERT_TRUE(solve.run().converged());
    const std::vector<double> u = values(solve.solution());
    double most = 0;
    std::size_t at = 0;
    for_each(solve.block().layout().box(), [&](int i, int j, int k) {
      const Point c = solve.discretization().media()->cells().centre(i, j, k);
      most = std::max(most, std::abs(u[at++] - exact(c[0], c[1], 0)));
    });
    EXPECT_LT(most, 0.03) << degrees;
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
    Solve solve(p, to_tolerance(1e-10));
    ASSERT_TRUE(solve.run().converged());
    const Balance flows =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
    EXPECT_NEAR(flows.flux[0], 2 * (insulates ? 1 - 0.18 : 1) + 2 * 35e-6 * 390e3, 1e-4) << insulates;
  }
}

/// A cylinder across periodic ends conducts as the same cylinder in the middle of the box.
TEST(ObliqueSheets, CrossPeriodicEnds) {
  std::array<double, 2> flows{};
  for (const std::size_t place : {0U, 1U}) {
    Problem p = square_in_cells(26);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}},
                   {Boundary{BoundaryKind::periodic}, Boundary{BoundaryKind::periodic}},
                   {}}};
    MediaBuilder media;
    media.add("background", 1);
    media.add("core", 2);
    for (const double y : place == 0 ? std::vector{0.513} : std::vector{0.013, 1.013})
      media.body("core", make_ellipsoid({0.48, y, 0}, {0.29, 0.23, Bounds::far}));
    media.sheet("core", 1e-3, 1.5e3);
    media.use(p, Surfaces::sharp);
    Solve solve(p, to_tolerance(1e-10));
    ASSERT_TRUE(solve.run().converged());
    flows[place] =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
            .flux[0];
  }
  EXPECT_NEAR(flows[1], flows[0], 1e-7);
}

/// Values do not depend on the number of processes.
TEST(ObliqueSheets, ProcessesAgree) {
  const Problem p = RoundCore::with_sheet("sphere", 3, 2, 3).problem({16, 16, 16}, Surfaces::sharp);
  Solve one(p, to_tolerance(1e-10));
  ASSERT_TRUE(one.run().converged());
  const double expected =
      balance(one.discretization(), one.solver().A(), one.solution(), one.rhs(), one.solver().spare()).flux[0];
  for (const Parts& parts : {Parts{1, 1, 2}, Parts{2, 2, 1}})
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const auto backend = test_backend();
      GridModel model(*backend, p, Assembly::automatic, Sampling::automatic, Sharing{processes, parts, 300});
      const auto solver = make_solver(model, to_tolerance(1e-10));
      model.fill(solver->rhs(), solver->solution());
      EXPECT_TRUE(model.solve(*solver, false).converged());
      EXPECT_NEAR(
          balance(model.discretization(), solver->A(), solver->solution(), solver->rhs(), solver->spare()).flux[0],
          expected, 1e-8);
    });
}

}  // namespace
}  // namespace poisson::curved_sheets_tests
