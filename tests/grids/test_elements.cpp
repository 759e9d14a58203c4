// These tests cover bilinear and trilinear elements: order of accuracy with full tensors, iterations, and conservation.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "grids/sampling/sampling.hpp"
#include "tests/cases/covering.hpp"
#include "tests/convergence.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::elements_tests {
namespace {

using poisson::values;
constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;
constexpr std::array<double, 3> lengths{1, 1.25, 0.8};
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;
using Matrix = std::array<std::array<double, 3>, 3>;
using Vector3 = std::array<double, 3>;

double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector3 times(const Matrix& m, const Vector3& v) {
  return {dot(m[0], v), dot(m[1], v), dot(m[2], v)};
}

/// Describes a plane wave with the tensor K m(x): u = 1.5 + sin(a·x + 0.3), m = 1 + amplitude sin(q·x + 0.8), and
/// similar σ and α.
struct PlaneWave {
  int dimension = 3;
  Kinds kinds{};
  Matrix K{};
  bool isotropic = true, full = false;
  double amplitude = 0, sigma = 0, alpha = 2;
  Vector3 a{}, q{};

  PlaneWave(int dim, const Kinds& k) : dimension(dim), kinds(k) {
    constexpr Vector3 open{1.3, -1.1, 1.7}, other{1.1, 1.3, -0.9};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
      const bool periodic = kinds[d][0] == P;
      a[d] = periodic ? 2 * std::numbers::pi / lengths[d] : open[d];
      q[d] = periodic ? 2 * std::numbers::pi / lengths[d] : other[d];
    }
  }
  double u(const Vector3& x) const { return 1.5 + std::sin(dot(a, x) + 0.3); }
  double m(const Vector3& x) const { return 1 + amplitude * std::sin(dot(q, x) + 0.8); }
  double reaction(const Vector3& x) const { return sigma * m(x); }
  double transfer(const Vector3& x) const { return alpha * (1 + amplitude * std::sin(dot(q, x))); }
  double source(const Vector3& x) const {
    const Vector3 Ka = times(K, a);
    const double phase = dot(a, x) + 0.3;
    return reaction(x) * u(x) + m(x) * dot(a, Ka) * std::sin(phase) -
           amplitude * std::cos(dot(q, x) + 0.8) * dot(q, Ka) * std::cos(phase);
  }
  double face_value(std::size_t d, std::size_t end, const Vector3& x) const {
    if (kinds[d][end] == D) return u(x);
    const double flux = (end == 0 ? -1 : 1) * m(x) * times(K, a)[d] * std::cos(dot(a, x) + 0.3);
    return kinds[d][end] == R ? flux + transfer(x) * u(x) : flux;
  }
  Quantity quantity(double level) const {
    if (amplitude == 0) return level;
    return Quantity([*this, level](double x, double y, double z) { return level * m({x, y, z}); });
  }
  Problem problem(const std::array<std::vector<double>, 3>& nodes) const {
    Problem p;
    p.scheme = Scheme::q1;
    p.dimension = dimension;
    p.nodes = nodes;
    p.isotropic = isotropic;
    p.full_tensor = full;
    for (std::size_t d = 0; d < 3; ++d) p.coefficient[d] = quantity(K[d][d]);
    p.offdiagonal = {quantity(K[0][1]), quantity(K[0][2]), quantity(K[1][2])};
    p.reaction = quantity(sigma);
    p.source = [*this](double x, double y, double z) { return source({x, y, z}); };
    p.exact = [*this](double x, double y, double z) { return u({x, y, z}); };
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      for (std::size_t end = 0; end < 2; ++end) {
        Boundary& face = p.boundary[d][end];
        face.kind = kinds[d][end];
        face.value = [*this, d, end](double x, double y, double z) { return face_value(d, end, {x, y, z}); };
        if (amplitude == 0)
          face.alpha = alpha;
        else
          face.alpha = [*this](double x, double y, double z) { return transfer({x, y, z}); };
      }
    return p;
  }
};

Matrix diagonal(double x, double y, double z) {
  return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}
