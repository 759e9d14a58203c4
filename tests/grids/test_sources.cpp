// These tests cover sources, reactions and face data that jump. The power given to a box, by an expression or by values
// on cells, must leave through the faces. Heat sinks, capacitors and layers have closed forms. Smooth data must not
// lose accuracy.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson::sources_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;

struct Way {
  std::string_view name;
  Scheme scheme;
  Centering centering;
};
constexpr std::array<Way, 3> ways{{{"nodes", Scheme::fv, Centering::node},
                                   {"elements", Scheme::q1, Centering::node},
                                   {"cells", Scheme::fv, Centering::cell}}};

/// Describes a box in the unit cube whose walls lie on planes of the grids below. The walls may belong to it or not.
struct Box10W {
  std::array<double, 3> low{0.25, 0.5, 0.25}, high{0.5, 1, 0.75};
  int dimension = 3;
  bool closed = false;

  double volume() const {
    double v = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) v *= high[d] - low[d];
    return v;
  }
  bool holds(const std::array<double, 3>& at) const {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      if (closed ? at[d] < low[d] || at[d] > high[d] : at[d] <= low[d] || at[d] >= high[d]) return false;
    return true;
  }
  /// Returns a density with the total `power` inside the box and 0 outside.
  Quantity density(double power) const {
    return Quantity([*this, power](double x, double y, double z) { return holds({x, y, z}) ? power / volume() : 0; });
  }
};

std::array<std::vector<double>, 3> grid(int dimension, bool stretched) {
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    nodes[d] = stretched ? std::vector<double>{0, 0.03, 0.1, 0.25, 0.4, 0.45, 0.5, 0.55, 0.75, 0.9, 1}
                         : uniform_nodes(0, 1, 8);
  return nodes;
}

/// Returns the datum at the centre of each cell, as if read from a file.
Quantity on_cells(const Quantity& quantity, const std::array<std::vector<double>, 3>& nodes) {
  std::array<std::vector<double>, 3> middle;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i + 1 < nodes[d].size(); ++i) middle[d].push_back(0.5 * (nodes[d][i] + nodes[d][i + 1]));
  if (nodes[2].empty()) middle[2] = {0};
  return tabulated(quantity, middle, Location::cell);
}

Options exact_options() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-12;
  o.precision = SolvePrecision::double_;
  return o;
}

Balance balance_of(Solve& s) {
  return balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
}

double outflow(const Balance& b) {
  double sum = 0;
  for (const double flux : b.flux) sum -= flux;
  return sum;
}

TEST(Sources, OfABoxHeatWithItsPower) {
  constexpr std::array<Kinds, 5> kinds{{{{{D, D}, {D, D}, {D, D}}},
                                        {{{N, N}, {N, N}, {D, N}}},
                                        {{{P, P}, {R, N}, {P, P}}},
                                        {{{D, N}, {P, P}, {N, R}}},
                                        {{{N, D}, {N, N}, {P, P}}}}};
  for (const Way& way : ways)
    for (const int dimension : {2, 3})
      for (const bool stretched : {false, true})
        for (const Kinds& faces : kinds)
          for (const bool closed : {false, true})
            for (const bool given_on_cells : {false, true}) {
              SCOPED_TRACE(testing::Message()
                           << way.name << ", " << dimension << "-D, stretched " << stretched << ", faces "
                           << &faces - kinds.data() << ", closed " << closed << ", on cells " << given_on_cells);
              Problem p;
              p.dimension = dimension;
              p.scheme = way.scheme;
              p.centering = way.centering;
              p.nodes = grid(dimension, stretched);
              bool regular = false;
              for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
                for (std::size_t end = 0; end < 2; ++end) {
                  p.boundary[d][end] = {faces[d][end], 0.0, 20.0};
                  regular = regular || faces[d][end] == D || faces[d][end] == R;
                }
              Box10W box;
              box.dimension = dimension;
              box.closed = closed;
              p.source = given_on_cells ? on_cells(box.density(10), p.nodes) : box.density(10);
              if (!regular) p.boundary[0][0].kind = D;
              Solve s(p, exact_options());
              ASSERT_TRUE(s.run().converged());
              const Balance b = balance_of(s);
              EXPECT_NEAR(b.source, 10, 1e-12);
              EXPECT_NEAR(outflow(b), 10, 1e-8);
            }
}

