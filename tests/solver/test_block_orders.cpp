// Orders of errors and of flows through walls on blocks of many shapes.

#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/blocks.hpp"

namespace poisson::test::block_orders_tests {
namespace {

constexpr double pi = std::numbers::pi;

// Is a problem with a known solution, and the flow into the domain through the patch "wall".
struct Known {
  std::function<double(double, double, double)> u, f;
  double flow;
};

// u = log r around a wall that surrounds the origin.
Known logarithm(double height = 1) {
  return {[](double x, double y, double) { return std::log(std::hypot(x, y)); },
          [](double, double, double) { return 0.0; }, -2 * pi * height};
}

// u = sin(πx) exp(y); its flow through straight edges is integrated with three points of Gauss on short pieces.
Known smooth(const std::vector<std::array<Place3, 2>>& edges, const Place3& inside) {
  double flow = 0;
  for (const auto& [a, b] : edges) {
    const double tx = b[0] - a[0], ty = b[1] - a[1];
    double nx = ty, ny = -tx;  // the normal times the length
    if (nx * (a[0] - inside[0]) + ny * (a[1] - inside[1]) < 0) {
      nx = -nx;
      ny = -ny;
    }
    constexpr int pieces = 50;
    for (int p = 0; p < pieces; ++p)
      for (const auto& [t, w] :
           {std::pair{0.5 - std::sqrt(0.15), 5.0 / 18}, {0.5, 8.0 / 18}, {0.5 + std::sqrt(0.15), 5.0 / 18}}) {
        const double x = a[0] + (p + t) / pieces * tx, y = a[1] + (p + t) / pieces * ty;
        flow += w / pieces * (nx * pi * std::cos(pi * x) + ny * std::sin(pi * x)) * std::exp(y);
      }
  }
  return {[](double x, double y, double) { return std::sin(pi * x) * std::exp(y); },
          [](double x, double y, double) { return (pi * pi - 1) * std::sin(pi * x) * std::exp(y); }, flow};
}

struct Orders {
  double solution, flow;
};

// Solves with n and 2n cells along each edge. `made` returns the blocks for a number of cells.
Orders orders_of(const std::function<MadeBlocks(int)>& made, int n, const Known& known) {
  std::array<double, 2> errors{}, flows{};
  for (std::size_t k = 0; k < 2; ++k) {
    const BlockMesh mesh = make_block_mesh(geometry_of(made(n << k), n << k));
    MeshProblem problem = block_problem(mesh, Quantity(known.u), Quantity(known.f));
    MeshCondition wall;
    wall.name = "wall";
    wall.groups = {0};
    wall.value = Quantity(known.u);
    problem.conditions.insert(problem.conditions.begin(), wall);
    Options options;
    options.tolerance = 1e-10;
    const BlockSolution found = solve_blocks(mesh, problem, options);
    EXPECT_TRUE(found.result.converged());
    errors[k] = error_of(*found.data, found.u, Quantity(known.u)).l2;
    flows[k] = std::abs(condition_flows(*found.data, found.u)[0].flow - known.flow);
  }
  return {std::log2(errors[0] / errors[1]), std::log2(flows[0] / flows[1])};
}

void expect_orders(const std::function<MadeBlocks(int)>& made, int n, const Known& known, const char* name) {
  const Orders found = orders_of(made, n, known);
  EXPECT_GE(found.solution, 1.9) << name;
  EXPECT_GE(found.flow, 1.9) << name;
}

MadeBlocks with_wall(MadeBlocks made, const std::vector<std::vector<int>>& sides) {
  const MacroTopology topology(made.macro);
  made.patches = {{"wall", {}}};
  for (const std::vector<int>& side : sides) made.patches[0].parts.push_back(topology.find(side));
  return made;
}

// Returns a C-grid around a lens with a sharp trailing edge: four blocks at the wall and two beside the wake. The edges
// of the lens are arcs, or parabolas as those of second-order elements.
MadeBlocks c_grid(bool parabolas) {
  MadeBlocks made;
  made.macro.vertices = {{1, 0, 0},  {0, 0.4, 0},  {-1, 0, 0},     {0, -0.4, 0}, {1.3, 2.5, 0}, {0, 2.8, 0},
                         {-3, 0, 0}, {0, -2.8, 0}, {1.3, -2.5, 0}, {3, 0, 0},    {3, 2.5, 0},   {3, -2.5, 0}};
  for (const std::array<int, 4>& around :
       {std::array{0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 8, 0}, {0, 9, 10, 4}, {0, 8, 11, 9}})
    add_quadrilateral(made.macro, around);
  for (const auto& [a, b, x, y] : {std::tuple{0, 1, 0.5, 1}, {1, 2, -0.5, 1}, {2, 3, -0.5, -1}, {0, 3, 0.5, -1}}) {
    const double height = parabolas ? 0.4 * (1 - x * x) : std::sqrt(1.45 * 1.45 - x * x) - 1.05;
    const Place3 &from = made.macro.vertices[static_cast<std::size_t>(a)],
                 &to = made.macro.vertices[static_cast<std::size_t>(b)], middle{x, y * height, 0};
    made.curves[{a, b}] = parabolas ? parabola_through(from, middle, to) : arc_through(from, middle, to);
  }
  return with_wall(std::move(made), {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
}

TEST(BlockOrders, AreTwoOnCGrids) {
  for (const bool parabolas : {false, true})
    expect_orders([&](int) { return c_grid(parabolas); }, 16, logarithm(), parabolas ? "parabolas" : "arcs");
}

TEST(BlockOrders, AreTwoOnRings) {
  for (const double aspect : {1.0, 30.0, 1e4})
    expect_orders([&](int n) { return ring(4, 3, aspect, n); }, 16, logarithm(), "ring");
  expect_orders([](int n) { return ring(3, 2, 10, n, 2); }, 12, logarithm(), "two layers");
}

// Edges of second-order elements are parabolas. u = log r has the same flow through any wall around the origin.
TEST(BlockOrders, AreTwoOnParabolas) {
  const auto made = [](int n) {
    MadeBlocks of = ring(5, 2, 1, n);
    for (auto& [edge, curve] : of.curves) {
      const Curve arc = curve;
      curve = parabola_through(arc(0), arc(0.5), arc(1));
    }
    return of;
  };
  expect_orders(made, 12, logarithm(), "parabolas");
}

TEST(BlockOrders, AreTwoOnSkewedBlocksAndStars) {
  const auto square = [](int) { return with_wall(grid_of_blocks({2, 2}, 0.3, true), {{0, 1}, {1, 2}}); };
  expect_orders(square, 32, smooth({{Place3{0, 0, 0}, Place3{1, 0, 0}}}, {0.5, 0.5, 0}), "skewed");
  const MadeBlocks five = star(5);
  const auto& x = five.macro.vertices;
  expect_orders(
      [](int) {
        return with_wall(star(5), {{1, 2}, {2, 3}});
      },
      24, smooth({{x[1], x[2]}, {x[2], x[3]}}, {0, 0, 0}), "star");
  const auto with_three = star(3);
  const auto& y = with_three.macro.vertices;
  expect_orders([](int) { return with_wall(star(3), {{1, 2}}); }, 12, smooth({{y[1], y[2]}}, {0, 0, 0}), "three");
}

// κ jumps by 10⁴ at an oblique interface, across which the flux κ ∂u/∂n is continuous.
TEST(BlockOrders, AreTwoWhereTheCoefficientJumps) {
  const auto side = [](double x, double y) { return x - 0.5 * y - 0.8; };
  const Quantity kappa([=](double x, double y, double) { return side(x, y) < 0 ? 1.0 : 1e4; });
  const Quantity exact([=](double x, double y, double) {
    const double s = side(x, y);
    return (s + 0.3 * s * s * s) * (s < 0 ? 1.0 : 1e-4);
  });
  const Quantity source([=](double x, double y, double) { return -1.25 * 1.8 * side(x, y); });
  MadeBlocks made;
  made.macro.vertices = {{0, 0, 0}, {0.8, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1.3, 1, 0}, {2, 1, 0}};
  add_quadrilateral(made.macro, {0, 1, 4, 3});
  add_quadrilateral(made.macro, {2, 5, 4, 1});
  made = with_wall(std::move(made), {{0, 3}});
  constexpr double flow = -1 - 0.9 * (0.64 + 0.4 + 0.25 / 3);  // ∫ −∂u/∂x over the side x = 0
  std::array<double, 2> errors{}, flows{};
  for (std::size_t k = 0; k < 2; ++k) {
    const BlockMesh mesh = make_block_mesh(geometry_of(made, 16 << k));
    MeshProblem problem = block_problem(mesh, exact, source);
    problem.coefficient.fill(kappa);
    MeshCondition wall;
    wall.name = "wall";
    wall.groups = {0};
    wall.value = exact;
    problem.conditions.insert(problem.conditions.begin(), wall);
    Options options;
    options.tolerance = 1e-10;
    const BlockSolution found = solve_blocks(mesh, problem, options);
    EXPECT_TRUE(found.result.converged());
    EXPECT_LE(found.result.iterations, 12);
    errors[k] = error_of(*found.data, found.u, exact).l2;
    flows[k] = std::abs(condition_flows(*found.data, found.u)[0].flow - flow);
  }
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9);
  EXPECT_GE(std::log2(flows[0] / flows[1]), 1.9);
}

TEST(BlockOrders, AreTwoInSpace) {
  expect_orders([](int n) { return extruded(ring(4, 2, 5, n), 0.7); }, 6, logarithm(0.7), "cylinder");
  const auto cube = [](int) { return with_wall(grid_of_blocks({2, 1, 1}, 0.0, true), {{0, 1, 3, 4}, {1, 2, 4, 5}}); };
  const Known known{[](double x, double y, double z) { return std::sin(pi * x) * std::exp(y) * std::cos(z); },
                    [](double x, double y, double z) { return pi * pi * std::sin(pi * x) * std::exp(y) * std::cos(z); },
                    0};  // ∂u/∂z = 0 at z = 0
  const Orders found = orders_of(cube, 8, known);
  EXPECT_GE(found.solution, 1.9);
}

}  // namespace
}  // namespace poisson::test::block_orders_tests
