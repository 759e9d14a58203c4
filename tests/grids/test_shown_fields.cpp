// These tests compare output fields with closed forms, in one piece and in several.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/cell_flux.hpp"
#include "grids/results/gather.hpp"
#include "tests/processes.hpp"
#include "tests/solve.hpp"

namespace poisson::shown_fields_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic;
using Function = std::function<double(double x, double y, double z)>;

class ShownFields : public testing::TestWithParam<std::tuple<int, Centering, bool>> {
 protected:
  int dimension() const { return std::get<0>(GetParam()); }
  Centering centering() const { return std::get<1>(GetParam()); }
  bool periodic() const { return std::get<2>(GetParam()); }

  // Returns a problem in which only the last axis, or no axis, is periodic.
  Problem problem(BoundaryKind kind) const {
    Problem p;
    p.dimension = dimension();
    p.centering = centering();
    p.nodes = {tanh_nodes(-1, 1, 13, 1.5, StretchedEnd::both), uniform_nodes(0, 2, 9), {}};
    if (dimension() == 3) p.nodes[2] = geometric_nodes(0, 1, 7, 1.3, StretchedEnd::lower);
    for (auto& axis : p.boundary)
      for (Boundary& face : axis) face = {kind, 0.0};
    if (periodic())
      for (Boundary& face : p.boundary[last()]) face.kind = P;
    return p;
  }
  std::size_t last() const { return static_cast<std::size_t>(dimension() - 1); }

  // Returns a function as files contain it, at nodes or in cells. At the first node of the last axis, f equals its
  // value at the last one.
  static std::vector<double> expected(const Problem& p, Location location, const Function& f) {
    std::array<std::vector<double>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto& x = p.nodes[d];
      if (x.empty()) {
        at[d] = {0};
      } else if (location == Location::node) {
        at[d] = x;
        if (p.boundary[d][0].kind == P) at[d].back() = x.front();
      } else {
        for (std::size_t i = 0; i + 1 < x.size(); ++i) at[d].push_back(0.5 * (x[i] + x[i + 1]));
      }
    }
    std::vector<double> values;
    for (const double z : at[2])
      for (const double y : at[1])
        for (const double x : at[0]) values.push_back(f(x, y, z));
    return values;
  }

  static void expect_near(const Pieces& pieces, const std::vector<double>& wanted, double tolerance) {
    const std::vector<double> found = pieces.all();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(found[i], wanted[i], tolerance) << i;
    for (const int step : {1, 2, 5}) {
      std::vector<double> joined;
      for (int first = 0; first < pieces.shape[2]; first += step) {
        const int past = std::min(first + step, pieces.shape[2]);
        std::vector<double> piece(pieces.plane() * static_cast<std::size_t>(past - first));
        pieces.fill(first, past, piece);
        joined.insert(joined.end(), piece.begin(), piece.end());
      }
      ASSERT_EQ(joined, found) << step;
    }
  }

  // Returns a field with the values of a function.
  static Field field_of(const Discretization& d) {
    Field u(d.backend(), d.block().layout(), Precision::fp64);
    d.initialize(u);
    return u;
  }
  Location location() const { return centering() == Centering::node ? Location::node : Location::cell; }

  std::unique_ptr<Backend> backend_ = test_backend();
};

TEST_P(ShownFields, ValuesAreTheSolution) {
  const Function f = [](double x, double y, double z) { return 1 + x - 3 * y * x + z; };
  Problem p = problem(N);
  p.initial = f;
  const Discretization d(*backend_, std::as_const(p));
  const Field u = field_of(d);
  expect_near(gather_values(d.block(), u), expected(p, location(), f), 0);
}

TEST_P(ShownFields, GradientsOfPolynomialsAreExact) {
  // The function is quadratic at nodes, linear in cells, and constant along the periodic axis.
  const bool nodes = centering() == Centering::node;
  std::array<double, 3> slope{2, -3, 0.5}, bend{nodes ? 0.7 : 0, nodes ? -1.1 : 0, nodes ? 0.3 : 0};
  if (periodic()) slope[last()] = bend[last()] = 0;
  if (dimension() == 2) slope[2] = bend[2] = 0;
  const Function f = [=](double x, double y, double z) {
    return 1 + x * (slope[0] + bend[0] * x) + y * (slope[1] + bend[1] * y) + z * (slope[2] + bend[2] * z);
  };
  Problem p = problem(D);
  p.initial = f;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.value = f;
  const Discretization d(*backend_, std::as_const(p));
  const Field u = field_of(d);
  const Pieces gradient = gather_gradient(d, u);
  ASSERT_EQ(gradient.components, dimension());
  std::vector<double> wanted;
  std::array<std::vector<double>, 3> each;
  for (std::size_t c = 0; c < 3; ++c)
    each[c] = expected(p, location(), [&](double x, double y, double z) {
      return slope[c] + 2 * bend[c] * std::array{x, y, z}[c];
    });
  for (std::size_t i = 0; i < each[0].size(); ++i)
    for (std::size_t c = 0; c < static_cast<std::size_t>(dimension()); ++c) wanted.push_back(each[c][i]);
  expect_near(gradient, wanted, 1e-12);
}

