// Bodies with one value and sharp edges: capacitances in grounded boxes, wherever the edges lie in their cells.

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/results/region_results.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::edges_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet;

// Returns the flow out of a body at 1 in a grounded box of side 1.
double capacitance(int dimension, const std::array<int, 3>& cells, const ShapePtr& shape) {
  Problem p = dimension == 2 ? square_in_cells(1) : cube_in_cells(1);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, cells[d]);
    for (Boundary& face : p.boundary[d]) face = Boundary{D, 0.0};
  }
  MediaBuilder media;
  media.add("background", 1);
  media.add("body", 1);
  media.back().fixed = 1;
  media.body("body", shape);
  media.use(p, Surfaces::sharp);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  Solve solve(p, options);
  EXPECT_TRUE(solve.run().converged());
  return media_results(solve.discretization(), solve.solution()).regions[1].flow;
}

/// A square of side 1/2 in a square of side 1 has 10.2341 (Bowman, "Introduction to Elliptic Functions", 1953).
TEST(EdgesOfBodies, SquareInASquare) {
  for (const int cells : {30, 37, 45, 64, 66, 75, 91}) {
    const double found = capacitance(2, {cells, cells, 1}, make_box({0.25, 0.25, -1}, {0.75, 0.75, 1}));
    std::printf("square, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / 10.2340925 - 1));
    EXPECT_NEAR(found, 10.2340925, (cells < 60 ? 3e-3 : 1.5e-3) * 10.234);
  }
}

/// Cells may be longer along one axis.
TEST(EdgesOfBodies, SquareInASquareOfOblongCells) {
  for (const auto& [nx, ny] : {std::array{64, 78}, std::array{71, 60}}) {
    const double found = capacitance(2, {nx, ny, 1}, make_box({0.25, 0.25, -1}, {0.75, 0.75, 1}));
    EXPECT_NEAR(found, 10.2340925, 4e-3 * 10.234) << nx << " x " << ny << " " << found;
  }
}

/// The reference is the limit of grids of 32 to 96 cells whose faces coincide with those of the cube.
TEST(EdgesOfBodies, CubesWhereverTheyLie) {
  constexpr double exact = 5.461;
  for (const int cells : {45, 48, 54, 61, 62}) {
    const double found =
        capacitance(3, {cells, cells, cells}, make_box({0.3125, 0.3125, 0.3125}, {0.6875, 0.6875, 0.6875}));
    std::printf("cube, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / exact - 1));
    EXPECT_NEAR(found, exact, 3e-3 * exact);
  }
}

/// The edges of a cylinder follow its axis along the grid, but turn about it.
TEST(EdgesOfBodies, CylindersWithFlatEnds) {
  constexpr double exact = 5.122;
  for (const std::size_t axis : {0U, 2U})
    for (const int cells : {41, 47, 50, 56}) {
      Point from{0.5, 0.5, 0.5}, to = from;
      from[axis] = 0.3;
      to[axis] = 0.7;
      const double found = capacitance(3, {cells, cells, cells}, make_cylinder(from, to, 0.2));
      std::printf("cylinder, %d cells: %.4f, %.3f %%\n", cells, found, 100 * (found / exact - 1));
      EXPECT_NEAR(found, exact, 3e-3 * exact);
    }
}

}  // namespace
}  // namespace poisson::edges_tests
