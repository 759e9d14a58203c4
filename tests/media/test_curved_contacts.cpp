// Contacts on surfaces of bodies that are not parallel to faces: orders against exact solutions.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "tests/media/round_core.hpp"

namespace poisson {
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
        Solve solve(p, tight_options());
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
