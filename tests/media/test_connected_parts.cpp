// Connected parts across cuts and periodic faces: floating bodies, and the largest part of a problem without a fixed
// value.

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/face_flows.hpp"
#include "grids/results/floating_flows.hpp"
#include "grids/results/mean_flux.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::connected_parts_tests {
namespace {

constexpr auto N = BoundaryKind::neumann, P = BoundaryKind::periodic;

/// Contains u, the bodies and the mean flux of a solve.
struct Answer {
  std::vector<double> u;
  std::vector<FloatingResult> bodies;
  double flux = 0;
  std::array<std::int64_t, 4> counts{};
};

/// Solves with a rise of 1 along an axis, or without one if it is negative.
Answer solve_shared(const Problem& p, int axis, const Sharing& sharing, std::vector<double>& all) {
  const auto backend = test_backend();
  GridModel model(*backend, p, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(model, to_tolerance(1e-11));
  model.fill(solver->rhs(), solver->solution());
  std::array<double, 3> rise{};
  if (axis >= 0) {
    const auto a = static_cast<std::size_t>(axis);
    rise[a] = 1;
    add_rise(model.discretization(), a, 1, solver->A().scale(), solver->rhs());
    model.set_rise(rise);
  }
  EXPECT_TRUE(model.solve(*solver, false).converged());
  Answer answer;
  answer.bodies = floating_results(model.discretization(), solver->solution(), rise);
  if (axis >= 0)
    answer.flux = mean_flux(model.discretization(), solver->solution(), rise)[static_cast<std::size_t>(axis)];
  answer.counts = model.discretization().media()->counts();
  put_part(solver->solution(), all);
  return answer;
}

Answer solve_alone(const Problem& p, int axis) {
  std::vector<double> all(static_cast<std::size_t>(p.dimension == 2 ? 24 * 20 : 24 * 20 * 16));
  Answer answer = solve_shared(p, axis, {one_process(), {1, 1, 1}, 300}, all);
  answer.u = all;
  return answer;
}

void expect_same_on(const Parts& parts, const Problem& p, int axis, const Answer& one) {
  std::vector<double> all(one.u.size());
  as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
    const Answer own = solve_shared(p, axis, Sharing{processes, parts, 300}, all);
    ASSERT_EQ(own.bodies.size(), one.bodies.size());
    for (std::size_t b = 0; b < own.bodies.size(); ++b) {
      EXPECT_EQ(own.bodies[b].cells, one.bodies[b].cells) << b;
      EXPECT_NEAR(own.bodies[b].value, one.bodies[b].value, 1e-8) << b;
      EXPECT_NEAR(own.bodies[b].charge, 0, 1e-9) << b;
    }
    EXPECT_NEAR(own.flux, one.flux, 1e-8 * std::abs(one.flux));
    EXPECT_EQ(own.counts, one.counts);
  });
  double most = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::isfinite(one.u[i]) && std::isfinite(all[i])) most = std::max(most, std::abs(all[i] - one.u[i]));
  EXPECT_LT(most, 1e-8);
}

/// Floating bodies in a periodic box, some of which cross its faces, edges and corners.
Problem periodic_bodies(int dimension) {
  Problem p = dimension == 2 ? square_in_cells(1) : cube_in_cells(1);
  const std::array cells{24, 20, 16};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, cells[d]);
    p.boundary[d] = {Boundary{P}, Boundary{P}};
  }
  p.reaction = 1e-3;
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  const double z = dimension == 2 ? 0 : 0.5;
  const auto ball = [&](double x, double y, double at_z, double radius) {
    return make_ellipsoid({x, y, at_z}, {radius, 0.8 * radius, dimension == 2 ? Bounds::far : radius});
  };
  media.body("metal", ball(0.52, 0.47, z, 0.17));
  // Images of one body on both sides of the faces.
  std::vector<ShapePtr> images;
  for (const double x : {0.03, 1.03})
    for (const double y : {-0.02, 0.98})
      for (const double at_z : {0.05, 1.05})
        if (dimension == 3 || at_z < 1) images.push_back(ball(x, y, dimension == 2 ? 0 : at_z, 0.18));
  media.body("metal", make_union(images));
  media.body("metal", make_union({ball(0.53, 0.02, z, 0.1), ball(0.53, 1.02, z, 0.1)}));
  media.use(p, Surfaces::sharp);
  return p;
}

