// Units must not matter: boxes of micrometres and of megametres, and tiny and huge coefficients, must need the same
// iterations.

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "tests/cases/covering.hpp"
#include "tests/solve.hpp"

namespace poisson::scaling_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

/// Lengths, coefficients and solutions are these multiples of those of the unit problem.
struct Units {
  double length, kappa, u;
};
const std::vector<Named<Units>> all_units{{"Micrometres", {1e-6, 1e-12, 1}},
                                          {"Megametres", {1e6, 1e12, 1}},
                                          {"VacuumInMicrometres", {1e-6, 8.85e-12, 1}},
                                          {"VacuumInMetres", {1, 8.85e-12, 1}},
                                          {"KilovoltsInMicrometres", {1e-6, 8.85e-12, 1e4}},
                                          {"MicrovoltsInMegametres", {1e6, 1e12, 1e-6}},
                                          {"Nanometres", {1e-9, 1e12, 1e9}}};

struct Equation {
  int dimension;
  std::array<std::array<BoundaryKind, 2>, 3> kinds;
  bool varying;  ///< applies to κ, σ and α
  double sigma;
  bool stretched;
};
const std::vector<Named<Equation>> equations{{"Dirichlet", {3, {{{D, D}, {D, D}, {D, D}}}, false, 0, false}},
                                             {"DirichletStretched", {3, {{{D, D}, {D, D}, {D, D}}}, false, 0, true}},
                                             {"DirichletVarying", {3, {{{D, D}, {D, D}, {D, D}}}, true, 5, false}},
                                             {"Neumann", {3, {{{N, N}, {N, N}, {N, N}}}, false, 0, false}},
                                             {"NeumannReaction", {3, {{{N, N}, {N, N}, {N, N}}}, false, 5, false}},
                                             {"Robin", {3, {{{R, R}, {R, N}, {R, R}}}, false, 0, true}},
                                             {"RobinVarying", {3, {{{R, D}, {R, N}, {P, P}}}, true, 5, true}},
                                             {"Square", {2, {{{R, D}, {N, D}, {D, D}}}, true, 0, false}}};

struct Way {
  Method method;
  Krylov krylov;
};
const std::vector<Named<Way>> ways{{"multigrid", {Method::multigrid, Krylov::none}},
                                   {"multigridCg", {Method::multigrid, Krylov::cg}},
                                   {"cg", {Method::cg, Krylov::cg}}};
const std::vector<Named<SolvePrecision>> precisions{
    {"double", SolvePrecision::double_}, {"mixed", SolvePrecision::mixed}, {"single", SolvePrecision::single}};

Problem problem_in(const Equation& e, const Units& units) {
  const auto [length, kappa, scale] = units;
  Problem p;
  p.dimension = e.dimension;
  const std::array<int, 3> cells{32, 28, 36};
  for (std::size_t d = 0; d < static_cast<std::size_t>(e.dimension); ++d) {
    const double end = (d == 1 ? 0.8 : 1) * length;
    p.nodes[d] =
        e.stretched && d == 0 ? tanh_nodes(0, end, cells[d], 1.2, StretchedEnd::both) : uniform_nodes(0, end, cells[d]);
  }
  // factor · (1 + amplitude · wave) is the same function of x/length in all units.
  const auto wave = [length = length](double factor, double amplitude) {
    return Quantity([=](double x, double y, double z) {
      return factor * (1 + amplitude * std::sin((3 * x + 2 * y - 4 * z) / length));
    });
  };
  const double flux = kappa / length, power = kappa / length / length;
  p.coefficient[0] = e.varying ? wave(kappa, 0.5) : Quantity(kappa);
  p.reaction = e.varying && e.sigma > 0 ? wave(e.sigma * power, 0.5) : Quantity(e.sigma * power);
  p.source = wave(10 * power * scale, 0.9);
  for (std::size_t d = 0; d < static_cast<std::size_t>(e.dimension); ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      const BoundaryKind kind = e.kinds[d][end];
      p.boundary[d][end] = {kind, wave((kind == D ? 1 : flux) * scale * (end == 0 ? 1 : -2), 0.3),
                            e.varying ? wave(2 * flux, 0.5) : Quantity(2 * flux)};
    }
  return p;
}

class Scaling
    : public testing::TestWithParam<std::tuple<Named<Equation>, Named<Units>, Named<Way>, Named<SolvePrecision>>> {
 protected:
  // The problems are small: more threads would mostly wait for each other.
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(Scaling, TakesTheIterationsOfTheUnitProblem) {
  const Equation& equation = std::get<0>(GetParam()).value;
  const Units& units = std::get<1>(GetParam()).value;
  const auto& [method, krylov] = std::get<2>(GetParam()).value;
  const SolvePrecision precision = std::get<3>(GetParam()).value;
  Options o;
  o.method = method;
  o.krylov = krylov;
  o.precision = precision;
  o.tolerance = precision == SolvePrecision::single ? 1e-4 : 1e-9;
  o.max_iterations = 1000;
  const auto solve = [&](const Units& chosen, std::vector<double>& u) {
    Solve s(problem_in(equation, chosen), o);
    Result result = s.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict) << ", relative " << result.relative();
    u = values(s.solution());
    return result;
  };
  std::vector<double> unit, other;
  const Result reference = solve({1, 1, 1}, unit), result = solve(units, other);
  // Conjugate gradients without multigrid need many iterations, and rounding may change the last one.
  EXPECT_NEAR(result.iterations, reference.iterations, method == Method::cg ? 1 : 0);
  double largest = 0, size = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    size = std::max(size, std::abs(unit[i]));
    largest = std::max(largest, std::abs(other[i] / units.u - unit[i]));
  }
  EXPECT_LE(largest, (precision == SolvePrecision::single ? 1e-2 : 1e-6) * size);
}

INSTANTIATE_TEST_SUITE_P(, Scaling, testing::ValuesIn(every_pair(equations, all_units, ways, precisions)),
                         name_of_combination);

}  // namespace
}  // namespace poisson::scaling_tests
