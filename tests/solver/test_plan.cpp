// Memory must be predicted before it is allocated, and must not exceed the prediction.

#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/axes/stretching.hpp"
#include "solver/plan.hpp"
#include "tests/solve.hpp"

namespace poisson::plan_tests {
namespace {

constexpr auto wave = [](double x, double y, double z) { return 1 + 0.5 * std::sin(3 * x + 2 * y - z); };

Problem cube(int cells) {
  Problem p;
  for (auto& axis : p.nodes) axis = uniform_nodes(0, 1, cells);
  p.source = wave;
  return p;
}

struct Case {
  std::string_view name;
  Problem problem;
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};

std::vector<Case> cases() {
  const Problem constant = cube(40);
  Problem stretched = constant, varying = constant, tensor = constant, robin = constant, periodic = constant,
          square = constant, odd = constant;
  stretched.nodes[2] = tanh_nodes(0, 1, 40, 2.5, StretchedEnd::both);
  varying.coefficient[0] = wave;
  tensor.isotropic = false;
  tensor.coefficient = {wave, 2.0, wave};
  robin.reaction = wave;
  for (auto& axis : robin.boundary)
    for (Boundary& face : axis) face = {BoundaryKind::robin, 1.0, wave};
  for (auto& axis : periodic.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::periodic;
  square.dimension = 2;
  square.nodes = {uniform_nodes(0, 1, 300), uniform_nodes(0, 1, 250), {}};
  odd.nodes = {uniform_nodes(0, 1, 65), uniform_nodes(0, 1, 29), uniform_nodes(0, 1, 41)};
  Problem odd_cells = odd, odd_elements = odd, odd_square = square;
  odd_cells.centering = Centering::cell;
  odd_elements.scheme = Scheme::q1;
  for (Problem* p : {&odd_cells, &odd_elements, &odd_square}) p->coefficient[0] = wave;
  odd_cells.nodes[0] = uniform_nodes(0, 1, 37);
  odd_elements.nodes[0] = uniform_nodes(0, 1, 33);
  odd_square.nodes = {uniform_nodes(0, 1, 101), uniform_nodes(0, 1, 97), {}};
  Problem elements = cube(32), element_lines = elements, element_planes = cube(16), element_tensor = cube(24);
  for (Problem* p : {&elements, &element_lines, &element_planes, &element_tensor}) p->scheme = Scheme::q1;
  elements.coefficient[0] = wave;
  element_lines.nodes[1] = tanh_nodes(0, 1, 32, 4, StretchedEnd::both);
  for (auto& axis : element_planes.nodes) axis = tanh_nodes(0, 1, 16, 5, StretchedEnd::lower);
  element_tensor.isotropic = false;
  element_tensor.full_tensor = true;
  element_tensor.coefficient = {wave, 1.0, wave};
  element_tensor.offdiagonal[1] = 0.25;
  element_tensor.reaction = wave;
  Problem compact = cube(32);
  compact.scheme = Scheme::compact4;
  compact.reaction = 2.0;
  Problem cells = cube(32), varying_cells = cells, robin_cells = cells, square_cells = square;
  varying_cells.coefficient[0] = wave;
  robin_cells.reaction = wave;
  robin_cells.boundary = robin.boundary;
  square_cells.nodes = {uniform_nodes(0, 1, 200), uniform_nodes(0, 1, 150), {}};
  for (Problem* p : {&cells, &varying_cells, &robin_cells, &square_cells}) p->centering = Centering::cell;
  square_cells.coefficient[0] = wave;
  square_cells.boundary[1][0] = {BoundaryKind::robin, 1.0, 2.0};
  return {{"Constant", constant},
          {"Stretched", stretched},
          {"Varying", varying},
          {"Tensor", tensor},
          {"Robin", robin},
          {"Periodic", periodic},
          {"Square", square},
          {"Odd", odd},
          {"OddCells", odd_cells},
          {"OddElements", odd_elements},
          {"OddSquare", odd_square},
          {"Cells", cells},
          {"VaryingCells", varying_cells},
          {"RobinCells", robin_cells},
          {"SquareOfCells", square_cells},
          {"Elements", elements},
          {"ElementLines", element_lines},
          {"ElementPlanes", element_planes},
          {"ElementTensor", element_tensor},
          {"Compact", compact}};
}

constexpr auto again = CoarseOperator::rediscretized, galerkin = CoarseOperator::galerkin;
using SchemeContext = std::tuple<Method, Krylov, bool, CoarseOperator>;
constexpr std::array<SchemeContext, 6> settings{{{Method::multigrid, Krylov::none, true, again},
                                                 {Method::multigrid, Krylov::none, false, again},
                                                 {Method::multigrid, Krylov::cg, true, again},
                                                 {Method::multigrid, Krylov::cg, true, galerkin},
                                                 {Method::cg, Krylov::cg, false, again},
                                                 {Method::jacobi, Krylov::none, false, again}}};

class PlanOfAProblem : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(PlanOfAProblem, PredictsAllocations) {
  const Problem& problem = GetParam().problem;
  for (const auto& [method, krylov, full_multigrid, coarse] : settings)
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single})
      for (const Assembly assembly : {Assembly::automatic, Assembly::recompute, Assembly::partial, Assembly::full}) {
        if (assembly == Assembly::recompute && on_cpu()) continue;  // same as partial
        const bool cells = problem.centering == Centering::cell, plain = krylov == Krylov::none && full_multigrid;
        if (coarse == galerkin && (assembly == Assembly::partial || cells)) continue;
        // These modes change the storage of levels independently of the solver.
        if (assembly == Assembly::partial && (!plain || !(is_separable(problem) || problem.scheme != Scheme::fv)))
          continue;
        if (assembly == Assembly::full && !plain && coarse != galerkin) continue;
        SCOPED_TRACE(testing::Message() << "method " << static_cast<int>(method) << ", krylov "
                                        << static_cast<int>(krylov) << ", full multigrid " << full_multigrid
                                        << ", Galerkin " << (coarse == galerkin) << ", precision "
                                        << static_cast<int>(precision) << ", assembly " << static_cast<int>(assembly));
        Options o;
        o.method = method;
        o.krylov = krylov;
        o.full_multigrid = full_multigrid;
        o.coarse_operator = coarse;
        o.precision = precision;
        o.tolerance = 0;
        o.max_iterations = 1;
        const Plan plan = make_plan(problem, o, assembly, !on_cpu());
        Solve s(problem, o, assembly);
        s.run();
        const auto peak = static_cast<double>(s.backend().memory().peak());
        EXPECT_LE(static_cast<double>(plan.bytes + plan.setup), peak + (on_cpu() ? 0 : Plan::allowance));
        EXPECT_GE(static_cast<double>(plan.most()), peak);
        EXPECT_EQ(plan.levels.size(), static_cast<std::size_t>(s.solver().levels()));
        EXPECT_EQ(plan.levels.front().unknowns, s.discretization().unknowns());
        EXPECT_EQ(plan.levels.front().assembly, s.solver().A().assembly());
        std::size_t sum = 0;
        for (const Plan::Level& level : plan.levels) sum += level.bytes;
        EXPECT_EQ(sum, plan.bytes);
      }
}

TEST(Plan, CountsTheMemoryOfExtrapolation) {
  Problem varying = cube(32), torus = varying;
  varying.reaction = wave;
  for (auto& axis : torus.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::periodic;
  for (const Problem& problem : {cube(32), varying, torus})
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single}) {
      Options o{.method = Method::multigrid};
      o.extrapolate = true;
      o.precision = precision;
      o.tolerance = 0;
      o.max_iterations = 2;
      const Plan plan = make_plan(problem, o, Assembly::automatic, !on_cpu());
      Solve s(problem, o);
      s.run();
      const auto peak = static_cast<double>(s.backend().memory().peak());
      EXPECT_LE(static_cast<double>(plan.bytes), peak);
      EXPECT_GE(static_cast<double>(plan.most()), peak);
    }
}

INSTANTIATE_TEST_SUITE_P(, PlanOfAProblem, testing::ValuesIn(cases()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(Memory, IsAtMost60BytesPerUnknownByDefault) {
  Solve s(cube(128), Options{.method = Method::multigrid});
  ASSERT_TRUE(s.run().converged());
  EXPECT_LE(static_cast<double>(s.backend().memory().peak()) / static_cast<double>(s.discretization().unknowns()), 60);
  EXPECT_LE(
      make_plan(cube(128), Options{.method = Method::multigrid}, Assembly::automatic, !on_cpu()).bytes_per_unknown(),
      60);
}

// 509 is prime, so its transforms are products of a library whose loading costs more than a solve.
TEST(Plan, OfRepeatedSolvesOmitsLoadingLibraries) {
  const Problem problem = cube(509);
  Options options;
  EXPECT_EQ(choose_plan(problem, options, Assembly::automatic, /*gpu=*/true).options.method, Method::multigrid);
  options.kept = true;
  const Plan plan = choose_plan(problem, options, Assembly::automatic, /*gpu=*/true);
  EXPECT_EQ(plan.options.method, Method::direct) << plan.choice;
}

}  // namespace
}  // namespace poisson::plan_tests
