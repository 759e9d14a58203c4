// Materials and bodies: conductances of faces, cells that leave the system, and answers for each body.

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/region_results.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::media_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;

/// Layers on faces of stretched cells, with κ of each axis, between faces of all kinds.
TEST(MediaLayers, GiveTheAnswerOfTheCoefficient) {
  for (const Surfaces surfaces : {Surfaces::averaged, Surfaces::staircase}) {
    Problem p = cube_in_cells(16);
    p.nodes[0] = tanh_nodes(0, 1, 12, 1.5, StretchedEnd::both);
    p.source = [](double x, double y, double z) { return 1 + x - y * z; };
    p.boundary = {{{Boundary{D, 1.0}, Boundary{R, 1.0, 2.0}},
                   {Boundary{N, 1.0}, Boundary{N, 0.0}},
                   {Boundary{R, 2.0, 3.0}, Boundary{D, 0.5}}}};
    Problem plain = p;
    plain.isotropic = false;
    for (std::size_t d = 0; d < 3; ++d)
      plain.coefficient[d] = [d](double, double y, double z) {
        return z < 0.25 ? 3.0 + static_cast<double>(d) : y < 0.5 ? 100.0 : 1.0;
      };
    MediaBuilder media;
    media.add("background", 1);
    media.add("low", {3, 4, 5});
    media.add("middle", 100);
    media.body("middle", make_box({-1, -1, -1}, {2, 0.5, 2}));
    media.body("low", make_box({-1, -1, -1}, {2, 2, 0.25}));
    media.use(p, surfaces);
    Solve one(plain, to_tolerance(1e-13)), other(p, to_tolerance(1e-13));
    ASSERT_TRUE(one.run().converged());
    ASSERT_TRUE(other.run().converged());
    const std::vector<double> u = values(one.solution()), v = values(other.solution());
    EXPECT_LT(largest_difference(u, v), 1e-12 * largest_magnitude(u));
  }
}

// κ of a quarter of a period of a square array of cylinders, by faces held at 1 and 0.
double conductivity_of_cylinders(double filling, int cells, Surfaces surfaces, double kappa = 10) {
  Problem p = square_in_cells(cells, 0.5);
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", kappa);
  const double radius = std::sqrt(filling / M_PI);
  media.body("core", make_ellipsoid({0, 0, 0}, {radius, radius, Bounds::far}));
  media.use(p, surfaces);
  Solve solve(p, to_tolerance(1e-11));
  EXPECT_TRUE(solve.run().converged());
  return balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
      .flux[0];
}

// Perrins, McKenzie, McPhedran, Proc. R. Soc. Lond. A 369, 207 (1979), eq. 16.
double published_for_cylinders(double f, double kappa) {
  const double T = (1 + kappa) / (1 - kappa);
  return 1 - 2 * f /
                 (T + f - 0.305827 * std::pow(f, 4) * T / (T * T - 1.402958 * std::pow(f, 8)) -
                  0.013362 * std::pow(f, 8) / T);
}

TEST(MediaSurfaces, CylindersConductAsPublished) {
  for (const double kappa : {10.0, 0.1})
    for (const double f : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7}) {
      const double expected = published_for_cylinders(f, kappa);
      const double found = conductivity_of_cylinders(f, 32, Surfaces::averaged, kappa);
      EXPECT_NEAR(found, expected, 1.5e-3 * expected) << "filling " << f << ", κ " << kappa;
    }
}

// κ of a quarter of a period of a hexagonal array of cylinders, along x and y. Cells are nearly square.
std::array<double, 2> conductivity_of_hexagons(double filling, double kappa) {
  std::array<double, 2> found{};
  const double height = 0.5 * std::sqrt(3), radius = std::sqrt(filling * height / M_PI);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    Problem p = square_in_cells(32, 0.5);
    p.nodes[1] = uniform_nodes(0, height, 55);
    p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {}}};
    p.boundary[axis] = {Boundary{D, 1.0}, Boundary{D, 0.0}};
    MediaBuilder media;
    media.add("background", 1);
    media.add("core", kappa);
    media.body("core", make_ellipsoid({0, 0, 0}, {radius, radius, Bounds::far}));
    media.body("core", make_ellipsoid({0.5, height, 0}, {radius, radius, Bounds::far}));
    media.use(p, Surfaces::averaged);
    Solve solve(p, to_tolerance(1e-11));
    EXPECT_TRUE(solve.run().converged());
    const double flow =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
            .flux[2 * axis];
    found[axis] = axis == 0 ? flow * 0.5 / height : flow * height / 0.5;
  }
  return found;
}