/// Rotates diag(x, y, z) by an angle about z and then by another about x.
Matrix rotated(const Vector3& k, double about_z, double about_x) {
  const double c = std::cos(about_z), s = std::sin(about_z), e = std::cos(about_x), t = std::sin(about_x);
  const Matrix Q{{{c, -s, 0}, {e * s, e * c, -t}, {t * s, t * c, e}}};
  Matrix m{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t d = 0; d < 3; ++d) m[i][j] += Q[i][d] * k[d] * Q[j][d];
  return m;
}

struct KappaKind {
  double amplitude, sigma;
  bool isotropic, full;
};
const std::vector<Named<KappaKind>> kappa_kinds{
    {"constant", {0, 0, true, false}},   {"constantTensorReaction", {0, 3, false, false}},
    {"varying", {0.4, 0, true, false}},  {"varyingTensorReaction", {0.4, 3, false, false}},
    {"fullTensor", {0, 0, false, true}}, {"varyingFullTensorReaction", {0.4, 3, false, true}}};
const std::vector<Named<Kinds>> boundary_kinds{{"Dirichlet", {{{D, D}, {D, D}, {D, D}}}},
                                               {"Neumann", {{{N, N}, {N, N}, {N, N}}}},
                                               {"Robin", {{{R, R}, {R, R}, {R, R}}}},
                                               {"Periodic", {{{P, P}, {P, P}, {P, P}}}},
                                               {"DirichletToNeumannPeriodicRobin", {{{D, N}, {P, P}, {R, D}}}},
                                               {"NeumannToRobinDirichletPeriodic", {{{N, R}, {D, N}, {P, P}}}}};
const std::vector<Named<int>> dimensions{{"2D", 2}, {"3D", 3}};
const std::vector<Named<std::string>> grids{
    {"Equidistant", "Equidistant"}, {"Tanh", "Tanh"}, {"Geometric", "Geometric"}};

PlaneWave wave(int dimension, const Kinds& kinds, const KappaKind& kind) {
  PlaneWave w(dimension, kinds);
  w.isotropic = kind.isotropic;
  w.full = kind.full;
  w.amplitude = kind.amplitude;
  w.sigma = kind.sigma;
  w.K = kind.isotropic ? diagonal(1.5, 1.5, 1.5) : diagonal(1, 1.7, 0.6);
  if (kind.full) w.K = rotated({3, 1, 0.7}, 0.6, dimension == 3 ? 0.4 : 0);
  return w;
}

std::vector<double> nodes_of(std::string_view grid, std::size_t axis, int cells, int base, int dimension) {
  const double length = lengths[axis];
  if (grid == "Equidistant") return uniform_nodes(0, length, cells);
  if (grid == "Tanh") return tanh_nodes(0, length, cells, dimension == 2 ? 1.5 : 1.0, StretchedEnd::both);
  const double coarsest = geometric_ratio(dimension == 2 ? 4 : 1.5, base, StretchedEnd::lower);
  return geometric_nodes(0, length, cells, std::pow(coarsest, static_cast<double>(base) / cells), StretchedEnd::lower);
}

class ElementOrder
    : public testing::TestWithParam<std::tuple<Named<int>, Named<std::string>, Named<Kinds>, Named<KappaKind>>> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(ElementOrder, IsTwo) {
  const int dimension = std::get<0>(GetParam()).value;
  const std::string& grid = std::get<1>(GetParam()).value;
  const Kinds& kinds = std::get<2>(GetParam()).value;
  const KappaKind& kind = std::get<3>(GetParam()).value;
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-9;
  options.krylov = Krylov::cg;
  const PlaneWave w = wave(dimension, kinds, kind);
  // If all axes are periodic, a full period along each needs more cells.
  const bool waves = dimension == 3 && kinds[0][0] == P && grid == "Geometric";
  const std::vector<int> cells = dimension == 2 ? std::vector{32, 64}
                                 : waves        ? std::vector{24, 48}
                                                : std::vector{16, 32};
  const auto problem = [&](int n) {
    std::array<std::vector<double>, 3> nodes;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      nodes[d] = nodes_of(grid, d, n, cells[0] / 2, dimension);
    return w.problem(nodes);
  };
  const auto orders = observed_orders(cells, problem, options);
  for (const ObservedOrder& o : orders) {
    // At a corner of open faces, the off-diagonal entries of a tensor leave a point load of O(h²), so the error is h²
    // log(1/h).
    const bool loads = kind.full && kinds[0] != std::array{D, D} && kinds[0] != std::array{P, P};
    const double logarithm = loads ? std::log2(std::log(o.cells) / std::log(o.cells / 2)) : 0;
    EXPECT_GE(o.max() + logarithm, loads ? 1.85 : 1.9) << o;
    EXPECT_GE(o.l2(), 1.9) << o;
  }
  record_least(orders);
}