TEST_P(ShownFields, FluxesAreMinusKappaTimesTheSlopeInEveryCell) {
  std::array<double, 3> slope{2, -3, 0.5};
  const std::array<double, 3> kappa{4, 0.5, 10};
  if (periodic()) slope[last()] = 0;
  if (dimension() == 2) slope[2] = 0;
  const Function f = [=](double x, double y, double z) { return 1 + x * slope[0] + y * slope[1] + z * slope[2]; };
  Problem p = problem(D);
  p.isotropic = false;
  for (std::size_t d = 0; d < 3; ++d) p.coefficient[d] = kappa[d];
  p.initial = f;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.value = f;
  const Discretization d(*backend_, std::as_const(p));
  const Field u = field_of(d);
  const Pieces flux = gather_cell_flux(d, u);
  ASSERT_EQ(flux.components, dimension());
  std::vector<double> wanted;
  const std::size_t count = expected(p, Location::cell, f).size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < static_cast<std::size_t>(dimension()); ++c) wanted.push_back(-kappa[c] * slope[c]);
  expect_near(flux, wanted, 1e-11);
}

// κ jumps on faces of cells. The flux across the jump is the same in both materials, with unknowns at nodes, too.
TEST(CellFlux, IsThatOfBothSidesOfAJump) {
  const auto backend = test_backend();
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Problem p;
    p.dimension = 2;
    p.centering = centering;
    p.nodes = {uniform_nodes(0, 1, 8), uniform_nodes(0, 1, 8), {}};
    p.boundary[0] = {Boundary{D, 0.0}, Boundary{D, 1.0}};
    p.boundary[1] = {Boundary{N, 0.0}, Boundary{N, 0.0}};
    p.coefficient[0] = [](double x, double, double) { return x < 0.5 ? 1.0 : 100.0; };
    // Half of the domain has κ = 1 and half κ = 100: the flux is −1/(0.5 + 0.005).
    const double flux = -1 / 0.505;
    p.initial = [=](double x, double, double) { return x < 0.5 ? -flux * x : 1 + flux / 100 * (1 - x); };
    const Discretization d(*backend, std::as_const(p));
    Field u(d.backend(), d.block().layout(), Precision::fp64);
    d.initialize(u);
    const std::vector<double> found = gather_cell_flux(d, u).all();
    ASSERT_EQ(found.size(), 128u);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], i % 2 == 0 ? flux : 0, 1e-11) << i;
  }
}

TEST_P(ShownFields, ResidualsAreInTheUnitsOfTheSource) {
  Problem p = problem(D);
  p.source = 3.0;
  const Discretization d(*backend_, std::as_const(p));
  const auto A = d.make_operator(Precision::fp64);
  const Field u = field_of(d);
  Field b(*backend_, d.block().layout(), Precision::fp64), r(*backend_, d.block().layout(), Precision::fp64);
  d.assemble_rhs(b);
  A->residual(u, b, r);
  const bool nodes = centering() == Centering::node;
  const auto on_face = [&](std::size_t axis, double x) {
    return nodes && !p.nodes[axis].empty() && !(periodic() && axis == last()) &&
           (x == p.nodes[axis].front() || x == p.nodes[axis].back());
  };
  expect_near(gather_density(d.block(), r, 1 / A->scale()),
              expected(p, location(),
                       [&](double x, double y, double z) {
                         return on_face(0, x) || on_face(1, y) || on_face(2, z) ? 0.0 : 3.0;
                       }),
              1e-12);
}

TEST_P(ShownFields, ErrorsAreDifferencesWithoutTheirMeanWhereThatIsFree) {
  const Function f = [](double x, double y, double z) { return 5 + 2 * x + z - y; },
                 g = [](double, double y, double) { return 1 - y; };
  for (const bool singular : {false, true}) {
    SCOPED_TRACE(singular);
    Problem p = problem(N);
    p.reaction = singular ? 0.0 : 1.0;
    p.initial = f;
    p.exact = g;
    const Discretization d(*backend_, std::as_const(p));
    ASSERT_EQ(d.rows().singular, singular);
    const Field u = field_of(d);
    // This is the mean of 4 + 2x + z over the box: x has the mean 0, and a periodic z is summed with the first node for
    // the last.
    double mean = 0;
    if (singular) {
      double volume = 0;
      for_each(d.block().layout().box(), [&](int i, int j, int k) {
        const double m = d.block().mass(i, j, k);
        mean += m * (4 + 2 * d.block().axes[0].point(i) + (dimension() == 3 ? d.block().axes[2].point(k) : 0));
        volume += m;
      });
      mean /= volume;
    }
    expect_near(gather_error(d, u),
                expected(p, location(), [&](double x, double, double z) { return 4 + 2 * x + z - mean; }), 1e-13);
  }
}