struct CylinderArray {
  double filling, kappa, expected;
};

/// Rayleigh's method with 21 multipoles (cylinder_arrays.py). Means of 1/∫ds/κ are off by 0.4 to 1.1 % for κ = 100.
TEST(MediaSurfaces, HexagonalCylindersConductAsComputed) {
  constexpr std::array arrays{CylinderArray{0.5, 10, 2.3864667},   CylinderArray{0.5, 0.1, 0.4190295},
                              CylinderArray{0.8, 10, 4.9488654},   CylinderArray{0.8, 0.1, 0.2020665},
                              CylinderArray{0.3, 100, 1.8331619},  CylinderArray{0.3, 0.01, 0.5455055},
                              CylinderArray{0.816, 10, 5.2198919}, CylinderArray{0.816, 0.1, 0.1915749}};
  for (const auto& [filling, kappa, expected] : arrays)
    for (const double found : conductivity_of_hexagons(filling, kappa))
      EXPECT_NEAR(found, expected, 2e-3 * expected) << "filling " << filling << ", κ " << kappa;
}

/// Strong contrasts, which the mean of 1/∫ds/κ misses by 0.5 to 0.8 %.
TEST(MediaSurfaces, StrongContrastsConductAsComputed) {
  constexpr std::array arrays{CylinderArray{0.3, 100, 1.8359191}, CylinderArray{0.5, 100, 2.9947677},
                              CylinderArray{0.3, 0.01, 0.5446863}, CylinderArray{0.5, 0.01, 0.3339157}};
  for (const auto& [filling, kappa, expected] : arrays)
    EXPECT_NEAR(conductivity_of_cylinders(filling, 32, Surfaces::averaged, kappa), expected, 2.5e-3 * expected)
        << "filling " << filling << ", κ " << kappa;
}

/// Averaged surfaces are several times as accurate as staircases where these are worst.
TEST(MediaSurfaces, AveragedBeatStaircases) {
  const double expected = published_for_cylinders(0.4, 10);
  double averaged = 0, staircase = 0;
  for (const int cells : {8, 12, 16, 20}) {
    averaged += std::abs(conductivity_of_cylinders(0.4, cells, Surfaces::averaged) / expected - 1);
    staircase += std::abs(conductivity_of_cylinders(0.4, cells, Surfaces::staircase) / expected - 1);
  }
  EXPECT_LT(4 * averaged, staircase);
}

// Simple cubic arrays of spheres, computed by sphere_arrays.py. Up to a filling of 0.2 the series of Sangani & Acrivos,
// Proc. R. Soc. Lond. A 386, 263 (1983), gives the same six digits; it is 0.09 % low at 0.4 and 0.4 % low at 0.45.
struct SphereArray {
  double filling, of_10, of_tenth;
};
constexpr std::array sphere_arrays{SphereArray{0.1, 1.243339, 0.876693}, SphereArray{0.2, 1.531724, 0.762798},
                                   SphereArray{0.3, 1.887740, 0.656290}, SphereArray{0.4, 2.364431, 0.554625},
                                   SphereArray{0.45, 2.68969, 0.504565}, SphereArray{0.47, 2.8494, 0.48449}};

// κ of an eighth of a period of a simple cubic array of spheres, by faces held at 1 and 0.
double conductivity_of_spheres(double filling, double kappa) {
  Problem p = cube_in_cells(32, 0.5);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 1.0}, Boundary{D, 0.0}}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add("core", kappa);
  const double radius = std::cbrt(filling * 3 / (4 * M_PI));
  media.body("core", make_ellipsoid({0, 0, 0}, {radius, radius, radius}));
  media.use(p, Surfaces::averaged);
  Solve solve(p, to_tolerance(1e-9));
  EXPECT_TRUE(solve.run().converged());
  return 2 * balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
                 .flux[4];
}

TEST(MediaSurfaces, SpheresConductAsComputed) {
  for (const auto& [filling, of_10, of_tenth] : sphere_arrays)
    for (const bool conductors : {true, false}) {
      const double expected = conductors ? of_10 : of_tenth;
      EXPECT_NEAR(conductivity_of_spheres(filling, conductors ? 10 : 0.1), expected, 1.5e-3 * expected)
          << "filling " << filling << (conductors ? ", κ 10" : ", κ 0.1");
    }
}

