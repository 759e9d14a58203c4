// Order of accuracy where κ jumps on faces of cells, for unknowns at nodes: by scheme, boundary kind, grid, dimension
// and kind of κ. (Unknowns in cells: test_cell_solver.cpp.)

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// κ jumps by 10⁴ across x = 1/2: u = (level + sin(w(x − 1/2))/κ) times waves in y and z is continuous there, and so is
/// its flux. With level 1 the source and the data of faces that cross it are not: on it, they are the means of both
/// sides, as finite volumes around it integrate them. Elements interpolate them between the nodes, and take level 0.
struct Layers {
  int dimension;
  double level;
  BoundaryKind along;  ///< of the faces across y and z
  std::array<double, 3> kappa{1, 1, 1};

  static constexpr double w = 1.5, low = 1, high = 1e4, alpha = 2;
  double v() const { return along == P ? 2 * std::numbers::pi : 1.2; }
  static double step(double x) { return std::abs(x - 0.5) < 1e-9 ? 0.5 * (low + high) : x < 0.5 ? low : high; }
  double profile(double x) const { return level + std::sin(w * (x - 0.5)) / (x < 0.5 ? low : high); }
  /// κ times it, the mean of both sides on the jump.
  double weighted(double x) const { return level * step(x) + std::sin(w * (x - 0.5)); }

  double wave(std::size_t d, double s) const {
    if (static_cast<int>(d) >= dimension) return 1;
    return 2 + std::sin(v() * s + 0.3 * static_cast<double>(d));
  }
  double slope(std::size_t d, double s) const { return v() * std::cos(v() * s + 0.3 * static_cast<double>(d)); }
  double u(double x, double y, double z) const { return profile(x) * wave(1, y) * wave(2, z); }
  double source(double x, double y, double z) const {
    const double Y = wave(1, y), Z = wave(2, z);
    double f = kappa[0] * w * w * std::sin(w * (x - 0.5)) * Y * Z;
    f += weighted(x) * v() * v() * kappa[1] * (Y - 2) * Z;
    if (dimension == 3) f += weighted(x) * v() * v() * kappa[2] * (Z - 2) * Y;
    return f;
  }
  /// κ ∂u/∂x_d
  double flux(std::size_t d, double x, double y, double z) const {
    if (d == 0) return kappa[0] * w * std::cos(w * (x - 0.5)) * wave(1, y) * wave(2, z);
    const double across = d == 1 ? slope(1, y) * wave(2, z) : wave(1, y) * slope(2, z);
    return kappa[d] * weighted(x) * across;
  }

  Problem problem(Scheme scheme, const std::vector<double>& nodes) const {
    Problem p;
    p.dimension = dimension;
    p.scheme = scheme;
    p.isotropic = kappa == std::array<double, 3>{1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d)
      p.coefficient[d] = [k = kappa[d]](double x, double, double) { return k * step(x); };
    p.source = [m = *this](double x, double y, double z) { return m.source(x, y, z); };
    p.exact = [m = *this](double x, double y, double z) { return m.u(x, y, z); };
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      p.nodes[d] = nodes;
      for (std::size_t end = 0; end < 2; ++end) {
        const BoundaryKind kind = d > 0 ? along : end == 0 ? D : R;
        const double side = end == 0 ? -1 : 1;
        p.boundary[d][end] = {kind,
                              [m = *this, d, side, kind](double x, double y, double z) {
                                if (kind == D) return m.u(x, y, z);
                                return side * m.flux(d, x, y, z) + (kind == R ? alpha * m.u(x, y, z) : 0);
                              },
                              kind == R ? alpha : 0.0};
      }
    }
    return p;
  }
};

class InterfaceOrder : public testing::TestWithParam<std::tuple<int, Scheme, bool>> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(InterfaceOrder, IsTwo) {
  const auto& [dimension, scheme, stretched] = GetParam();
  Options options;
  options.krylov = Krylov::cg;
  options.coarse_operator = CoarseOperator::rediscretized;  // no coarse grid loses the layers
  options.tolerance = 1e-10;
  const std::array<int, 2> cells = dimension == 2 ? std::array{48, 96} : std::array{16, 32};
  double lowest = 10;
  for (const BoundaryKind along : {D, N, R, P})
    for (const bool tensor : {false, true}) {
      // In three dimensions, which take long, every second pair; the other ones on the other grid.
      if (dimension == 3 && (static_cast<int>(along) + tensor + stretched) % 2 == 0) continue;
      SCOPED_TRACE(testing::Message() << "boundary " << static_cast<int>(along) << (tensor ? ", tensor" : ""));
      Layers layers{dimension, scheme == Scheme::fv ? 1.0 : 0.0, along};
      if (tensor) layers.kappa = {1, 3, 0.5};
      ErrorNorms before;
      for (const int n : cells) {
        const std::vector<double> nodes =
            stretched ? tanh_nodes(0, 1, n, 1.2, StretchedEnd::both) : uniform_nodes(0, 1, n);
        Solve solve(layers.problem(scheme, nodes), options);
        const Result result = solve.run();
        ASSERT_TRUE(result.converged()) << result.reason(options) << " at " << result.relative();
        const ErrorNorms now = error_norms(solve.discretization(), solve.solution());
        if (n == cells.back()) {
          const double max_order = std::log2(before.max / now.max), l2_order = std::log2(before.l2 / now.l2);
          lowest = std::min({lowest, max_order, l2_order});
          EXPECT_GE(max_order, 1.9) << before.max << ", " << now.max;
          EXPECT_GE(l2_order, 1.9) << before.l2 << ", " << now.l2;
        }
        before = now;
      }
    }
  RecordProperty("lowest_order", std::to_string(lowest));
}

INSTANTIATE_TEST_SUITE_P(, InterfaceOrder,
                         testing::Combine(testing::Values(2, 3), testing::Values(Scheme::fv, Scheme::q1),
                                          testing::Bool()),
                         [](const auto& p) {
                           return std::string(std::get<1>(p.param) == Scheme::fv ? "Volumes" : "Elements") +
                                  (std::get<2>(p.param) ? "Tanh" : "Equidistant") + "In" +
                                  std::to_string(std::get<0>(p.param)) + "D";
                         });

}  // namespace
}  // namespace poisson
