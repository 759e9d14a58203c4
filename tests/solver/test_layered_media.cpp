// Layers whose κ varies over decades: lines across them, levels that keep these lines, and W-cycles for oblique layers.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/levels/levels.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::layered_media_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic;

struct Layers {
  std::size_t across = 2;  ///< axis
  int thickest = 8;        ///< cells
  double decades = 6;
  bool alternating = false;  ///< κ is 1 or 10^decades in turn
  double slope = 0;          ///< of the layers along the preceding axis
  int bodies = 0;            ///< balls of other κ
  unsigned seed = 1;
};

/// Returns κ by cells in layers of 1 to `thickest` cells.
GridArray kappa(const Layers& of, const std::array<int, 3>& n) {
  std::mt19937 engine(of.seed);
  const auto chance = [&] { return static_cast<double>(engine()) / 4294967296.0; };
  const std::size_t beside = (of.across + 2) % 3;
  std::vector<double> profile;
  for (int layer = 0; std::ssize(profile) < n[of.across] + n[beside]; ++layer) {
    const auto thick = static_cast<std::size_t>(1 + engine() % static_cast<unsigned>(of.thickest));
    profile.insert(profile.end(), thick, std::pow(10, of.decades * (of.alternating ? layer % 2 : chance())));
  }
  struct Ball {
    std::array<double, 3> centre;
    double radius, value;
  };
  std::vector<Ball> balls;
  for (int b = 0; b < of.bodies; ++b) {
    const std::array<double, 3> centre{chance() * n[0], chance() * n[1], chance() * n[2]};
    balls.push_back({centre, 2 + 6 * chance(), std::pow(10, of.decades * chance())});
  }
  GridArray cells{Location::cell, {n[0], n[1], n[2]}, {}};
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const std::array<int, 3> at{x, y, z};
        const int depth = at[of.across] + static_cast<int>(of.slope * at[beside]);
        double value = profile[static_cast<std::size_t>(depth)];
        for (const Ball& ball : balls) {
          double square = 0;
          for (std::size_t d = 0; d < 3; ++d) square += std::pow(at[d] - ball.centre[d], 2);
          if (square < ball.radius * ball.radius) value = ball.value;
        }
        cells.values.push_back(value);
      }
  return cells;
}

struct Kind {
  const char* name;
  Centering centering;
  Scheme scheme;
};
constexpr std::array kinds{Kind{"cells", Centering::cell, Scheme::fv}, Kind{"nodes", Centering::node, Scheme::fv},
                           Kind{"elements", Centering::node, Scheme::q1}};

/// Returns a box of equal cubes with Dirichlet data 0 and 1 at the ends of the axis across the layers, or with `all`
/// faces of one kind and a source.
Problem problem(const Layers& layers, const std::array<int, 3>& n, const Kind& kind = kinds[0],
                std::optional<BoundaryKind> all = {}) {
  Problem p;
  p.dimension = 3;
  p.centering = kind.centering;
  p.scheme = kind.scheme;
  const double cell = 1.0 / *std::ranges::max_element(n);
  for (std::size_t d = 0; d < 3; ++d) {
    p.nodes[d] = uniform_nodes(0, cell * n[d], n[d]);
    for (std::size_t end = 0; end < 2; ++end)
      p.boundary[d][end] = {all.value_or(d == layers.across ? D : N), all ? 0.0 : static_cast<double>(end)};
    if (!all && d != layers.across) p.boundary[d] = {Boundary{N, 0.0}, Boundary{N, 0.0}};
  }
  if (all == D) p.source = 1.0;
  if (all && all != D)
    p.source = [cell, n](double x, double y, double z) {
      return std::sin(6.283185307179586 * (x / n[0] + y / n[1] + z / n[2]) / cell);
    };
  p.coefficient[0] = kappa(layers, n);
  return p;
}

Options automatic() {
  Options options;
  options.method = Method::automatic;
  return options;
}

int iterations(const Problem& p) {
  Solve s(p, automatic());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  EXPECT_TRUE(result.steps.empty()) << result.steps.front();
  return result.iterations;
}

// Measured: 1 or 2. Points take 83 iterations, or 40 and a fallback.
TEST(LayeredMedia, TakeFewIterationsAcrossEachAxis) {
  for (const std::size_t across : {0U, 1U, 2U})
    for (const Kind& kind : kinds) {
      SCOPED_TRACE(testing::Message() << kind.name << " " << across);
      std::array<int, 3> n{8, 8, 8};
      n[across] = 256;
      EXPECT_LE(iterations(problem({.across = across}, n, kind)), 5);
    }
}