INSTANTIATE_TEST_SUITE_P(, ElementOrder, testing::ValuesIn(every_pair(dimensions, grids, boundary_kinds, kappa_kinds)),
                         name_of_combination);

/// κ and α vary along faces that meet. A point load in a corner becomes visible only on fine grids, as log(1/h).
TEST(Elements, CornersOfOpenFacesKeepTheOrder) {
  for (const unsigned way : {1U, 2U, 3U})
    for (const int dimension : {2, 3}) {
      SCOPED_TRACE(testing::Message() << dimension << "-D, " << way);
      const double of_kappa = way & 1, of_alpha = way >> 1;
      const auto u = [](double x, double y, double z) { return std::sin(2 * x + 1) * std::exp(y + 0.5 * z); };
      const auto kappa = [=](double x, double y, double) { return 1 + of_kappa * (y + 0.5 * x + x * y); };
      const auto alpha = [=](double x, double y, double z) { return 1 + of_alpha * (x * x + y * y + z * z); };
      const auto gradient = [=](double x, double y, double z) {
        return Vector3{2 * std::cos(2 * x + 1) * std::exp(y + 0.5 * z), u(x, y, z), 0.5 * u(x, y, z)};
      };
      const auto problem = [&](int n) {
        Problem p;
        p.scheme = Scheme::q1;
        p.dimension = dimension;
        p.coefficient[0] = Quantity(kappa);
        p.source = [=](double x, double y, double z) {
          const double third = dimension == 3 ? 0.25 : 0;
          const Vector3 g = gradient(x, y, z);
          return kappa(x, y, z) * (3 - third) * u(x, y, z) - of_kappa * ((0.5 + y) * g[0] + (1 + x) * g[1]);
        };
        p.exact = Quantity(u);
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
          p.nodes[d] = uniform_nodes(0, 1, n);
          for (std::size_t end = 0; end < 2; ++end) {
            Boundary& face = p.boundary[d][end];
            face.kind = d == 0 && end == 1 ? D : R;
            face.alpha = Quantity(alpha);
            face.value = [=](double x, double y, double z) {
              if (d == 0 && end == 1) return u(x, y, z);
              return (end == 0 ? -1 : 1) * kappa(x, y, z) * gradient(x, y, z)[d] + alpha(x, y, z) * u(x, y, z);
            };
          }
        }
        return p;
      };
      Options options{.method = Method::multigrid};
      options.tolerance = 1e-10;
      const std::vector<int> cells = dimension == 2 ? std::vector{16, 32, 64, 128} : std::vector{12, 24, 48};
      for (const ObservedOrder& o : observed_orders(cells, problem, options)) EXPECT_GE(o.max(), 1.9) << o;
    }
}

/// A large α leaves only the mass in inner rows, whose eigenvalues are larger than those of the face.
TEST(Elements, ConvergeWhereReactionAndRobinFacesAreBothLarge) {
  for (const int dimension : {2, 3}) {
    PlaneWave w(dimension, {{{R, R}, {R, R}, {R, R}}});
    w.K = diagonal(1, 1, 1);
    w.sigma = 1e5;
    w.alpha = 1e4;
    const int n = dimension == 2 ? 64 : 24;
    Solve s(w.problem({uniform_nodes(0, 1, n), uniform_nodes(0, 1, n),
                       dimension == 3 ? uniform_nodes(0, 1, n) : std::vector<double>{}}),
            {});
    const Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 9);
  }
}

