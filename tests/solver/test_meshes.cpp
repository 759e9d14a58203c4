// Linear elements on unstructured meshes: patch tests, orders, conditions, flows, and singular problems.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/meshes.hpp"

namespace poisson::test::meshes_tests {
namespace {

constexpr double pi = std::numbers::pi;
constexpr CellShape all_shapes[] = {CellShape::triangle, CellShape::quadrilateral, CellShape::tetrahedron,
                                    CellShape::pyramid,  CellShape::prism,         CellShape::hexahedron};

// Moves inner points and keeps the boundary of the unit square or cube.
MeshPoint wave(const MeshPoint& x) {
  const double s = 0.06 * std::sin(2 * pi * x[0]) * std::sin(2 * pi * x[1]) * (x[2] == 0 ? 1 : std::cos(x[2]));
  return {x[0] + s, x[1] - s, x[2] + 0.5 * s * x[2] * (1 - x[2])};
}

// A quarter of a ring between the radii 1 and 2, extruded.
MeshPoint ring(const MeshPoint& x) {
  const double r = 1 + x[0], a = 0.5 * pi * x[1];
  return {r * std::cos(a), r * std::sin(a), x[2]};
}

class ElementShapes : public ::testing::TestWithParam<CellShape> {
 protected:
  bool plane() const { return facts_of(GetParam()).dimension == 2; }
  int cells() const { return plane() ? 8 : 4; }
};
INSTANTIATE_TEST_SUITE_P(All, ElementShapes, ::testing::ValuesIn(all_shapes),
                         [](const auto& info) { return std::string(facts_of(info.param).name); });

TEST_P(ElementShapes, ReproduceLinearSolutionsOfTensors) {
  // −div(K grad u) = 0 for linear u and constant K, on distorted elements.
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; };
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), cells(), wave), Quantity(linear), 0.0);
  set_coefficient(problem, {{2.0, 3.0, 1.5, 0.5, 0.2, -0.3}, false});
  const MeshSolution solution = solve_mesh(problem);
  EXPECT_LT(error_of(*solution.data, solution.u, Quantity(linear)).largest, 1e-9);
  EXPECT_LT(recovered_error(*solution.data, solution.u), 1e-8);
}

TEST_P(ElementShapes, ConvergeInSecondOrderOnCurvedDomains) {
  const double three = plane() ? 0 : 1;
  const auto exact = [three](double x, double y, double z) {
    return std::sin(x + 0.3) * std::cos(y) * (1 + three * z * z);
  };
  const auto source = [three](double x, double y, double z) {
    return std::sin(x + 0.3) * std::cos(y) * (2 * (1 + three * z * z) - 2 * three);
  };
  std::array<double, 2> errors{};
  for (std::size_t k = 0; k < 2; ++k) {
    MeshProblem problem = mesh_problem(make_mesh(GetParam(), cells() << k, ring), Quantity(exact), Quantity(source));
    const MeshSolution solution = solve_mesh(problem);
    errors[k] = error_of(*solution.data, solution.u, Quantity(exact)).l2;
  }
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9) << errors[0] << " " << errors[1];
}

TEST_P(ElementShapes, GiveTheSameBitsAgain) {
  const MeshProblem problem = mesh_problem(make_mesh(GetParam(), cells(), wave), 0.0, 1.0);
  const MeshSolution first = solve_mesh(problem), second = solve_mesh(problem);
  EXPECT_EQ(first.u, second.u);
}

// A bar between u = 1 and an environment at 0: the flow is 1/(L/κ + 1/α) times the area.
TEST_P(ElementShapes, BalanceFlowsOfNamedSides) {
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), cells()), 0.0, 0.0);
  MeshCondition& rest = problem.conditions[0];
  rest.kind = BoundaryKind::neumann;
  const MeshCondition hot{"x-", {0}, BoundaryKind::dirichlet, 1.0, 0.0};
  const MeshCondition air{"x+", {1}, BoundaryKind::robin, 0.0, 4.0};
  problem.conditions = {hot, air, rest};
  problem.coefficient[0] = 2.0;
  const MeshSolution solution = solve_mesh(problem);
  const auto flows = condition_flows(*solution.data, solution.u);
  const double expected = 1 / (1 / 2.0 + 1 / 4.0);
  EXPECT_NEAR(flows[0].flow, expected, 1e-9);
  EXPECT_NEAR(flows[1].flow, -expected, 1e-9);
  EXPECT_NEAR(flows[1].mean, expected / 4, 1e-9);
  EXPECT_NEAR(flows[0].measure, 1, 1e-12);
}