/// In planes the solution of −u″ = f must be exact at the nodes for any cell widths if f is constant in each cell.
TEST(Sources, OfASlabGiveTheClosedForm) {
  // The source is 1 between 0.25 and 0.5. The face at 0 loses 4 u, and the face at 1 receives 2.
  const double alpha = 4, at_end = 2;
  const double a = [&] {
    const double flow = (at_end + 0.25 * 0.625) / (1 + 1 / alpha);  // u = c + flow·x − ∫∫f, c = flow/α
    return flow;
  }();
  const auto u = [&](double x, double, double) {
    const double inside = std::clamp(x, 0.25, 0.5) - 0.25, beyond = std::max(x - 0.5, 0.0);
    return a / alpha + a * x - 0.5 * inside * inside - 0.25 * beyond;
  };
  for (const Way& way : ways)
    for (const bool stretched : {false, true}) {
      if (way.centering == Centering::cell) continue;
      Problem p;
      p.dimension = 2;
      p.scheme = way.scheme;
      p.nodes = grid(2, stretched);
      p.source = [](double x, double, double) { return x > 0.25 && x < 0.5 ? 1.0 : 0.0; };
      p.exact.emplace(u);
      p.boundary = {{{{{R, 0.0, alpha}, {D, at_end}}}, {{{P}, {P}}}, {}}};
      Solve s(p, exact_options());
      ASSERT_TRUE(s.run().converged());
      EXPECT_LE(error_norms(s.discretization(), s.solution()).max, 1e-10) << way.name << stretched;
    }
}

/// A source in one layer of cells between plates is next to a poor conductor. Elements must have the closed form at the
/// nodes.
TEST(Sources, OnCellsStayInTheirCells) {
  // f = 1 in 4/8 < x < 5/8. κ is 1 up to 5/8 and 1e-3 beyond.
  const auto kappa = [](double x, double, double) { return x < 5.0 / 8 ? 1.0 : 1e-3; };
  const Quantity f = [](double x, double, double) { return x > 4.0 / 8 && x < 5.0 / 8 ? 1.0 : 0.0; };
  const double resistance = 5.0 / 8 + 1e3 * 3.0 / 8;
  const double flow = (1.0 / 8) * (1.0 / 16 + 1e3 * 3.0 / 8) / resistance;  // through x = 0
  for (const Way& way : ways) {
    if (way.centering == Centering::cell) continue;
    Problem p;
    p.dimension = 2;
    p.scheme = way.scheme;
    p.nodes = {uniform_nodes(0, 1, 8), uniform_nodes(0, 1, 8), {}};
    p.coefficient[0] = on_cells(Quantity(kappa), p.nodes);
    p.source = on_cells(f, p.nodes);
    p.boundary = {{{{{D}, {D}}}, {{{N}, {N}}}, {}}};
    Solve s(p, exact_options());
    ASSERT_TRUE(s.run().converged());
    const auto at = [&](double x) { return interpolate_at(s.block(), s.solution(), std::array{x, 0.5}); };
    EXPECT_NEAR(at(0.5), flow * 0.5, 1e-9) << way.name;
    EXPECT_NEAR(at(0.625), flow * 0.625 - 0.5 / 64, 1e-9) << way.name;
  }
}

/// Walls lie between the planes of a grid: the power of the box changes by a fraction of a cell's width.
TEST(Sources, OfABoxBetweenPlanesConvergeToItsPower) {
  Problem p;
  p.dimension = 2;
  p.source = [](double x, double y, double) { return std::hypot(x - 0.51, y - 0.47) < 0.31 ? 1.0 : 0.0; };
  p.boundary = {{{{{D}, {D}}}, {{{D}, {D}}}, {}}};
  const double power = std::numbers::pi * 0.31 * 0.31;
  for (const int n : {16, 32, 64, 128}) {
    p.nodes = {uniform_nodes(0, 1, n), uniform_nodes(0, 1, n), {}};
    Solve s(p, Options{.method = Method::multigrid});
    ASSERT_TRUE(s.run().converged());
    EXPECT_NEAR(balance_of(s).source, power, 0.35 * power / n) << n;
  }
}

