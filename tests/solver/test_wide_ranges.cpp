// Lognormal κ varies by orders of magnitude in many small steps. The default choices must need few iterations at all
// lengths of its variations, at nodes and in cells, in the plane, in space and in flat boxes.

#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "tests/solve.hpp"

namespace poisson::wide_ranges_tests {
namespace {

struct Field {
  const char* name;
  std::array<int, 3> cells;
  double deviation, length;  // of log κ, and of its variations in cells
  Centering centering;
  int most;  // iterations
};

std::ostream& operator<<(std::ostream& out, const Field& f) {
  return out << f.name;
}

// Sums waves of random directions and phases. Their sum is nearly Gaussian.
class LogNormal {
 public:
  LogNormal(double deviation, double length) : scale_(deviation * std::sqrt(2.0 / waves)) {
    std::mt19937 engine(11);
    std::normal_distribution<double> number(0, 1 / length);
    std::uniform_real_distribution<double> phase(0, 6.283185307179586);
    for (auto& wave : waves_) wave = {number(engine), number(engine), number(engine), phase(engine)};
  }
  double operator()(double x, double y, double z) const {
    double sum = 0;
    for (const auto& [a, b, c, phase] : waves_) sum += std::cos(a * x + b * y + c * z + phase);
    return std::exp(scale_ * sum);
  }

 private:
  static constexpr int waves = 20;
  double scale_;
  std::array<std::array<double, 4>, waves> waves_;
};

class WideRanges : public testing::TestWithParam<Field> {};

TEST_P(WideRanges, TakeFewIterations) {
  const Field& f = GetParam();
  Problem p;
  p.dimension = f.cells[2] > 1 ? 3 : 2;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    p.nodes[d] = uniform_nodes(0, f.cells[d], f.cells[d]);
  p.centering = f.centering;
  p.coefficient[0] = LogNormal(f.deviation, f.length);
  p.source = 1.0;
  for (auto& faces : p.boundary)
    for (Boundary& face : faces) face.kind = BoundaryKind::neumann;
  p.boundary[0][0] = {BoundaryKind::dirichlet, 0.0};
  p.boundary[0][1] = {BoundaryKind::dirichlet, 1.0};
  Options options;
  options.method = Method::automatic;
  Solve s(p, options);
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  EXPECT_LE(result.iterations, f.most);
}

constexpr auto cell = Centering::cell, node = Centering::node;

INSTANTIATE_TEST_SUITE_P(
    All, WideRanges,
    testing::Values(
        Field{"space_1_short", {48, 44, 40}, 1, 1.5, cell, 9}, Field{"space_1_long", {48, 44, 40}, 1, 8, cell, 12},
        Field{"space_2_short", {48, 44, 40}, 2, 1.5, cell, 10}, Field{"space_2_long", {48, 44, 40}, 2, 4, cell, 10},
        Field{"space_3_short", {48, 44, 40}, 3, 1.5, cell, 14}, Field{"space_3_middle", {48, 44, 40}, 3, 4, cell, 10},
        Field{"space_3_long", {48, 44, 40}, 3, 8, cell, 12}, Field{"nodes_2", {40, 44, 36}, 2, 2, node, 10},
        Field{"nodes_3", {40, 44, 36}, 3, 3, node, 12}, Field{"flat_2", {120, 110, 12}, 2, 4, cell, 14},
        Field{"flat_3", {120, 110, 12}, 3, 4, cell, 20}, Field{"thin_3", {150, 130, 4}, 3, 6, cell, 24},
        Field{"plane_1", {200, 180, 1}, 1, 2, cell, 10}, Field{"plane_2", {200, 180, 1}, 2, 6, cell, 14},
        Field{"plane_3", {200, 180, 1}, 3, 3, cell, 16}, Field{"plane_3_nodes", {200, 180, 1}, 3, 6, node, 14}),
    [](const auto& test) { return std::string(test.param.name); });

// Thin fibres of nearly one orientation fill a fifth of a box. They conduct 10³ times as well as the rest.
GridArray fibres(int n) {
  GridArray cells{Location::cell, {n, n, n}, std::vector<double>(static_cast<std::size_t>(n * n * n), 1e-3)};
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> place(0, n);
  std::normal_distribution<double> tilt(0, 0.3);
  std::size_t filled = 0;
  while (5 * filled < cells.values.size()) {
    const std::array<double, 3> from{place(engine), place(engine), place(engine)};
    const double a = tilt(engine), b = tilt(engine), length = std::sqrt(a * a + b * b + 1);
    const std::array<double, 3> along{a / length, b / length, 1 / length};
    std::size_t at = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i, ++at) {
          const std::array<double, 3> to{i + 0.5 - from[0], j + 0.5 - from[1], k + 0.5 - from[2]};
          const double on = to[0] * along[0] + to[1] * along[1] + to[2] * along[2];
          if (to[0] * to[0] + to[1] * to[1] + to[2] * to[2] - on * on > 1.5 * 1.5 || cells.values[at] == 1) continue;
          cells.values[at] = 1;
          ++filled;
        }
  }
  return cells;
}

TEST(OrientedFibres, TakeFewIterations) {
  constexpr int n = 64;
  Problem p;
  p.dimension = 3;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, n, n);
  p.centering = Centering::cell;
  p.coefficient[0] = fibres(n);
  for (auto& faces : p.boundary)
    for (Boundary& face : faces) face.kind = BoundaryKind::periodic;
  p.source = [](double x, double y, double z) { return std::sin(0.3 * x) + std::cos(0.2 * y + 0.4 * z); };
  Options options;
  options.method = Method::automatic;
  Solve s(p, options);
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict);
  std::printf("oriented fibres: %d iterations\n", result.iterations);
  EXPECT_LE(result.iterations, 14);
}

}  // namespace
}  // namespace poisson::wide_ranges_tests
