// Faults of meshes: elements that repeat corners, meshes of very different sizes, places and estimated errors.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/meshes.hpp"

namespace poisson::test::mesh_faults_tests {
namespace {

// Adds an element of space by its corners.
void add(Mesh& mesh, CellShape shape, std::initializer_list<int> corners) {
  MeshCells& block = mesh.of_shape(shape);
  block.corners.insert(block.corners.end(), corners.begin(), corners.end());
  block.label.push_back(0);
}

Mesh unit_cube() {
  Mesh mesh;
  for (int p = 0; p < 8; ++p) {
    const int x = (p + 1) / 2 % 2, y = p / 2 % 2, z = p / 4;
    mesh.points.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  }
  return mesh;
}

double volume_of(const Mesh& mesh) {
  double sum = 0;
  for (const MeshCells& block : mesh.cells)
    if (facts_of(block.shape).dimension == mesh.dimension)
      for (std::int64_t e = 0; e < block.count(); ++e) sum += measure_of(mesh, block.shape, block.of(e));
  return sum;
}

TEST(MeshFaults, HexahedraThatRepeatCornersAreSimplerShapes) {
  struct Case {
    CellShape of, is;
    std::vector<int> corners;
    double volume;
  };
  using enum CellShape;
  const std::vector<Case> cases{{hexahedron, prism, {0, 1, 2, 2, 4, 5, 6, 6}, 0.5},
                                {hexahedron, prism, {0, 1, 2, 3, 4, 4, 7, 7}, 0.5},
                                {hexahedron, pyramid, {0, 1, 2, 3, 4, 4, 4, 4}, 1.0 / 3},
                                {hexahedron, tetrahedron, {0, 1, 2, 2, 4, 4, 4, 4}, 1.0 / 6},
                                {prism, pyramid, {0, 1, 3, 4, 5, 3}, 1.0 / 3},
                                {prism, tetrahedron, {0, 1, 3, 4, 4, 4}, 1.0 / 6},
                                {pyramid, tetrahedron, {0, 1, 2, 2, 4}, 1.0 / 6}};
  for (const Case& one : cases) {
    Mesh mesh = unit_cube();
    mesh.of_shape(one.of).corners.assign(one.corners.begin(), one.corners.end());
    mesh.of_shape(one.of).label.push_back(0);
    const MeshFaults faults = check_mesh(mesh);
    EXPECT_EQ(faults.collapsed.count, 1);
    EXPECT_EQ(faults.degenerate.count, 0);
    EXPECT_EQ(faults.crossed.count, 0);
    ASSERT_NE(mesh.find(one.is), nullptr);
    EXPECT_EQ(mesh.find(one.is)->count(), 1) << facts_of(one.is).name;
    EXPECT_NEAR(volume_of(mesh), one.volume, 1e-14) << facts_of(one.is).name;
  }
}

TEST(MeshFaults, ElementsWithTooFewCornersAreLeftOut) {
  Mesh mesh = unit_cube();
  add(mesh, CellShape::tetrahedron, {0, 1, 2, 4});
  add(mesh, CellShape::tetrahedron, {0, 1, 1, 4});
  add(mesh, CellShape::hexahedron, {0, 0, 0, 0, 4, 5, 5, 4});
  const MeshFaults faults = check_mesh(mesh);
  EXPECT_EQ(faults.degenerate.count, 2);
  EXPECT_EQ(faults.collapsed.count, 0);
  EXPECT_EQ(mesh.count(3), 1);
}

// A linear solution on hexahedra of which some are prisms that repeat corners.
TEST(MeshFaults, CollapsedElementsSolveLikeTheirShapes) {
  Mesh mesh = make_mesh(CellShape::prism, 4);
  const std::vector<int> corners(mesh.find(CellShape::prism)->corners.begin(),
                                 mesh.find(CellShape::prism)->corners.end());
  const std::vector<int> labels(mesh.find(CellShape::prism)->label.begin(), mesh.find(CellShape::prism)->label.end());
  MeshCells& prisms = mesh.of_shape(CellShape::prism);
  prisms.corners.clear();
  prisms.label.clear();
  for (std::size_t e = 0; e < labels.size(); ++e) {
    const int* const c = corners.data() + 6 * e;
    MeshCells& block = mesh.of_shape(CellShape::hexahedron);
    for (const int k : {0, 1, 2, 2, 3, 4, 5, 5}) block.corners.push_back(c[k]);
    block.label.push_back(labels[e]);
  }
  EXPECT_EQ(check_mesh(mesh).collapsed.count, std::ssize(labels));
  const auto linear = [](double x, double y, double z) { return 1 + x - 2 * y + 3 * z; };
  const MeshProblem problem = mesh_problem(std::move(mesh), Quantity(linear), 0.0);
  const MeshSolution solution = solve_mesh(problem);
  EXPECT_LT(error_of(*solution.data, solution.u, Quantity(linear)).largest, 1e-9);
}

// Widths range over five decades: a search with boxes of one width would not end.
TEST(MeshFaults, AreFoundOnMeshesOfVeryDifferentWidths) {
  const auto graded = [](const MeshPoint& x) {
    return MeshPoint{std::pow(10.0, 5 * x[0] - 5), std::pow(10.0, 5 * x[1] - 5), std::pow(10.0, 5 * x[2] - 5)};
  };
  Mesh mesh = make_mesh(CellShape::hexahedron, 12, graded);
  const MeshFaults faults = check_mesh(mesh);
  EXPECT_EQ(faults.hanging.count + faults.coincident.count + faults.crossed.count, 0);
  // A second mesh touches the first one, with points inside its sides.
  Mesh both = make_mesh(CellShape::hexahedron, 4);
  const Mesh other = make_mesh(CellShape::hexahedron, 5, [](const MeshPoint& x) {
    return MeshPoint{x[0] + 1, x[1], x[2]};
  });
  const int before = static_cast<int>(both.points.size());
  both.points.insert(both.points.end(), other.points.begin(), other.points.end());
  MeshCells& block = both.of_shape(CellShape::hexahedron);
  for (const int p : other.find(CellShape::hexahedron)->corners) block.corners.push_back(p + before);
  for (const int label : other.find(CellShape::hexahedron)->label) block.label.push_back(label);
  const MeshFaults found = check_mesh(both);
  EXPECT_EQ(found.coincident.count, 4);                   // the corners of the common side
  EXPECT_EQ(found.hanging.count, 5 * 5 - 4 + 6 * 6 - 4);  // the other points of both sides
  EXPECT_EQ(found.hanging.first[0], 1);
}

TEST(MeshPlaces, AreFoundOnceAndOnlyInside) {
  const MeshProblem problem = mesh_problem(make_mesh(CellShape::tetrahedron, 6), 0.0, 1.0);
  const MeshData data(problem);
  const std::vector<double> u = [&] {
    std::vector<double> values;
    for (const auto& x : data.mesh().points) values.push_back(1 + x[0] - 2 * x[1] + 4 * x[2]);
    return values;
  }();
  std::vector<std::array<double, 3>> places;
  for (int k = 0; k < 200; ++k)
    places.push_back({std::fmod(0.618034 * k, 1.0), std::fmod(0.414214 * k, 1.0), std::fmod(0.732051 * k, 1.0)});
  places.push_back({1, 1, 1});
  places.push_back({0.5, 0.5, 1.001});
  const auto found = locate(data, places);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    ASSERT_TRUE(found[i]) << i;
    EXPECT_NEAR(interpolate(data, u, *found[i]), 1 + places[i][0] - 2 * places[i][1] + 4 * places[i][2], 1e-12);
  }
  EXPECT_FALSE(found.back());
}

// The estimate must see errors although κ differs between all elements, and halve with the width.
TEST(MeshErrors, AreEstimatedForVaryingCoefficients) {
  std::array<double, 2> estimate{};
  for (std::size_t k = 0; k < 2; ++k) {
    MeshProblem problem = mesh_problem(make_mesh(CellShape::triangle, 16 << k), 0.0, 1.0);
    problem.coefficient[0] = Quantity([](double x, double y, double) { return 1 + x + 0.5 * y; });
    const MeshSolution solution = solve_mesh(problem);
    estimate[k] = recovered_error(*solution.data, solution.u);
  }
  EXPECT_GT(estimate[0], 0.03);
  EXPECT_NEAR(std::log2(estimate[0] / estimate[1]), 1, 0.2);
}

TEST(MeshFlows, CountWhatEntersAndLeavesThroughOneCondition) {
  const auto x = [](double a, double, double) { return a; };
  const MeshProblem problem = mesh_problem(make_mesh(CellShape::quadrilateral, 8), Quantity(x), 0.0);
  const MeshSolution solution = solve_mesh(problem);
  const ConditionFlow flow = condition_flows(*solution.data, solution.u)[0];
  EXPECT_NEAR(flow.flow, 0, 1e-9);
  EXPECT_NEAR(flow.size, 2, 0.3);  // 1 enters, 1 leaves; points at corners count both
}

}  // namespace
}  // namespace poisson::test::mesh_faults_tests