/// A problem with a fixed sphere, a source, and holes, one of which encloses cells.
Problem with_gaps(int cells, MediaBuilder& media) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 1.0}, Boundary{N}}}};
  media.add("background", 1);
  media.add("die", 10);
  media.back().power = 12.5;
  media.add_fixed("lead", 5);
  media.add_insulator("hole");
  media.body("lead", make_ellipsoid({0.3, 0.3, 0.3}, {0.15, 0.15, 0.2}));
  media.body("die",
             make_moved(make_box({0, 0, 0}, {0.2, 0.21, 0.1}), Motion::rotation({1, 1, 1}, 0.4, {-0.6, -0.1, 0})));
  media.body("hole", make_difference({make_ellipsoid({0.7, 0.7, 0.7}, {0.25, 0.2, 0.2}),
                                      make_ellipsoid({0.7, 0.7, 0.7}, {0.15, 0.1, 0.1})}));
  media.use(p, Surfaces::averaged);
  return p;
}

TEST(MediaGaps, FlowsBalanceAndPowersAreExact) {
  for (const int cells : {16, 27}) {
    MediaBuilder media;
    Solve solve(with_gaps(cells, media), to_tolerance(1e-11));
    const Result result = solve.run();
    ASSERT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 14);
    const Discretization& d = solve.discretization();
    EXPECT_NEAR(d.rhs_sums().total_source(), 12.5, 12.5e-12);
    const MediaResults found = media_results(d, solve.solution());
    const RegionResult &lead = found.regions[1], &die = found.regions[2], &hole = found.regions[3];
    EXPECT_NEAR(die.power, 12.5, 12.5e-12);
    EXPECT_NEAR(die.flow + die.through_faces, 12.5, 1e-6);
    EXPECT_EQ(lead.min, 5);
    EXPECT_EQ(lead.max, 5);
    EXPECT_TRUE(std::isnan(hole.mean));
    EXPECT_GT(found.floating, 0);
    const Balance flows = balance(d, solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
    EXPECT_NEAR(flows.bodies[1], lead.flow, 1e-9);
    const double sum = std::accumulate(flows.flux.begin(), flows.flux.end(), 12.5) + lead.flow;
    EXPECT_NEAR(sum, 0, 1e-6);
  }
}

TEST(MediaGaps, FilesContainNaNAndFixedValues) {
  MediaBuilder media;
  Solve solve(with_gaps(16, media), to_tolerance(1e-11));
  solve.run();
  const Discretization& d = solve.discretization();
  const std::vector<double> u = gather_solution(d, solve.solution()).all();
  std::array<int, 4> seen{};
  for_each(d.block().layout().box(), [&](int i, int j, int k) {
    const CellState state = d.media()->state(i, j, k);
    const double value = u[d.media()->own(i, j, k)];
    ++seen[static_cast<std::size_t>(state)];
    if (state == CellState::fixed)
      EXPECT_EQ(value, 5);
    else
      EXPECT_EQ(std::isnan(value), state != CellState::solved);
  });
  for (const int count : seen) EXPECT_GT(count, 0);
}

/// Several processes find the same regions, gaps and flows.
TEST(MediaGaps, ProcessesAgree) {
  MediaBuilder media;
  const Case c{"gaps", with_gaps(20, media), to_tolerance(1e-10)};
  std::vector<double> alone(20 * 20 * 20);
  const Solved one = solve(c, {}, alone);
  for (const Parts& parts : {Parts{1, 1, 2}, Parts{2, 2, 1}}) {
    std::vector<double> shared(alone.size());
    Balance found;
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Solved mine = solve(c, Sharing{processes, parts, 300}, shared);
      EXPECT_TRUE(mine.result.converged());
      if (processes->first()) found = mine.balance;
    });
    for (std::size_t r = 0; r < found.bodies.size(); ++r) EXPECT_NEAR(found.bodies[r], one.balance.bodies[r], 1e-6);
    EXPECT_NEAR(found.source, 12.5, 12.5e-12);
    EXPECT_NEAR(found.flux[4], one.balance.flux[4], 1e-6);
  }
}