/// Values at nodes are interpolated to the points where κ and α are sampled. Linear values must equal their expression.
TEST(Elements, NodalDataReachCellsAsTheirExpressionDoes) {
  const auto linear = [](double x, double y, double) { return 2 + x + 3 * y + x * y; };
  const std::array<std::vector<double>, 3> nodes{uniform_nodes(0, 1, 5),
                                                 geometric_nodes(0, 1, 6, 1.4, StretchedEnd::lower)};
  GridArray at_nodes{Location::node, {6, 7, 1}, {}};
  for (const double y : nodes[1])
    for (const double x : nodes[0]) at_nodes.values.push_back(linear(x, y, 0));
  std::array<std::vector<double>, 2> found;
  for (std::size_t way = 0; way < 2; ++way) {
    PlaneWave w(2, {{{R, N}, {N, D}, {N, N}}});
    w.K = diagonal(1, 1, 1);
    Problem p = w.problem(nodes);
    p.coefficient[0] = way == 0 ? Quantity(linear) : Quantity(at_nodes);
    p.boundary[0][0].alpha = p.coefficient[0];
    Options options{.method = Method::multigrid};
    options.tolerance = 1e-13;
    options.precision = SolvePrecision::double_;
    Solve solve(p, options);
    solve.run();
    found[way] = values(solve.solution());
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) EXPECT_NEAR(found[0][i], found[1][i], 1e-11);
}

TEST(Elements, BalanceClosesToRoundingLongBeforeConvergence) {
  for (const int dimension : {2, 3})
    for (const auto& kinds : boundary_kinds)
      for (const auto& kind : kappa_kinds) {
        SCOPED_TRACE(testing::Message() << dimension << "-D, " << kinds << "; coefficient " << kind);
        const std::array<std::vector<double>, 3> nodes{
            tanh_nodes(0, lengths[0], 9, 1.5, StretchedEnd::lower), uniform_nodes(0, lengths[1], 8),
            dimension == 3 ? geometric_nodes(0, lengths[2], 7, 1.1, StretchedEnd::both) : std::vector<double>{}};
        Options options{.method = Method::multigrid};
        options.tolerance = 0;
        options.max_iterations = 1;
        options.full_multigrid = false;
        Solve s(wave(dimension, kinds.value, kind.value).problem(nodes), options);
        const Result result = s.run();
        const Balance b = balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
        double sum = b.source - b.reaction + b.residual - result.projected / s.solver().A().scale();
        double size = 1;  // scale of a source with zero sum
        for (const double flux : b.flux) {
          sum += flux;
          size += std::abs(flux);
        }
        EXPECT_NEAR(sum, 0, 1e-12 * size);
        EXPECT_EQ(b.reaction != 0, kind.value.sigma > 0);
      }
}

/// Returns the iterations to 1e-8 from a random right-hand side.
int iterations(const Problem& problem, Krylov krylov, std::string_view type,
               CoarseOperator coarse = CoarseOperator::automatic) {
  Options o{.method = Method::multigrid};
  o.coarse_operator = coarse;
  o.full_multigrid = false;
  o.krylov = krylov;
  choose(o.smoother, type);
  if (type == "red-black") o.smoother.pre = o.smoother.post = 2;
  Solve solve(problem, o);
  randomize(solve.rhs(), solve.block().unknowns());
  const Result result = solve.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict) << " at " << result.relative();
  return result.iterations;
}

Problem cube(int n, int dimension = 3) {
  Problem p;
  p.scheme = Scheme::q1;
  p.dimension = dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n);
  return p;
}

TEST(ElementIterations, OnEquidistantGrids) {
  for (const int n : {32, 64}) {
    EXPECT_LE(iterations(cube(n), Krylov::cg, "red-black"), 9) << n;
    EXPECT_LE(iterations(cube(n), Krylov::none, "auto"), 13) << n;
  }
  for (const int n : {128, 512}) EXPECT_LE(iterations(cube(n, 2), Krylov::cg, "red-black"), 9) << n;
}