TEST(LayeredMedia, TakeFewIterationsForAnyThicknessJumpAndSize) {
  for (const Kind& kind : {kinds[0], kinds[1]})
    for (const Layers& layers : {Layers{.thickest = 3}, Layers{.decades = 3, .alternating = true},
                                 Layers{.decades = 6, .alternating = true}, Layers{.seed = 2}, Layers{.seed = 3}})
      for (const std::array<int, 3>& n : {std::array{8, 8, 256}, {7, 9, 201}}) {
        SCOPED_TRACE(testing::Message() << kind.name << " " << layers.decades << " " << layers.seed << " " << n[2]);
        EXPECT_LE(iterations(problem(layers, n, kind)), 6);
      }
}

// Measured: at most 12.
TEST(LayeredMedia, TakeFewIterationsBetweenAllFaces) {
  for (const Kind& kind : {kinds[0], kinds[1]})
    for (const BoundaryKind all : {D, N, P}) {
      SCOPED_TRACE(testing::Message() << kind.name << " " << static_cast<int>(all));
      EXPECT_LE(iterations(problem({}, {8, 9, 200}, kind, all)), 15);
    }
}

// Points need 67 and 84 iterations in cells.
TEST(LayeredMedia, ToleratesBodiesAndSlopes) {
  for (const Kind& kind : {kinds[0], kinds[1]}) {
    EXPECT_LE(iterations(problem({.bodies = 5}, {12, 12, 256}, kind)), 14) << kind.name;
    EXPECT_LE(iterations(problem({.slope = 0.02}, {12, 12, 256}, kind)), 14) << kind.name;
  }
}

// 21 and 19 iterations; V-cycles need 40 and a fallback.
TEST(LayeredMedia, TakeWCyclesIfLayersAreOblique) {
  for (const Kind& kind : {kinds[0], kinds[1]}) {
    Solve s(problem({.slope = 0.5}, {24, 24, 200}, kind), automatic());
    EXPECT_EQ(s.solver().options().cycle, Cycle::w);
    const Result result = s.run();
    EXPECT_TRUE(result.converged() && result.steps.empty());
    EXPECT_LE(result.iterations, 24) << kind.name;
  }
}

// The coarsest level has at most two values along each axis within the layers, and all values across them.
TEST(LayeredMedia, KeepTheAxisAcrossLayersOnAllLevels) {
  for (const Kind& kind : {kinds[0], kinds[1]}) {
    Solve s(problem({}, {30, 17, 101}, kind), automatic());
    const Options& options = s.solver().options();
    EXPECT_EQ(options.on_galerkin.relaxation, (Relaxation{Extent::line, 2}));
    LevelRules rules;
    rules.galerkin = true;
    rules.on_galerkin = options.on_galerkin;
    const std::vector<LevelPlan> levels = choose_levels(s.block(), rules);
    const Block& coarsest = levels.back().block;
    EXPECT_EQ(coarsest.axes[0].size(), 2);
    EXPECT_EQ(coarsest.axes[1].size(), 2);
    EXPECT_EQ(coarsest.axes[2].size(), s.block().axes[2].size());
  }
}

// Rediscretized levels serve small jumps at a lower cost.
TEST(LayeredMedia, RediscretizeSmallJumps) {
  Solve s(problem({.decades = 1, .alternating = true}, {8, 8, 64}), automatic());
  EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::rediscretized);
}

TEST(LayeredMedia, TakeTheSameIterationsForSeveralProcesses) {
  for (const Kind& kind : kinds)
    for (const int bodies : {0, 5}) {
      Case c;
      c.problem = problem({.bodies = bodies}, {12, 13, 40}, kind);
      c.options.fallback = Fallback::never;
      std::vector<double> wanted(static_cast<std::size_t>(make_block(c.problem).layout().size())), found(wanted);
      const Solved one = solve(c, {}, wanted);
      EXPECT_LE(one.result.iterations, 20);
      for (const std::array parts : {std::array{1, 1, 2}, {1, 1, 3}, {2, 1, 2}, {1, 2, 2}, {1, 1, 5}}) {
        SCOPED_TRACE(testing::Message() << kind.name << ", " << bodies << ", in " << parts[0] << " x " << parts[1]
                                        << " x " << parts[2]);
        as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
          EXPECT_NEAR(solve(c, {processes, parts, 300}, found).result.iterations, one.result.iterations, 1);
        });
        EXPECT_LE(largest_difference(found, wanted), 1e-5 * largest_magnitude(wanted));
      }
    }
}

}  // namespace
}  // namespace poisson::layered_media_tests
