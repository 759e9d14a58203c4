// These tests measure the order of accuracy if κ jumps on faces of cells and unknowns are at nodes. They cover every
// pair of scheme, boundary kind, grid, dimension and kind of κ. (Unknowns in cells: test_cell_solver.cpp.)

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
#include "tests/cases/covering.hpp"
#include "tests/convergence.hpp"

namespace poisson::interface_order_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// κ jumps by 10⁴ across x = 1/2. u = (level + sin(w(x − 1/2))/κ) times waves in y and z is continuous there, and so is
/// its flux. With level 1 the source and the data of faces that cross the plane are discontinuous. On the plane they
/// are the means of both sides, since finite volumes integrate over both. Elements interpolate between nodes, so they
/// use level 0.
struct Layers {
  int dimension;
  double level;
  BoundaryKind along;  ///< on faces across y and z
  std::array<double, 3> kappa{1, 1, 1};

  static constexpr double w = 1.5, low = 1, high = 1e4, alpha = 2;
  double v() const { return along == P ? 2 * std::numbers::pi : 1.2; }
  static double step(double x) { return std::abs(x - 0.5) < 1e-9 ? 0.5 * (low + high) : x < 0.5 ? low : high; }
  double profile(double x) const { return level + std::sin(w * (x - 0.5)) / (x < 0.5 ? low : high); }
  /// Returns κ times the x-factor of u; on the jump it is the mean of both sides.
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
  /// Returns κ ∂u/∂x_d.
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

class InterfaceOrder : public testing::TestWithParam<
                           std::tuple<Named<int>, Named<Scheme>, Named<bool>, Named<BoundaryKind>, Named<bool>>> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(InterfaceOrder, IsTwo) {
  const int dimension = std::get<0>(GetParam()).value;
  const Scheme scheme = std::get<1>(GetParam()).value;
  const bool stretched = std::get<2>(GetParam()).value, tensor = std::get<4>(GetParam()).value;
  Options options{.method = Method::multigrid};
  options.krylov = Krylov::cg;
  options.coarse_operator = CoarseOperator::rediscretized;  // coarse grids keep the layers
  options.tolerance = 1e-10;
  Layers layers{dimension, scheme == Scheme::fv ? 1.0 : 0.0, std::get<3>(GetParam()).value};
  if (tensor) layers.kappa = {1, 3, 0.5};
  const auto problem = [&](int n) {
    return layers.problem(scheme, stretched ? tanh_nodes(0, 1, n, 1.2, StretchedEnd::both) : uniform_nodes(0, 1, n));
  };
  const auto orders = observed_orders(dimension == 2 ? std::vector{48, 96} : std::vector{16, 32}, problem, options);
  for (const ObservedOrder& o : orders) EXPECT_GE(o.least(), 1.9) << o;
  record_least(orders);
}

INSTANTIATE_TEST_SUITE_P(
    , InterfaceOrder,
    testing::ValuesIn(every_pair(std::vector<Named<int>>{{"2D", 2}, {"3D", 3}},
                                 std::vector<Named<Scheme>>{{"Volumes", Scheme::fv}, {"Elements", Scheme::q1}},
                                 std::vector<Named<bool>>{{"Equidistant", false}, {"Tanh", true}},
                                 std::vector<Named<BoundaryKind>>{
                                     {"Dirichlet", D}, {"Neumann", N}, {"Robin", R}, {"Periodic", P}},
                                 std::vector<Named<bool>>{{"isotropic", false}, {"tensor", true}})),
    name_of_combination);

}  // namespace
}  // namespace poisson::interface_order_tests