/// Two slabs with a contact resistance: the flow is 1/(R + Σ h/κ).
TEST(MediaContacts, AddToTheResistance) {
  for (const Surfaces surfaces : {Surfaces::averaged, Surfaces::staircase}) {
    Problem p = square_in_cells(8);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
    MediaBuilder media;
    media.add("background", 2);
    media.add("plate", 5);
    media.body("plate", make_box({-1, -1, -1}, {0.25, 2, 2}));
    media.contact("plate", "background", 0.3);
    media.use(p, surfaces);
    Solve solve(p, to_tolerance(1e-11));
    ASSERT_TRUE(solve.run().converged());
    const Balance flows =
        balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
    EXPECT_NEAR(flows.flux[0], 1 / (0.3 + 0.25 / 5 + 0.75 / 2), 1e-9);
  }
}

/// Insulating grains fill about a third of a box. With corrections in 32 bits three of these lengths take 22 iterations
/// and a fallback, after a start that is given up.
TEST(MediaGaps, ConvergeInBoxesOfAnyLength) {
  for (const double length : {1.0, 0.45, 3e-2, 1e-3, 1.7e-4, 6e-5}) {
    Problem p = cube_in_cells(50, length);
    p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
    MediaBuilder media;
    media.add("pore", 1);
    media.add_insulator("grain");
    std::mt19937 engine(8);
    const auto chance = [&] { return length * static_cast<double>(engine()) / 4294967296.0; };
    for (int grain = 0; grain < 400; ++grain) {
      const Point centre{chance(), chance(), chance()};
      const double radius = 0.03 * length + 0.05 * chance();
      media.body("grain", make_ellipsoid(centre, {radius, radius, radius}));
    }
    media.use(p, Surfaces::staircase);
    Solve solve(p, {.method = Method::multigrid});
    const Result result = solve.run();
    EXPECT_TRUE(result.converged()) << length;
    EXPECT_TRUE(result.steps.empty()) << length;
    EXPECT_FALSE(result.start_given_up) << length;
    EXPECT_LE(result.iterations, 15) << length;
  }
}

/// An insulating sphere: 7 iterations if coarse faces beside it conduct more than their means.
TEST(MediaGaps, InsulatingSpheresTakeFewIterations) {
  Problem p = cube_in_cells(64);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
  MediaBuilder media;
  media.add("rock", 1);
  media.add_insulator("hole");
  media.body("hole", make_ellipsoid({0.5, 0.5, 0.5}, {0.3, 0.3, 0.3}));
  media.use(p, Surfaces::averaged);
  Solve solve(p, {.method = Method::multigrid});
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 5);
}

/// A sheet between an insulator and a conductor conducts beside the conductor: the flow is that of both in parallel.
TEST(MediaSheets, ConductBesideTheirMaterial) {
  Problem p = square_in_cells(8);
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
  MediaBuilder media;
  media.add("background", 2);
  media.add_insulator("board");
  media.body("board", make_box({-1, -1, -1}, {2, 0.5, 2}));
  media.sheet("board", 35e-6, 390e3);
  media.use(p, Surfaces::averaged);
  Solve solve(p, to_tolerance(1e-11));
  ASSERT_TRUE(solve.run().converged());
  const Balance flows =
      balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare());
  EXPECT_NEAR(flows.flux[0], 2 * 0.5 + 35e-6 * 390e3, 1e-8);
}

TEST(MediaErrors, NameTheMaterialAndTheRemedy) {
  const auto message = [](const Problem& p) {
    try {
      Solve solve(p, to_tolerance(1e-11));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  MediaBuilder media;
  Problem p = cube_in_cells(8);
  media.add("background", 1);
  media.add("die", 2);
  media.back().power = 3;
  media.body("die", make_box({5, 5, 5}, {6, 6, 6}));
  media.use(p, Surfaces::averaged);
  EXPECT_NE(message(p).find("materials.die.power"), std::string::npos) << message(p);

  MediaBuilder negative;
  Problem q = cube_in_cells(8);
  negative.add("background", 1);
  negative.back().coefficient[0] = [](double x, double, double) { return x - 0.5; };
  negative.use(q, Surfaces::averaged);
  EXPECT_NE(message(q).find("materials.background.coefficient"), std::string::npos) << message(q);
}

}  // namespace
}  // namespace poisson::media_tests
