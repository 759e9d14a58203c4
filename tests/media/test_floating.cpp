// Floating bodies: values and flows against exact answers, on one and on several processes.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/results/floating_flows.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::floating_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;

/// Contains a solve of a problem with floating bodies.
struct Floated {
  Result result;
  std::vector<FloatingResult> bodies;
  std::vector<double> u;
  Balance flows;
};

Floated solve_floating(const Problem& p, const Options& options, const Sharing& sharing = {}) {
  const auto backend = test_backend();
  GridModel model(*backend, p, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  Floated f;
  f.result = model.solve(*solver, false);
  f.bodies = floating_results(model.discretization(), solver->solution());
  if (sharing.processes->alone()) f.u = values(solver->solution());
  f.flows = balance(model.discretization(), solver->A(), solver->solution(), solver->rhs(), solver->spare());
  return f;
}

double largest_flow(const Floated& f) {
  double most = 0;
  for (const double flow : f.flows.flux) most = std::max(most, std::abs(flow));
  return most;
}

/// A slab between plates at 1 and 0, whose surfaces lie within cells: two gaps in series, and a charge that divides.
TEST(Floating, SlabHasItsExactValue) {
  for (const double charge : {0.0, 0.7}) {
    Problem p = square_in_cells(32);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
    MediaBuilder media;
    media.add("background", 3);
    media.add_floating("slab", charge);
    media.body("slab", make_box({0.297, -1, -1}, {0.613, 2, 2}));
    media.use(p, Surfaces::sharp);
    const Floated f = solve_floating(p, to_tolerance(1e-10));
    ASSERT_EQ(f.bodies.size(), 1U);
    const double left = 3 / 0.297, right = 3 / (1 - 0.613);
    EXPECT_NEAR(f.bodies[0].value, (left + charge) / (left + right), 1e-9);
    EXPECT_NEAR(f.bodies[0].charge, charge, 1e-9);
    EXPECT_NEAR(f.flows.flux[0], left * (1 - f.bodies[0].value), 1e-8);
  }
}

Problem with_spheres(int cells, int count) {
  Problem p = cube_in_cells(cells);
  p.boundary = {{{Boundary{D, 2.0}, Boundary{D, -1.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  media.add_fixed("held", 0.3);
  for (int b = 0; b < count; ++b) {
    const double t = 2 * M_PI * b / count;
    media.body("metal", make_ellipsoid({0.5 + 0.3 * std::cos(t), 0.5 + 0.3 * std::sin(t), 0.2 + 0.6 * b / count},
                                       {0.09, 0.07, 0.11}));
  }
  media.body("held", make_ellipsoid({0.5, 0.5, 0.5}, {0.08, 0.08, 0.08}));
  media.use(p, Surfaces::sharp);
  return p;
}

/// The net flows vanish up to rounding, whatever the tolerance. Bodies that conduct very well have the same values.
TEST(Floating, NetFlowsVanish) {
  const Problem p = with_spheres(32, 5);
  const Floated f = solve_floating(p, to_tolerance(1e-6));
  ASSERT_EQ(f.bodies.size(), 5U);
  for (const FloatingResult& body : f.bodies) {
    EXPECT_LE(std::abs(body.charge), 1e-10 * largest_flow(f));
    EXPECT_GT(body.value, -1);
    EXPECT_LT(body.value, 2);
  }
  EXPECT_LE(std::abs(f.flows.residual), 1e-4 * largest_flow(f));
}

/// Iterations of the solve itself are about those with fixed values.
TEST(Floating, NeedsFewMoreIterations) {
  Problem p = with_spheres(32, 5);
  const Floated f = solve_floating(p, to_tolerance(1e-8));
  auto fixed = std::make_shared<Media>(*p.media);
  for (Material& m : fixed->materials)
    if (m.floating) m.floating.reset(), m.fixed = 0.0;
  Problem q = p;
  use_media(q, fixed);
  const Floated g = solve_floating(q, to_tolerance(1e-8));
  EXPECT_LE(f.result.iterations, 1.5 * g.result.iterations);
}

/// Without bodies a solve takes 4 iterations. Coarse levels count distances to walls, so floating spheres take 6.
TEST(Floating, NeedsFewMoreIterationsThanWithoutBodies) {
  const auto iterations = [](int count, double radius) {
    Problem p = cube_in_cells(48);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
    p.source = 1.0;
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    for (int b = 0; b < count; ++b)  // a lattice whose places do not fit the cells
      media.body("metal",
                 make_sphere({0.21 + 0.29 * (b % 3), 0.23 + 0.27 * (b / 3 % 3), 0.31 + 0.41 * (b / 9)}, radius));
    media.use(p, Surfaces::sharp);
    return solve_floating(p, to_tolerance(1e-8)).result.iterations;
  };
  const int without = iterations(0, 1);
  for (const auto& [count, radius] : {std::pair(1, 0.15), std::pair(5, 0.12), std::pair(12, 0.09)}) {
    const int with = iterations(count, radius);
    std::printf("%d floating spheres: %d iterations, %d without\n", count, with, without);
    EXPECT_LE(with, 1.5 * without) << count;
  }
}

/// Bodies and values do not depend on the number of processes, also where a body crosses a cut.
TEST(Floating, ProcessesAgree) {
  const Problem p = with_spheres(16, 4);
  const Floated one = solve_floating(p, to_tolerance(1e-10));
  for (const Parts& parts : {Parts{1, 1, 2}, Parts{2, 1, 1}})
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Floated shared = solve_floating(p, to_tolerance(1e-10), Sharing{processes, parts, 300});
      ASSERT_EQ(shared.bodies.size(), one.bodies.size());
      for (std::size_t b = 0; b < one.bodies.size(); ++b) {
        EXPECT_EQ(shared.bodies[b].cells, one.bodies[b].cells);
        EXPECT_NEAR(shared.bodies[b].value, one.bodies[b].value, 1e-8);
      }
    });
}

/// A restart from a result begins with the values of the bodies, on one and on several processes.
TEST(Floating, RestartsFromResultsNeedNoIterations) {
  const Problem p = with_spheres(22, 4);
  const auto run = [&](const std::shared_ptr<const Processes>& processes, const Parts& parts) {
    const Sharing sharing{processes, parts, 300};
    const auto backend = test_backend();
    GridModel model(*backend, p, Assembly::automatic, Sampling::automatic, sharing);
    const auto solver = make_solver(model, to_tolerance(1e-9));
    model.fill(solver->rhs(), solver->solution());
    const Result first = model.solve(*solver, false);
    EXPECT_GT(first.iterations, 3);
    const auto bodies = floating_results(model.discretization(), solver->solution());
    GridModel other(*backend, p, Assembly::automatic, Sampling::automatic, sharing);
    const auto again = make_solver(other, to_tolerance(1e-8));
    other.fill(again->rhs(), again->solution());
    transfer(solver->solution(), again->solution());
    const Result second = other.solve(*again, true);
    EXPECT_TRUE(second.converged());
    EXPECT_LE(second.iterations, 1);
    const auto same = floating_results(other.discretization(), again->solution());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      EXPECT_NEAR(same[b].value, bodies[b].value, 1e-7);
      EXPECT_NEAR(same[b].charge, 0, 1e-9);
    }
  };
  run(one_process(), {1, 1, 1});
  for (const Parts& parts : {Parts{1, 1, 2}, Parts{2, 1, 1}})
    as_processes(parts[0] * parts[1] * parts[2],
                 [&](const std::shared_ptr<const Processes>& processes) { run(processes, parts); });
}

/// Cylinders in a thin box, whose cells are 20 times as wide as high, have the values of disks in the plane.
TEST(Floating, ThinBoxesAgreeWithThePlane) {
  const auto solve = [](int dimension) {
    Problem p = dimension == 2 ? square_in_cells(1) : cube_in_cells(1);
    for (std::size_t d = 0; d < 2; ++d) p.nodes[d] = uniform_nodes(0, 1, d == 0 ? 45 : 38);
    if (dimension == 3) p.nodes[2] = uniform_nodes(0, 0.003, 3);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    media.add_insulator("hole");
    for (const Point& centre : {Point{0.31, 0.43, 0}, Point{0.62, 0.31, 0}})
      media.body("metal", make_ellipsoid(centre, {0.13, 0.11, Bounds::far}));
    media.body("hole", make_ellipsoid({0.52, 0.73, 0}, {0.15, 0.12, Bounds::far}));
    media.use(p, Surfaces::sharp);
    return solve_floating(p, to_tolerance(1e-10));
  };
  const Floated plane = solve(2), box = solve(3);
  ASSERT_EQ(plane.bodies.size(), 2U);
  ASSERT_EQ(box.bodies.size(), 2U);
  for (const std::size_t b : {0U, 1U}) EXPECT_NEAR(box.bodies[b].value, plane.bodies[b].value, 3e-6);
  EXPECT_NEAR(box.flows.flux[0], 0.003 * plane.flows.flux[0], 1e-8 * plane.flows.flux[0]);
}

/// More bodies than are exact conduct very well instead, and have nearly the same answer.
TEST(Floating, ManyBodiesBecomeStrongConductors) {
  const auto flow = [](int per_axis) {
    Problem p = square_in_cells(96);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    for (int j = 0; j < per_axis; ++j)
      for (int i = 0; i < per_axis; ++i)
        media.body("metal", make_ellipsoid({(i + 0.5) / per_axis, (j + 0.5) / per_axis, 0},
                                           {0.3 / per_axis, 0.3 / per_axis, Bounds::far}));
    media.use(p, Surfaces::sharp);
    const Floated f = solve_floating(p, to_tolerance(1e-8));
    EXPECT_TRUE(f.result.converged());
    EXPECT_EQ(f.bodies.size(), per_axis == 4 ? 16U : 0U);
    return f.flows.flux[0];
  };
  EXPECT_NEAR(flow(6), flow(4), 0.05 * flow(4));  // 16 cells in a period
}

/// Is an image of eight balls, whose voxels are region 1.
class Balls final : public RegionMap {
 public:
  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
            std::span<RegionNumber> numbers) const override {
    auto next = numbers.begin();
    for_each_place(cells, [&](int i, int j, int k) {
      double square = 0;
      for (const auto& [d, at] : {std::pair(0U, i), std::pair(1U, j), std::pair(2U, k)}) {
        const double x = 2 * (at + 0.5) / static_cast<double>(nodes[d].size() - 1);
        square += (x - std::floor(x) - 0.47) * (x - std::floor(x) - 0.47);
      }
      *next++ = square < 0.07 ? 1 : 0;
    });
  }
};

/// Labels of an image that float conduct very well. Iterations are about those with fixed labels.
TEST(Floating, ImagesNeedFewMoreIterations) {
  const auto solve = [](bool floats) {
    Problem p = cube_in_cells(40);
    p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
    Media media;
    media.materials.resize(2);
    media.materials[1].name = "metal";
    (floats ? media.materials[1].floating : media.materials[1].fixed) = floats ? 0.0 : 0.5;
    media.regions = {{"pore", 0, MediaRegion::Origin::image}, {"metal", 1, MediaRegion::Origin::image}};
    media.map = std::make_shared<const Balls>();
    use_media(p, std::make_shared<const Media>(std::move(media)));
    return solve_floating(p, to_tolerance(1e-8));
  };
  const Floated floating = solve(true), fixed = solve(false);
  EXPECT_TRUE(floating.result.converged());
  EXPECT_TRUE(floating.bodies.empty());
  EXPECT_LE(floating.result.iterations, 1.5 * fixed.result.iterations);
}

/// A body at a Dirichlet face has the value of the face.
TEST(Floating, FacesGiveTheirValue) {
  Problem p = square_in_cells(32);
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
  MediaBuilder media;
  media.add("background", 2);
  media.add_floating("slab");
  media.body("slab", make_box({-1, -1, -1}, {0.26, 2, 2}));
  media.use(p, Surfaces::sharp);
  const Floated f = solve_floating(p, to_tolerance(1e-10));
  ASSERT_EQ(f.bodies.size(), 1U);
  EXPECT_TRUE(f.bodies[0].held);
  EXPECT_EQ(f.bodies[0].value, 1);
  EXPECT_NEAR(f.bodies[0].charge, 2 / 0.74, 1e-8);
}

TEST(Floating, ShortCircuitsAreErrors) {
  Problem p = square_in_cells(16);
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
  MediaBuilder media;
  media.add("background", 2);
  media.add_floating("wire");
  media.body("wire", make_box({-1, 0.4, -1}, {2, 0.6, 2}));
  media.use(p, Surfaces::sharp);
  EXPECT_THROW(solve_floating(p, to_tolerance(1e-10)), InputError);
}

/// Without a way to a fixed value, charges and sources must balance.
TEST(Floating, ChargesWithoutAWayOutAreErrors) {
  for (const double charge : {0.0, 1.0}) {
    Problem p = square_in_cells(32);
    p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {}}};
    MediaBuilder media;
    media.add("background", 2);
    media.add_floating("plus", 1);
    media.add_floating("minus", charge - 1);
    media.body("plus", make_ellipsoid({0.25, 0.5, 0}, {0.1, 0.1, Bounds::far}));
    media.body("minus", make_ellipsoid({0.75, 0.5, 0}, {0.1, 0.1, Bounds::far}));
    media.use(p, Surfaces::sharp);
    if (charge == 0)
      EXPECT_NEAR(solve_floating(p, to_tolerance(1e-10)).bodies[0].charge, 1, 1e-5);
    else
      EXPECT_THROW(solve_floating(p, to_tolerance(1e-10)), InputError);
  }
}

}  // namespace
}  // namespace poisson::floating_tests