/// Lines and planes are relaxed as the couplings require.
TEST(ElementIterations, OnStretchedGrids) {
  for (const double expansion : {10.0, 1e3, 1e5})
    for (const auto& [dimension, n] : {std::pair{2, 64}, {3, 16}, {3, 32}})
      for (int stretched = 1; stretched <= (n == 32 ? 1 : dimension); ++stretched) {
        Problem p = cube(n, dimension);
        for (int d = dimension - stretched; d < dimension; ++d)
          p.nodes[static_cast<std::size_t>(d)] =
              geometric_nodes(0, 1, n, geometric_ratio(expansion, n, StretchedEnd::lower), StretchedEnd::lower);
        const int count = iterations(p, Krylov::cg, "auto");
        RecordProperty("stretched_" + std::to_string(dimension) + "d_" + std::to_string(stretched) + "_axes_" +
                           std::to_string(static_cast<int>(expansion)) + "_" + std::to_string(n),
                       count);
        EXPECT_LE(count, stretched == 1 ? 12 : 15)
            << dimension << "-D, " << n << ", " << stretched << " of " << expansion;
      }
}

TEST(ElementIterations, LinesAndPlanesOnRequest) {
  for (const std::string_view type : {"line", "plane"}) {
    Problem p = cube(24);
    p.boundary[1] = {Boundary{BoundaryKind::neumann, 0.0, 0.0}, Boundary{BoundaryKind::robin, 0.0, 1.0}};
    for (Boundary& face : p.boundary[2]) face.kind = BoundaryKind::periodic;
    EXPECT_LE(iterations(p, Krylov::cg, type), 9);
  }
}

TEST(ElementIterations, CoefficientThatJumpsInASphere) {
  for (const double jump : {1e2, 1e4, 1e6})
    for (const int n : {24, 48}) {
      Problem p = cube(n);
      p.coefficient[0] = [jump](double x, double y, double z) {
        return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.3 ? jump : 1.0;
      };
      for (const CoarseOperator coarse : {CoarseOperator::automatic, CoarseOperator::rediscretized}) {
        const bool again = coarse == CoarseOperator::rediscretized;
        const int count = iterations(p, Krylov::cg, "auto", coarse);
        RecordProperty((again ? "again_" : "jump_") + std::to_string(static_cast<int>(jump)) + "_" + std::to_string(n),
                       count);
        EXPECT_LE(count, again ? 28 : 11) << jump << ", " << n;
      }
    }
}

TEST(ElementIterations, RotatedTensor) {
  for (const int n : {128, 256}) {
    Problem p = cube(n, 2);
    const Matrix K = rotated({1000, 1, 1}, std::numbers::pi / 6, 0);
    p.isotropic = false;
    p.full_tensor = true;
    p.coefficient = {K[0][0], K[1][1], 1.0};
    p.offdiagonal[0] = K[0][1];
    const int count = iterations(p, Krylov::cg, "red-black");
    RecordProperty("rotated_" + std::to_string(n), count);
    EXPECT_LE(count, 70) << n;
  }
}

TEST(Elements, RefuseATensorThatIsNotPositiveDefinite) {
  const auto backend = test_backend();
  Problem p = cube(4, 2);
  p.isotropic = false;
  p.full_tensor = true;
  p.coefficient = {1.0, 4.0, 1.0};
  p.offdiagonal[0] = [](double x, double, double) { return x < 0.5 ? 1.0 : 2.5; };
  for (const bool checked : {true, false}) {
    try {
      if (checked)
        check_values(p);
      else
        Discretization(*backend, std::as_const(p));
      FAIL() << "was taken";
    } catch (const ValueErrors& e) {
      ASSERT_EQ(e.errors.size(), 1U);
      EXPECT_EQ(e.errors[0].quantity, "coefficient.xy");
      EXPECT_EQ(e.errors[0].point[0], 0.625);
      EXPECT_NE(std::string(e.what()).find("smaller in magnitude than the square root of x·y, which is 2 there"),
                std::string::npos)
          << e.what();
    }
  }
}

}  // namespace
}  // namespace poisson::elements_tests