/// Parts of bodies on several processes have the places of one process, and their periods.
TEST(ConnectedParts, PeriodicBodiesDoNotDependOnCuts) {
  for (const int dimension : {2, 3})
    for (const int axis : {0, 1}) {
      const Problem p = periodic_bodies(dimension);
      const Answer one = solve_alone(p, axis);
      ASSERT_EQ(one.bodies.size(), 3U);
      for (const Parts& parts : dimension == 2 ? std::vector<Parts>{{2, 1, 1}, {1, 3, 1}, {2, 2, 1}}
                                               : std::vector<Parts>{{1, 1, 2}, {2, 1, 1}, {1, 2, 2}}) {
        SCOPED_TRACE(std::to_string(dimension) + " axis " + std::to_string(axis) + " parts " +
                     std::to_string(parts[0]) + std::to_string(parts[1]) + std::to_string(parts[2]));
        expect_same_on(parts, p, axis, one);
      }
    }
}

/// Solves with a floating disc in a periodic box, which may lie on a face, behind a contact or beside an insulator.
Answer solve_disc(double x, double radius, double resistance = 0) {
  Problem p = square_in_cells(1);
  p.nodes[0] = uniform_nodes(0, 1.2, 24);
  p.nodes[1] = uniform_nodes(0, 1, 20);
  for (auto& faces : p.boundary) faces = {Boundary{P}, Boundary{P}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  std::vector<ShapePtr> images;
  for (const double period : {-1.2, 0.0, 1.2}) images.push_back(make_sphere({x + period, 0.5, 0}, radius));
  media.body("metal", make_union(images));
  if (resistance > 0) media.contact("background", "metal", resistance);
  media.use(p, Surfaces::sharp);
  return solve_alone(p, 0);
}

/// The top and the bottom of a disc at a periodic face lie between two centres of cells, so the cells beside them find
/// the disc only diagonally. The flux is that of the disc elsewhere. Nothing gives u a value, so that of the disc is 0.
TEST(ConnectedParts, TipsAtPeriodicFacesHaveTheirPeriods) {
  for (const double radius : {0.2251, 0.22505, 0.226}) {
    const Answer inside = solve_disc(0.6, radius), at_face = solve_disc(0, radius);
    ASSERT_EQ(at_face.bodies.size(), 1U);
    EXPECT_NEAR(at_face.flux, inside.flux, 1e-9) << radius;
    EXPECT_EQ(at_face.bodies[0].value, 0);
  }
}

/// Walls, and the slopes of contacts on them, are found beyond periodic ends: all shifts by whole cells agree.
TEST(ConnectedParts, ShiftsByCellsKeepTheFlux) {
  for (const double resistance : {0.0, 0.01, 1.0}) {
    const double inside = solve_disc(0.613, 0.231, resistance).flux;
    for (const int cells : {4, 5, 7, 8, 11, 12, 15})
      EXPECT_NEAR(solve_disc(0.613 + 0.05 * cells, 0.231, resistance).flux, inside, 1e-9)
          << resistance << ", " << cells;
  }
}

/// A body that connects both ends of an axis short-circuits them, on any number of processes.
TEST(ConnectedParts, WindingBodiesAreErrors) {
  Problem p = square_in_cells(24);
  for (auto& faces : p.boundary) faces = {Boundary{P}, Boundary{P}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  media.body("metal", make_box({-1, 0.3, -1}, {2, 0.5, 2}));
  media.use(p, Surfaces::sharp);
  for (const int parts : {1, 3})
    as_processes(parts, [&](const std::shared_ptr<const Processes>& processes) {
      std::vector<double> all(24 * 24);
      EXPECT_THROW(solve_shared(p, 0, Sharing{processes, {parts, 1, 1}, 300}, all), InputError);
    });
}

/// Without a fixed value the largest part is solved: rooms of different sizes between insulating walls, with sources
/// that balance in each room.
TEST(ConnectedParts, LargestPartDoesNotDependOnCuts) {
  for (const Surfaces surfaces : {Surfaces::sharp, Surfaces::staircase}) {
    Problem p = box_in_cells({24, 20});
    for (auto& faces : p.boundary) faces = {Boundary{N}, Boundary{N}};
    p.source = [](double x, double y, double) { return y > 0.6 && x > 0.25 ? (x < 0.625 ? 1.0 : -1.0) : 0.0; };
    MediaBuilder media;
    media.add("background", 1);
    media.add_insulator("wall");
    media.body("wall", make_box({-1, 0.5, -1}, {2, 0.6, 2}));
    media.body("wall", make_box({0.17, -1, -1}, {0.25, 2, 2}));
    media.body("wall", make_box({0.7, -1, -1}, {0.75, 0.5, 2}));
    media.use(p, surfaces);
    const Answer one = solve_alone(p, -1);
    EXPECT_GT(one.counts[static_cast<std::size_t>(CellState::floating)], 100);
    for (const Parts& parts : {Parts{2, 1, 1}, Parts{1, 2, 1}, Parts{3, 2, 1}}) expect_same_on(parts, p, -1, one);
  }
}

/// The cells of thin oblique rods do not touch, but each rod is one body; copies of `repeat` are several.
TEST(ConnectedParts, ThinObliqueRodsAreOneBody) {
  Problem p = box_in_cells({24, 20, 16});
  p.boundary[0] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::dirichlet, 0.0}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  const ShapePtr rod = make_cylinder({0.13, 0.17, 0.1}, {0.71, 0.41, 0.78}, 0.02);
  media.body("metal", rod);
  media.body("metal", make_repeated(make_moved(rod, Motion::translation({0.1, 0.2, 0})), {1, 2, 1}, {0, 0.2, 0}));
  media.use(p, Surfaces::sharp);
  const Answer one = solve_alone(p, -1);
  EXPECT_EQ(one.bodies.size(), 3U);
  for (const Parts& parts : {Parts{2, 2, 1}, Parts{1, 1, 3}}) expect_same_on(parts, p, -1, one);
}

/// A crescent is one body, although a thousandth of the box is all that connects its tips, along any axis.
TEST(ConnectedParts, ThinNecksConnectAlongEachAxis) {
  for (const bool swapped : {false, true}) {
    Problem p = box_in_cells({30, 30});
    p.boundary[0] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::dirichlet, 0.0}};
    const auto disc = [&](double x, double y, double radius) {
      return make_sphere(swapped ? Point{y, x, 0} : Point{x, y, 0}, radius);
    };
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    media.add("core", 5);
    media.body("metal", disc(0.3065, 0.9287, 0.1734));
    media.body("core", disc(0.3534, 0.8207, 0.1772));
    media.use(p, Surfaces::sharp);
    Solve solve(p, to_tolerance(1e-8));
    EXPECT_EQ(solve.discretization().media()->floating()->all().size(), 1U) << swapped;
  }
}