/// Tissue and blood have one temperature: σ u must equal f, wherever the patch ends.
TEST(Sources, OfAReactionInAPatchAreInBalance) {
  for (const Way& way : ways)
    for (const bool closed : {false, true}) {
      Problem p;
      p.scheme = way.scheme;
      p.centering = way.centering;
      p.nodes = grid(3, true);
      Box10W box;
      box.closed = closed;
      p.reaction = box.density(300);
      p.source = box.density(300 * 37);
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face = {N, 0.0};
      p.exact = 37.0;
      Solve s(p, exact_options());
      ASSERT_TRUE(s.run().converged());
      // Elements weight σ with φ φ and f with φ, which is the same for a constant u.
      EXPECT_LE(error_norms(s.discretization(), s.solution()).max, 1e-8) << way.name;
      const Balance b = balance_of(s);
      EXPECT_NEAR(b.source, 300 * 37, 1e-8) << way.name;
      EXPECT_NEAR(b.reaction, 300 * 37, 1e-6) << way.name;
    }
}

/// A heated patch of a face must add q times its area, and another patch must lose α u.
TEST(Sources, OfPatchesOfFacesBringWhatTheirAreaDoes) {
  for (const Way& way : ways)
    for (const bool stretched : {false, true})
      for (const bool closed : {false, true}) {
        SCOPED_TRACE(testing::Message() << way.name << ", stretched " << stretched << ", closed " << closed);
        const auto in_patch = [closed](double x, double y) {
          return closed ? x >= 0.25 && x <= 0.5 && y >= 0.5 && y <= 0.75 : x > 0.25 && x < 0.5 && y > 0.5 && y < 0.75;
        };
        Problem p;
        p.scheme = way.scheme;
        p.centering = way.centering;
        p.nodes = grid(3, stretched);
        for (auto& axis : p.boundary)
          for (Boundary& face : axis) face = {N, 0.0};
        p.boundary[2][0] = {D, 0.0};
        p.boundary[2][1].value = [=](double x, double y, double) { return in_patch(x, y) ? 160.0 : 0.0; };
        Solve s(p, exact_options());
        ASSERT_TRUE(s.run().converged());
        const Balance b = balance_of(s);
        EXPECT_NEAR(b.flux[5], 10, 1e-10);
        EXPECT_NEAR(b.flux[4], -10, 1e-8);

        // The temperature is constant, so α u = g on the patch.
        p.boundary[2][1] = {R, [=](double x, double y, double) { return in_patch(x, y) ? 160.0 : 0.0; },
                            [=](double x, double y, double) { return in_patch(x, y) ? 40.0 : 0.0; }};
        p.boundary[2][0] = {N, 0.0};
        p.exact = 4.0;
        Solve regular(p, exact_options());
        ASSERT_TRUE(regular.run().converged());
        EXPECT_LE(error_norms(regular.discretization(), regular.solution()).max, 1e-8);
      }
}

/// Data of a linear solution vary over each face up to its edges. Sampling expressions there must cause only rounding
/// errors.
TEST(Sources, OfLinearSolutionsAreExactToRounding) {
  for (const Way& way : ways)
    for (const bool stretched : {false, true})
      for (const double size : {1., 1e-3, 50.}) {
        SCOPED_TRACE(testing::Message() << way.name << ", stretched " << stretched << ", size " << size);
        Problem p;
        p.scheme = way.scheme;
        p.centering = way.centering;
        p.nodes = grid(3, stretched);
        for (auto& axis : p.nodes)
          for (double& node : axis) node *= size;
        const std::array<double, 3> slope{2 / size, -3 / size, 0.5 / size};
        const auto u = [slope](double x, double y, double z) { return 1 + slope[0] * x + slope[1] * y + slope[2] * z; };
        const double alpha = 7 / size;
        for (std::size_t d = 0; d < 3; ++d)
          for (std::size_t end = 0; end < 2; ++end) {
            const double flux = (end == 0 ? -1 : 1) * slope[d];
            p.boundary[d][end] = {R, [=](double x, double y, double z) { return flux + alpha * u(x, y, z); }, alpha};
          }
        p.exact = u;
        Options o = exact_options();
        o.tolerance = 1e-15;
        Solve s(p, o);
        const Result result = s.run();
        EXPECT_LE(result.relative(), 1e-13);
        EXPECT_LE(error_norms(s.discretization(), s.solution()).max, 3e-13);
      }
}