// Materials in series: κ = 1 and 3 in halves. The power of a body is exact whatever its elements.
TEST_P(ElementShapes, ApplyMaterialsByGroup) {
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), cells()), 0.0, 0.0);
  problem.conditions = {{"x-", {0}, BoundaryKind::dirichlet, 1.0, 0.0},
                        {"x+", {1}, BoundaryKind::dirichlet, 0.0, 0.0},
                        {"default", {}, BoundaryKind::neumann, 0.0, 0.0}};
  MeshMaterial upper;
  upper.group = plane() ? 5 : 7;
  upper.coefficient = MeshCoefficient{};
  upper.coefficient->entry[0] = 3.0;
  problem.materials = {upper};
  MeshSolution solution = solve_mesh(problem);
  EXPECT_NEAR(condition_flows(*solution.data, solution.u)[0].flow, 1 / (0.5 + 0.5 / 3), 1e-9);
  EXPECT_NEAR(*value_at(*solution.data, solution.u, {0.5, 0.37, plane() ? 0 : 0.41}), 0.25, 1e-9);
  problem.materials[0].power = 12.5;
  solution = solve_mesh(problem);
  const auto flows = condition_flows(*solution.data, solution.u);
  EXPECT_NEAR(integrate(*solution.data, solution.u).source, 12.5, 1e-11);
  EXPECT_NEAR(flows[0].flow + flows[1].flow + flows[2].flow, -12.5, 1e-8);
}

TEST_P(ElementShapes, SolveSingularProblems) {
  const auto exact = [](double x, double, double) { return std::cos(pi * x); };
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), 2 * cells()), 0.0,
                                     Quantity([](double x, double, double) { return pi * pi * std::cos(pi * x); }));
  problem.conditions[0].kind = BoundaryKind::neumann;
  const MeshSolution solution = solve_mesh(problem, 1e-9);
  EXPECT_TRUE(solution.system.rows.singular);
  EXPECT_TRUE(solution.result.converged());
  EXPECT_NEAR(integrate(*solution.data, solution.u).integral, 0, 1e-8);
  EXPECT_LT(error_of(*solution.data, solution.u, Quantity(exact)).l2, plane() ? 0.02 : 0.06);
}

TEST_P(ElementShapes, AddReaction) {
  // −u″ + σ u = 0 with σ = 4 between cosh(2) and 1 at x = 1.
  const auto exact = [](double x, double, double) { return std::cosh(2 * (1 - x)); };
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), 2 * cells()), Quantity(exact), 0.0);
  problem.reaction = 4.0;
  const MeshSolution solution = solve_mesh(problem);
  EXPECT_LT(error_of(*solution.data, solution.u, Quantity(exact)).l2, plane() ? 0.01 : 0.03);
  const MeshIntegrals all = integrate(*solution.data, solution.u);
  EXPECT_NEAR(condition_flows(*solution.data, solution.u)[0].flow, all.reaction, 1e-8 * all.reaction);
}

TEST(Meshes, HoldSurfacesInside) {
  // A sheet at x = 1/2 is held at 1 between sides at 0: u falls linearly to both sides.
  Mesh mesh = make_mesh(CellShape::quadrilateral, 8);
  mesh.groups.push_back({1, 9, "sheet"});
  mesh.labels.push_back({static_cast<int>(mesh.groups.size()) - 1});
  MeshCells& lines = mesh.of_shape(CellShape::line);
  for (int j = 0; j < 8; ++j) {
    for (const int p : {9 * j + 4, 9 * (j + 1) + 4}) lines.corners.push_back(p);
    lines.label.push_back(static_cast<int>(mesh.labels.size()) - 1);
  }
  MeshProblem problem = mesh_problem(std::move(mesh), 0.0, 0.0);
  problem.conditions = {{"sheet", {6}, BoundaryKind::dirichlet, 1.0, 0.0},
                        {"sides", {0, 1}, BoundaryKind::dirichlet, 0.0, 0.0},
                        {"default", {}, BoundaryKind::neumann, 0.0, 0.0}};
  MeshSolution solution = solve_mesh(problem);
  EXPECT_NEAR(condition_flows(*solution.data, solution.u)[0].flow, 4, 1e-9);
  EXPECT_NEAR(*value_at(*solution.data, solution.u, {0.25, 0.3, 0}), 0.5, 1e-9);
  // A Neumann condition inside is a source on the sheet.
  problem.conditions[0].kind = BoundaryKind::neumann;
  problem.conditions[0].value = 4.0;
  solution = solve_mesh(problem);
  EXPECT_NEAR(*value_at(*solution.data, solution.u, {0.5, 0.3, 0}), 1, 1e-9);
}