Problem with_copies(const ShapePtr& shape, const std::array<int, 3>& count, const Point& step) {
  Problem p = box_in_cells({24, 20});
  p.boundary[0] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::dirichlet, 0.0}};
  p.boundary[1] = {Boundary{N}, Boundary{N}};
  MediaBuilder media;
  media.add("background", 1);
  media.add_floating("metal");
  media.body("metal", make_repeated(shape, count, step));
  media.use(p, Surfaces::sharp);
  return p;
}

/// Copies of `repeat` between the centres of cells have their own values, however far apart they are: here one of four
/// discs in a uniform field contains a centre. Too many copies are strong conductors.
TEST(ConnectedParts, CopiesBetweenCentresFloat) {
  const ShapePtr disc = make_sphere({2 / 24.0, 0.525, 0}, 0.008);
  const Point step{6.25 / 24, 0, 0};
  const Problem p = with_copies(disc, {4, 1, 1}, step);
  const Answer one = solve_alone(p, -1);
  ASSERT_EQ(one.bodies.size(), 4U);
  EXPECT_GT(one.bodies[0].cells, 0);
  std::vector<double> values;
  for (const FloatingResult& body : one.bodies) values.push_back(body.value);
  std::ranges::sort(values, std::greater());
  for (std::size_t b = 0; b < 4; ++b)
    EXPECT_NEAR(values[b], 1 - 2 / 24.0 - step[0] * static_cast<double>(b), 0.01) << b;
  for (const Parts& parts : {Parts{2, 1, 1}, Parts{3, 2, 1}}) expect_same_on(parts, p, -1, one);
  const ShapePtr below = make_moved(disc, Motion::translation({0, -0.5, 0}));
  EXPECT_EQ(solve_alone(with_copies(below, {4, 2, 1}, {step[0], 0.1, 0}), -1).bodies.size(), 8U);
  EXPECT_TRUE(solve_alone(with_copies(below, {4, 9, 1}, {step[0], 0.1, 0}), -1).bodies.empty());
}

