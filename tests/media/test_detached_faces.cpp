// Conductance along the surface of a body belongs to the body.

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::detached_faces_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic;

Options to_eight_digits(CoarseOperator coarse = CoarseOperator::automatic) {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-8;
  o.coarse_operator = coarse;
  return o;
}

// A box with 25 upright cylinders; `ends` are the heights of their ends.
Problem with_vias(int cells, double kappa, std::array<double, 2> ends, MediaBuilder& media) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
  media.add("board", 1);
  media.add("via", kappa);
  for (int v = 0; v < 25; ++v) {
    const double x = 0.1 + 0.2 * (v % 5), y = 0.1 + 0.2 * (v / 5);
    media.body("via", make_cylinder({x, y, ends[0]}, {x, y, ends[1]}, 0.03));
  }
  media.use(p, Surfaces::averaged);
  return p;
}

// A box with spheres at random places between two electrodes.
Problem with_spheres(int cells, double kappa, int count, MediaBuilder& media) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
  media.add("background", 1);
  media.add("sphere", kappa);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 1), radius(0.05, 0.15);
  for (int s = 0; s < count; ++s) {
    const Point at{place(random), place(random), place(random)};
    const double r = radius(random);
    media.body("sphere", make_ellipsoid(at, {r, r, r}));
  }
  media.use(p, Surfaces::averaged);
  return p;
}

/// Without bodies a solve takes 4 iterations. Wires beside the surfaces took 10 to 17 for κ = 10³.
TEST(DetachedFaces, BodiesTakeFewIterations) {
  for (const double kappa : {1e3, 1e5, 1e-3}) {
    MediaBuilder spheres, vias;
    Solve random(with_spheres(48, kappa, 25, spheres), to_eight_digits());
    const Result of_spheres = random.run();
    EXPECT_TRUE(of_spheres.converged());
    EXPECT_LE(of_spheres.iterations, kappa > 1 ? 6 : 7) << kappa;
    Solve upright(with_vias(48, kappa, {0.2, 0.8}, vias), to_eight_digits());
    const Result of_vias = upright.run();
    EXPECT_TRUE(of_vias.converged());
    EXPECT_LE(of_vias.iterations, 7) << kappa;
  }
}

/// Cylinders from one electrode to the other conduct by their cross-section, and the moves keep this conductance.
TEST(DetachedFaces, CylindersConductByTheirCrossSection) {
  for (const double kappa : {1e2, 1e4}) {
    MediaBuilder media;
    Solve solve(with_vias(48, kappa, {-1, 2}, media), to_eight_digits());
    ASSERT_TRUE(solve.run().converged());
    const Balance flows =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
    const double area = 25 * M_PI * 0.03 * 0.03, expected = 1 - area + kappa * area;
    EXPECT_NEAR(flows.flux[5], expected, 0.02 * expected) << kappa;
    // The sum over the faces of the domain is what the face next to it carries.
    EXPECT_NEAR(flows.flux[4], -flows.flux[5], 1e-6 * expected) << kappa;
  }
}

/// A process computes the faces next to its cuts itself, also beyond periodic ends.
TEST(DetachedFaces, ProcessesAgree) {
  const int cells = 20;
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{P}, Boundary{P}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
  MediaBuilder media;
  media.add("board", 1);
  media.add("ball", 1e4);
  for (const Point& at : {Point{0, 0.5, 0.3}, Point{1, 0.5, 0.3}, Point{0.5, 0.48, 0.52}, Point{0.45, 0.1, 0.77}})
    media.body("ball", make_ellipsoid(at, {0.21, 0.21, 0.19}));
  media.use(p, Surfaces::averaged);
  const Case c{"balls", p, to_eight_digits()};
  std::vector<double> alone(static_cast<std::size_t>(cells) * cells * cells);
  const Solved one = solve(c, {}, alone);
  for (const Parts& parts : {Parts{1, 1, 3}, Parts{2, 2, 1}}) {
    std::vector<double> shared(alone.size());
    Balance found;
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Solved mine = solve(c, Sharing{processes, parts, 300}, shared);
      EXPECT_TRUE(mine.result.converged());
      if (processes->first()) found = mine.balance;
    });
    EXPECT_NEAR(found.flux[4], one.balance.flux[4], 1e-6 * std::abs(one.balance.flux[4]));
    for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_NEAR(shared[i], alone[i], 1e-6) << i;
  }
}

/// Materials that no body has change no conductance. An insulator used to switch the moves off.
TEST(DetachedFaces, UnusedMaterialsChangeNothing) {
  const auto flow = [](bool unused) {
    Problem p = square_in_cells(32);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
    MediaBuilder media;
    media.add("background", 1);
    media.add("layer", 0.05);
    media.add("core", 30);
    if (unused) media.add_insulator("wall");
    if (unused) media.add_fixed("electrode", 7);
    media.body("layer", make_sphere({0.81, 0.4, 0}, 0.19));
    media.body("core", make_sphere({0.64, 0.34, 0}, 0.09));
    media.use(p, Surfaces::sharp);
    Solve solve(p, to_tolerance(1e-10));
    EXPECT_TRUE(solve.run().converged());
    return balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
        .flux[0];
  };
  EXPECT_EQ(flow(true), flow(false));
}

}  // namespace
}  // namespace poisson::detached_faces_tests