/// A heat sink has 10 W in a chip under a plate with a cooled face. All power must leave through that face, and the
/// mean of u there must be the power over α and the area.
TEST(Sources, OfAHeatSinkLeaveThroughItsFace) {
  for (const Way& way : ways)
    for (const bool stretched : {false, true}) {
      Problem p;
      p.scheme = way.scheme;
      p.centering = way.centering;
      p.nodes = grid(3, stretched);
      Box10W chip;
      chip.low = {0.25, 0.25, 0};
      chip.high = {0.5, 0.75, 0.25};
      p.source = chip.density(10);
      p.coefficient[0] = [](double, double, double z) { return z < 0.25 ? 5.0 : 200.0; };
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face = {N, 0.0};
      p.boundary[2][1] = {R, 0.5 * 25, 0.5};  // 25 outside
      Options o = exact_options();
      o.tolerance = 1e-10;
      Solve s(p, o);
      ASSERT_TRUE(s.run().converged());
      const Balance b = balance_of(s);
      EXPECT_NEAR(b.source, 10, 1e-12) << way.name;
      EXPECT_NEAR(b.flux[5], -10, 1e-5) << way.name;
    }
}

/// Dielectrics between plates are in series or in parallel: the flux at one volt is the capacitance.
TEST(Sources, OfACapacitorAreItsLayers) {
  for (const Way& way : ways)
    for (const bool series : {false, true}) {
      Problem p;
      p.scheme = way.scheme;
      p.centering = way.centering;
      p.nodes = grid(3, true);
      p.coefficient[0] = [series](double x, double, double z) { return (series ? z : x) < 0.25 ? 4.0 : 1.5; };
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face = {N, 0.0};
      p.boundary[2] = {{{D, 0.0}, {D, 1.0}}};
      Solve s(p, exact_options());
      ASSERT_TRUE(s.run().converged());
      const double capacitance = series ? 1 / (0.25 / 4 + 0.75 / 1.5) : 0.25 * 4 + 0.75 * 1.5;
      EXPECT_NEAR(balance_of(s).flux[5], capacitance, 1e-9) << way.name << series;
      EXPECT_NEAR(balance_of(s).flux[4], -capacitance, 1e-9) << way.name << series;
    }
}

/// Smooth f must not lose accuracy: the error is at most 1.1 times that of nodal values, or h²|Δf|/32.
TEST(Sources, ThatAreSmoothLoseNothing) {
  constexpr std::array<Kinds, 4> kinds{
      {{{{D, D}, {D, D}, {D, D}}}, {{{N, D}, {N, N}, {N, N}}}, {{{P, P}, {D, N}, {N, D}}}, {{{N, N}, {N, N}, {N, N}}}}};
  for (const Scheme scheme : {Scheme::fv, Scheme::q1})
    for (const int dimension : {2, 3})
      for (const Kinds& faces : kinds)
        for (const double open : {1.3, 2.9}) {
          Manufactured m;
          m.dimension = dimension;
          m.kinds = faces;
          m.solution = m.product(1.2, {open, 1.1, open}, {0.3, -0.4, 0.2});
          const int n = dimension == 2 ? 32 : 12;
          std::array<std::vector<double>, 3> nodes;
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) nodes[d] = uniform_nodes(0, 1, n);
          Problem p = m.problem(nodes);
          p.scheme = scheme;
          Problem at_nodes = p;
          at_nodes.source = on_nodes(p.source, p);
          const auto error = [&](const Problem& problem) {
            Solve s(problem, exact_options());
            EXPECT_TRUE(s.run().converged());
            return error_norms(s.discretization(), s.solution()).max;
          };
          const double h = 1.0 / n, e = 1e-3;
          double laplacian = 0;
          for (int k = 0; k <= (dimension == 3 ? n : 0); ++k)
            for (int j = 0; j <= n; ++j)
              for (int i = 0; i <= n; ++i) {
                double sum = 0;
                const std::array<double, 3> at{i * h, j * h, k * h};
                for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
                  std::array below = at, above = at;
                  below[d] -= e;
                  above[d] += e;
                  sum += (m.source(below) - 2 * m.source(at) + m.source(above)) / (e * e);
                }
                laplacian = std::max(laplacian, std::abs(sum));
              }
          EXPECT_LE(error(p), std::max(1.1 * error(at_nodes), h * h * laplacian / 32))
              << dimension << "-D, faces " << &faces - kinds.data() << ", " << open;
        }
}