TEST_P(ShownFields, DataAreTakenWhereTheyAreShown) {
  const Function f = [](double x, double y, double z) { return std::sin(x) * y - z; },
                 kx = [](double x, double, double) { return 1 + x * x; },
                 ky = [](double, double y, double z) { return 2 + y + z; };
  Problem p = problem(D);
  p.source = f;
  const Discretization d(*backend_, std::as_const(p));
  expect_near(gather_quantities(d, {p.source}, "source", location()), expected(p, location(), f), 1e-15);
  const Pieces kappa = gather_quantities(d, {kx, ky}, "coefficient", Location::cell);
  ASSERT_EQ(kappa.components, 2);
  const auto x = expected(p, Location::cell, kx), y = expected(p, Location::cell, ky);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < x.size(); ++i) wanted.insert(wanted.end(), {x[i], y[i]});
  expect_near(kappa, wanted, 1e-14);
}

// Each of several processes must output its part of the output of one process, including the nodes that it shares with
// the next process.
TEST_P(ShownFields, PartsHaveTheValuesOfTheGlobalGrid) {
  Problem p = problem(D);
  p.nodes[0] = uniform_nodes(-1, 1, 15);
  p.nodes[1] = geometric_nodes(0, 1, 13, 1.2, StretchedEnd::upper);
  if (dimension() == 3) p.nodes[2] = uniform_nodes(0, 1, 14);
  const Function f = [](double x, double y, double z) { return std::sin(3 * x + y) * std::cos(2 * y + z) + x * x * z; };
  p.source = f;
  p.initial = f;
  p.exact = [](double x, double y, double z) { return x * y - z; };
  p.coefficient[0] = [](double x, double y, double z) { return 2 + std::sin(x + 2 * y - z); };
  for (auto& axis : p.boundary)
    for (Boundary& face : axis)
      if (face.kind == D) face.value = f;
  const auto shown = [&](const Sharing& sharing, const auto& see) {
    const auto backend = test_backend();
    const Discretization d(*backend, std::as_const(p), Assembly::automatic, Sampling::automatic, sharing);
    Field u(*backend, d.block().space(), Precision::fp64);
    d.initialize(u);
    see(gather_values(d.block(), u));
    see(gather_gradient(d, u));
    see(gather_error(d, u));
    see(gather_density(d.block(), u, 2));
    see(gather_quantities(d, {p.source}, "source", location()));
    see(gather_quantities(d, {p.coefficient[0], p.source}, "coefficient", Location::cell));
  };
  struct Whole {
    std::array<int, 3> shape;
    std::vector<double> values;
  };
  std::vector<Whole> wholes;
  shown({}, [&](const Pieces& pieces) { wholes.push_back({pieces.shape, pieces.all()}); });
  const std::vector<std::array<int, 3>> all_parts{{1, 1, 2}, {2, 1, 1}, {2, 2, 1}, {1, 2, 2}};
  for (const std::array parts : std::span(all_parts).first(on_cpu() ? 4 : 1)) {
    if (dimension() == 2 && parts[2] > 1) continue;
    std::vector<std::vector<int>> covered;
    for (const Whole& whole : wholes) covered.emplace_back(whole.values.size(), 0);
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      std::size_t number = 0;
      shown({processes, parts}, [&](const Pieces& pieces) {
        const Whole& whole = wholes[number];
        const std::vector<double> found = pieces.all();
        const int components = pieces.components;
        std::size_t at = 0;
        for (int k = 0; k < pieces.shape[2]; ++k)
          for (int j = 0; j < pieces.shape[1]; ++j)
            for (int i = 0; i < pieces.shape[0] * components; ++i, ++at) {
              const int row = (k + pieces.first[2]) * whole.shape[1] + j + pieces.first[1];
              const auto there = static_cast<std::size_t>((row * whole.shape[0] + pieces.first[0]) * components + i);
              ASSERT_LT(there, whole.values.size());
              ASSERT_EQ(found[at], whole.values[there]) << number << ": " << i << " " << j << " " << k;
              covered[number][there] = 1;
            }
        ++number;
      });
    });
    for (std::size_t w = 0; w < wholes.size(); ++w)
      EXPECT_EQ(std::ranges::count(covered[w], 1), std::ssize(covered[w])) << w;
  }
}

INSTANTIATE_TEST_SUITE_P(, ShownFields,
                         testing::Combine(testing::Values(2, 3), testing::Values(Centering::node, Centering::cell),
                                          testing::Bool()),
                         [](const auto& p) {
                           return "In" + std::to_string(std::get<0>(p.param)) + "D" +
                                  (std::get<1>(p.param) == Centering::cell ? "OfCells" : "") +
                                  (std::get<2>(p.param) ? "Periodic" : "");
                         });

}  // namespace
}  // namespace poisson::shown_fields_tests
