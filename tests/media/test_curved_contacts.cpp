// Contacts on surfaces of bodies that are not parallel to faces: orders against exact solutions.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/media/round_core.hpp"

namespace poisson::curved_contacts_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet;

class CurvedContacts : public testing::TestWithParam<RoundCore> {};

TEST_P(CurvedContacts, ActOnTheirTrueArea) {
  const RoundCore& core = GetParam();
  const bool flat = core.dimension == 2;
  const std::array<int, 2> cells = flat ? std::array{64, 250} : std::array{33, 64};
  for (const Surfaces surfaces : {Surfaces::sharp, Surfaces::averaged}) {
    const auto on = [&](int n) { return errors_of(core, {n, n, n}, surfaces); };
    const CoreErrors coarse = on(cells[0]), fine = on(cells[1]);
    EXPECT_GT(order_of(core, coarse, fine, static_cast<double>(cells[1]) / cells[0]), 1.2);
    const CoreErrors& at_64 = flat ? coarse : fine;
    EXPECT_LT(at_64.rms, 2e-3);
    EXPECT_LT(at_64.inside, 1e-2 * core.inside);
  }
}

INSTANTIATE_TEST_SUITE_P(Exact, CurvedContacts,
                         testing::Values(RoundCore::with_contact("cylinder, same", 2, 1, 0.5),
                                         RoundCore::with_contact("cylinder, small", 2, 1, 0.1),
                                         RoundCore::with_contact("cylinder, large", 2, 1, 5),
                                         RoundCore::with_contact("cylinder, better", 2, 10, 0.2),
                                         RoundCore::with_contact("cylinder, worse", 2, 0.1, 0.5),
                                         RoundCore::with_contact("sphere, same", 3, 1, 0.3),
                                         RoundCore::with_contact("sphere, large", 3, 1, 3),
                                         RoundCore::with_contact("sphere, better", 3, 10, 0.2),
                                         RoundCore::with_contact("sphere, worse", 3, 0.1, 0.5)));

/// Surfaces may pass through the centres of cells, to a conductor and to a fixed value.
TEST(ObliqueContacts, ActInCentresOfCells) {
  constexpr double kappa = 3, resistance = 0.7;
  for (const bool fixed : {false, true})
    for (const int cells : {5, 7, 8, 9, 30}) {
      Problem p = cube_in_cells(6);
      for (std::size_t d = 0; d < 3; ++d)
        for (Boundary& face : p.boundary[d]) face = Boundary{BoundaryKind::neumann};
      p.nodes[2] = uniform_nodes(0, 1, cells);
      p.boundary[2] = {Boundary{D, 1.0}, Boundary{D, 0.0}};
      MediaBuilder media;
      media.add("background", 1);
      media.add("beyond", kappa);
      if (fixed) media.back().fixed = 0;
      media.body("beyond", make_box({-9, -9, 0.5}, {9, 9, 9}));
      media.contact("beyond", "background", resistance);
      media.use(p, Surfaces::sharp);
      Solve solve(p, to_tolerance(1e-10));
      ASSERT_TRUE(solve.run().converged());
      const Balance flows =
          balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
      EXPECT_NEAR(flows.flux[4], 1 / (0.5 + resistance + (fixed ? 0 : 0.5 / kappa)), 1e-8) << cells << fixed;
    }
}

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
        Solve solve(p, to_tolerance(1e-10));
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
}  // namespace poisson::curved_contacts_tests