// Points have no size: their mean is that of their values.
TEST(Meshes, AverageConditionsAtPoints) {
  Mesh mesh = make_mesh(CellShape::quadrilateral, 8);
  mesh.groups.push_back({0, 9, "points"});
  mesh.labels.push_back({static_cast<int>(mesh.groups.size()) - 1});
  MeshCells& points = mesh.of_shape(CellShape::vertex);
  for (const int p : {0, 8}) {
    points.corners.push_back(p);
    points.label.push_back(static_cast<int>(mesh.labels.size()) - 1);
  }
  MeshProblem problem = mesh_problem(std::move(mesh), 0.0, 0.0);
  problem.conditions = {
      {"points", {6}, BoundaryKind::dirichlet, Quantity([](double x, double, double) { return 1 + 2 * x; }), 0.0},
      {"default", {}, BoundaryKind::neumann, 0.0, 0.0}};
  MeshSolution solution = solve_mesh(problem);
  ConditionFlow flow = condition_flows(*solution.data, solution.u)[0];
  EXPECT_NEAR(flow.mean, 2, 1e-12);
  EXPECT_NEAR(flow.flow, 0, 1e-9);
  problem.conditions[0].kind = BoundaryKind::neumann;
  problem.conditions[0].value = 0.0;
  problem.conditions[1] = {"default", {}, BoundaryKind::dirichlet, 5.0, 0.0};
  solution = solve_mesh(problem);
  EXPECT_NEAR(condition_flows(*solution.data, solution.u)[0].mean, 5, 1e-9);
}

TEST(Meshes, RefuseConditionsAtAllPoints) {
  const MeshProblem problem = mesh_problem(make_mesh(CellShape::quadrilateral, 1), 0.0, 0.0);
  const MeshData data(problem);
  EXPECT_THROW(assemble(data), InputError);
}

TEST(Meshes, RefusePartsWithoutAValue) {
  Mesh mesh = make_mesh(CellShape::triangle, 2);
  const Mesh other = make_mesh(CellShape::triangle, 2, [](const MeshPoint& x) { return MeshPoint{x[0] + 3, x[1], 0}; });
  const int shift = static_cast<int>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), other.points.begin(), other.points.end());
  MeshCells& to = mesh.of_shape(CellShape::triangle);
  for (const int p : other.find(CellShape::triangle)->corners) to.corners.push_back(p + shift);
  for (std::int64_t e = 0; e < other.find(CellShape::triangle)->count(); ++e) to.label.push_back(0);
  MeshProblem problem = mesh_problem(std::move(mesh), 0.0, 1.0);
  problem.conditions = {{"x-", {0}, BoundaryKind::dirichlet, 0.0, 0.0},
                        {"default", {}, BoundaryKind::neumann, 0.0, 0.0}};
  const MeshData data(problem);
  EXPECT_THROW(assemble(data), InputError);
}

TEST(Meshes, CountFaults) {
  Mesh mesh = make_mesh(CellShape::triangle, 4);
  MeshCells& block = mesh.of_shape(CellShape::triangle);
  std::swap(block.corners[3], block.corners[4]);  // inverts the second element
  for (int k = 0; k < 3; ++k) block.corners.push_back(block.corners[6 + static_cast<std::size_t>(k)]);
  block.label.push_back(block.label[2]);                     // repeats the third one
  for (const int p : {0, 1, 2}) block.corners.push_back(p);  // three points of a line
  block.label.push_back(5);
  const std::int64_t before = block.count();
  const MeshFaults faults = check_mesh(mesh);
  EXPECT_EQ(faults.inverted.count, 1);
  EXPECT_EQ(faults.duplicate.count, 1);
  EXPECT_EQ(faults.degenerate.count, 1);
  EXPECT_EQ(mesh.find(CellShape::triangle)->count(), before - 2);
  EXPECT_NEAR(faults.degenerate.first[0], 0.25, 1e-12);
}

TEST(Meshes, FindHangingPoints) {
  // One large square beside two small ones.
  Mesh mesh;
  mesh.dimension = 2;
  for (const MeshPoint& x :
       {MeshPoint{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 0.5, 0}, {2, 1, 0}, {1, 0.5, 0}})
    mesh.points.push_back(x);
  MeshCells& block = mesh.of_shape(CellShape::quadrilateral);
  for (const int p : {0, 1, 2, 3, 1, 4, 5, 7, 7, 5, 6, 2}) block.corners.push_back(p);
  block.label.assign(3, 0);
  const MeshFaults faults = check_mesh(mesh);
  EXPECT_EQ(faults.hanging.count, 1);
  EXPECT_EQ(faults.hanging.first, (std::array<double, 3>{1, 0.5, 0}));
}

}  // namespace
}  // namespace poisson::test::meshes_tests