/// The balance must reuse ∫f of the assembly. It evaluates f only on Dirichlet faces, whose rows do not store it.
TEST(Sources, AreNotEvaluatedAgainByTheBalance) {
  for (const Way& way : ways) {
    std::atomic<int> points = 0;
    const auto f = [&points](double x, double y, double z) {
      ++points;
      return x * y + z;
    };
    constexpr int n = 16;
    Problem p;
    p.scheme = way.scheme;
    p.centering = way.centering;
    for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, n);
    p.source = f;
    for (auto& axis : p.boundary)
      for (Boundary& face : axis) face = {N, 0.0};
    p.boundary[2] = {{{D, 0.0}, {D, 0.0}}};
    Solve s(p, exact_options());
    ASSERT_TRUE(s.run().converged());
    points = 0;
    const Balance b = balance_of(s);
    EXPECT_LE(points, way.centering == Centering::cell ? 0 : 2 * 8 * (n + 1) * (n + 1)) << way.name;
    EXPECT_NEAR(b.source, 0.75, way.centering == Centering::cell ? 1e-12 : 1e-3) << way.name;
    EXPECT_NEAR(outflow(b), b.source, 1e-9) << way.name;
  }
}

/// A replaced source must count before and after assembly.
TEST(Sources, ThatReplaceOthersCountInTheBalance) {
  for (const Way& way : ways) {
    Problem p;
    p.dimension = 2;
    p.scheme = way.scheme;
    p.centering = way.centering;
    p.nodes = grid(2, true);
    Box10W box;
    box.dimension = 2;
    p.source = box.density(10);
    auto backend = test_backend();
    Discretization d(*backend, std::move(p));
    const auto solver = make_solver(d, exact_options());
    const auto source = [&] {
      return balance(d, solver->A(), solver->solution(), solver->rhs(), solver->spare()).source;
    };
    d.initialize(solver->solution());
    EXPECT_NEAR(source(), 10, 1e-12) << way.name;
    d.assemble_rhs(solver->rhs());
    EXPECT_NEAR(source(), 10, 1e-12) << way.name;
    d.set_source(box.density(3));
    EXPECT_NEAR(source(), 3, 1e-12) << way.name;
    d.assemble_rhs(solver->rhs());
    EXPECT_NEAR(source(), 3, 1e-12) << way.name;
  }
}

/// An invalid value must be reported with its place before the solve.
TEST(Sources, AreCheckedWhereTheyAreEvaluated) {
  for (const Way& way : ways) {
    Problem p;
    p.dimension = 2;
    p.scheme = way.scheme;
    p.centering = way.centering;
    p.nodes = {uniform_nodes(0, 1, 4), uniform_nodes(0, 1, 4), {}};
    p.source = [](double x, double y, double) { return x > 0.5 && x < 0.75 && y > 0.75 ? std::nan("") : 1.0; };
    try {
      check_values(p);
      FAIL() << way.name;
    } catch (const ValueErrors& found) {
      ASSERT_EQ(found.errors.size(), 1U);
      EXPECT_EQ(found.errors[0].quantity, "source");
      EXPECT_GT(found.errors[0].point[0], 0.5);
      EXPECT_LT(found.errors[0].point[0], 0.75);
      EXPECT_GT(found.errors[0].point[1], 0.75);
    }
    EXPECT_THROW(Solve(p, Options{.method = Method::multigrid}), std::exception);
  }
}

}  // namespace
}  // namespace poisson::sources_tests