/// Copies a period apart are one body. Its flux is that of a body in the middle of the box.
TEST(ConnectedParts, CopiesBetweenCentresHavePeriods) {
  const ShapePtr disc = make_sphere({12.5 / 24, 0, 0}, 0.008);
  Problem images = with_copies(disc, {1, 2, 1}, {0, 1, 0});
  Problem inside = with_copies(make_moved(disc, Motion::translation({0, 0.5, 0})), {1, 1, 1}, {});
  for (Problem* p : {&images, &inside})
    for (auto& faces : p->boundary) faces = {Boundary{P}, Boundary{P}};
  const Answer at_face = solve_alone(images, 1), middle = solve_alone(inside, 1);
  EXPECT_EQ(at_face.bodies.size(), 1U);
  EXPECT_EQ(middle.bodies.size(), 1U);
  EXPECT_LT(middle.flux, -1.0005);  // −1 without the body
  EXPECT_NEAR(at_face.flux, middle.flux, 1e-9);
}

/// A wire that is thinner than a cell makes one body of two balls; without it they are two.
TEST(ConnectedParts, ThinWiresConnect) {
  for (const bool wired : {true, false}) {
    Problem p = box_in_cells({24, 20});
    p.boundary[0] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::dirichlet, 0.0}};
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    std::vector<ShapePtr> parts{make_sphere({0.25, 0.3, 0}, 0.1), make_sphere({0.75, 0.7, 0}, 0.1)};
    if (wired) parts.push_back(make_prism({{0.25, 0.29}, {0.75, 0.69}, {0.75, 0.71}, {0.25, 0.31}}, -1, 1));
    media.body("metal", make_union(parts));
    media.use(p, Surfaces::sharp);
    const Answer one = solve_alone(p, -1);
    EXPECT_EQ(one.bodies.size(), wired ? 1U : 2U);
    expect_same_on({2, 2, 1}, p, -1, one);
  }
}

/// Many random bodies that overlap: each process finds parts, which are joined over several cuts.
TEST(ConnectedParts, RandomBodiesDoNotDependOnCuts) {
  for (const unsigned seed : {1U, 2U}) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(0, 1);
    Problem p = box_in_cells({24, 20, 16});
    p.boundary[0] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::dirichlet, 0.0}};
    for (const std::size_t d : {1U, 2U}) p.boundary[d] = {Boundary{P}, Boundary{P}};
    MediaBuilder media;
    media.add("background", 1);
    media.add_floating("metal");
    for (int b = 0; b < 28; ++b)
      media.body("metal", make_cylinder({0.1 + 0.8 * place(random), place(random), place(random)},
                                        {0.1 + 0.8 * place(random), place(random), place(random)}, 0.04));
    media.use(p, Surfaces::sharp);
    const Answer one = solve_alone(p, -1);
    EXPECT_GT(one.bodies.size(), 1U);
    for (const Parts& parts : {Parts{2, 2, 1}, Parts{1, 2, 2}}) expect_same_on(parts, p, -1, one);
  }
}

}  // namespace
}  // namespace poisson::connected_parts_tests
