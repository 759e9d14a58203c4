// Iterations with sheets, contacts and boards, against those without them.

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/results/integrals.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::thin_layers_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;

Result solve(const Problem& p) {
  Solve solve(p, {.method = Method::multigrid});
  const Result result = solve.run();
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(result.steps.empty());
  return result;
}

// A cube of sources with bodies of κ = 10 in 1, between faces with values.
Problem heated(int cells) {
  Problem p = cube_in_cells(cells, cells);
  p.boundary = {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{D, 0.0}, Boundary{D, 1.0}}}};
  p.source = 1.0;
  return p;
}

struct Place {
  const char* name;
  std::vector<std::array<Point, 2>> boxes;  ///< in cells
};

/// Layers of cells with sheets lie at odd places, which coarse levels keep. Interpolated, they take 9 iterations, 4
/// without sheets.
TEST(ThinLayers, SheetsTakeFewIterations) {
  const double far = 1000;
  const std::array places{Place{"odd", {{{{13, 13, 13}, {36, 36, 36}}}}},
                          Place{"even and odd", {{{{12, 13, 12}, {35, 36, 36}}}}},
                          Place{"between faces", {{{{12.4, 12.7, 13.5}, {35.3, 35.8, 36.1}}}}},
                          Place{"boards",
                                {{{{-far, -far, 7}, {far, far, 10}}},
                                 {{{-far, -far, 21}, {far, far, 24}}},
                                 {{{-far, -far, 35}, {far, far, 38}}}}}};
  for (const auto& [name, boxes] : places) {
    std::array<int, 2> iterations{};
    for (const bool sheets : {false, true}) {
      Problem p = heated(48);
      MediaBuilder media;
      media.add("background", 1);
      media.add("core", 10);
      for (const auto& [lower, upper] : boxes) media.body("core", make_box(lower, upper));
      if (sheets) media.sheet("core", 0.05, 1e6);
      media.use(p, Surfaces::sharp);
      iterations[sheets ? 1 : 0] = solve(p).iterations;
    }
    EXPECT_LE(2 * iterations[1], 3 * iterations[0]) << name << ": " << iterations[0] << ", " << iterations[1];
  }
}

TEST(ThinLayers, ContactsTakeFewIterations) {
  for (const double resistance : {1e-6, 1e-4, 1e-2})
    for (const bool round : {false, true}) {
      Problem p = heated(32);
      MediaBuilder media;
      media.add("background", 1);
      media.add("core", 10);
      media.body("core", round ? make_ellipsoid({16, 16, 16}, {9, 9, 9}) : make_box({7, 8, 9}, {23, 24, 26}));
      media.contact("core", "background", 32 * resistance);
      media.use(p, Surfaces::sharp);
      EXPECT_LE(solve(p).iterations, 6) << resistance << (round ? " sphere" : " box");
    }
}

/// A contact on a plane across the flow, wherever it lies in a cell: also through its centre, which lines from centre
/// to centre touch only.
TEST(ThinLayers, ContactsHoldAnywhereInACell) {
  for (const double place : {3.0, 3.25, 3.5, 3.75, 6.5})
    for (const bool below : {false, true}) {
      Problem p = square_in_cells(10, 10);
      p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {}}};
      MediaBuilder media;
      media.add("background", 2);
      media.add("plate", 5);
      media.body("plate", below ? make_box({-1, -1, -1}, {place, 20, 20}) : make_box({place, -1, -1}, {20, 20, 20}));
      media.contact("plate", "background", 30);
      media.use(p, Surfaces::averaged);
      Solve solve(p, {.method = Method::multigrid});
      ASSERT_TRUE(solve.run().converged());
      const double flow =
          balance(solve.discretization(), solve.solver().A(), solve.solution(), solve.rhs(), solve.solver().spare())
              .flux[0];
      const double in_plate = below ? place : 10 - place;
      EXPECT_NEAR(flow, 10 / (30 + in_plate / 5 + (10 - in_plate) / 2), 1e-6) << place;
    }
}

/// A chip on a board: couplings across the board are the weak ones in a sixth of the cells. Points on all levels take
/// 21 iterations, and 26 on twice as many cells along each axis; lines across the board that all levels keep take 6.
TEST(ThinLayers, BoardsTakeFewIterations) {
  for (const bool sheet : {false, true}) {
    Problem p = cube_in_cells(48, 0.024);
    p.nodes[2] = uniform_nodes(0, 0.006, 24);
    p.boundary = {
        {{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{R, 0.0, 400.0}, Boundary{R, 0.0, 800.0}}}};
    MediaBuilder media;
    media.add("mold", 0.9);
    media.add("board", {18, 18, 0.4});
    media.add("copper", 390);
    media.add("die", 130);
    media.back().power = 12.5;
    media.body("board", make_box({-1, -1, 0.001}, {1, 1, 0.002}));
    media.body("copper", make_box({0.008, 0.008, 0.002}, {0.016, 0.016, 0.003}));
    media.body("die", make_box({0.009, 0.009, 0.003}, {0.015, 0.015, 0.0035}));
    media.body("copper", make_box({-1, -1, 0.005}, {1, 1, 0.006}));
    media.contact("die", "copper", 2e-5);
    if (sheet) media.sheet("board", 35e-6, 390);
    media.use(p, Surfaces::sharp);
    EXPECT_LE(solve(p).iterations, 9) << (sheet ? "with a sheet" : "without a sheet");
  }
}

}  // namespace
}  // namespace poisson::thin_layers_tests
