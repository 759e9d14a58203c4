// Rows of elements for devices equal those of the host, for every shape.

#include <algorithm>
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "grids/meshes/device_assembly.hpp"
#include "tests/device.hpp"
#include "tests/meshes.hpp"

namespace poisson::test::mesh_rows_tests {
namespace {

class MeshRowsOf : public ::testing::TestWithParam<CellShape> {};
INSTANTIATE_TEST_SUITE_P(All, MeshRowsOf,
                         ::testing::Values(CellShape::triangle, CellShape::quadrilateral, CellShape::tetrahedron,
                                           CellShape::pyramid, CellShape::prism, CellShape::hexahedron),
                         [](const auto& shape) { return std::string(facts_of(shape.param).name); });

MeshPoint bent(const MeshPoint& x) {
  return {x[0] + 0.05 * std::sin(5 * x[1]), x[1] * (1 + 0.3 * x[0]), x[2] + 0.1 * x[0] * x[1] * x[2]};
}

// Fills the rows of a known pattern with the steps of devices.
struct FilledRows {
  std::vector<double> values, b, weights;
};

FilledRows fill_on_host(const MeshData& data, const MeshSystem& system) {
  MeshRows rows;
  const std::vector<const MeshCells*>& blocks = data.topology.blocks();
  std::int64_t source = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ElementRule& rule = rule_of(blocks[b]->shape);
    rows.block[rows.blocks++] = {&rule,
                                 blocks[b]->corners.data(),
                                 rule.corners,
                                 rule.dimension,
                                 blocks[b]->shape == CellShape::triangle || blocks[b]->shape == CellShape::tetrahedron,
                                 data.topology.first()[b],
                                 blocks[b]->count(),
                                 source};
    source += blocks[b]->count() * rule.points;
  }
  rows.elements = data.topology.cells();
  std::vector<ElementRule> rules;
  for (const CellShape shape : {CellShape::vertex, CellShape::line, CellShape::triangle, CellShape::quadrilateral})
    rules.push_back(rule_of(shape));
  std::vector<std::uint8_t> shapes;
  std::vector<int> corners;
  std::vector<std::int64_t> starts{0};
  std::vector<double> of_sides;
  std::vector<std::vector<int>> sides_at(data.mesh().points.size());
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    if (data.condition(data.facets[f]).kind == BoundaryKind::dirichlet) continue;
    const Facet& facet = data.facets[f].facet;
    for (const int p : facet.used()) sides_at[static_cast<std::size_t>(p)].push_back(static_cast<int>(shapes.size()));
    shapes.push_back(static_cast<std::uint8_t>(facet.shape));
    corners.insert(corners.end(), facet.corners.begin(), facet.corners.end());
    of_sides.insert(of_sides.end(), data.data[f].begin(), data.data[f].end());
    starts.push_back(static_cast<std::int64_t>(of_sides.size()));
  }
  rows.sides = {rules.data(),  shapes.data(),   corners.data(),
                starts.data(), of_sides.data(), static_cast<std::int64_t>(shapes.size())};
  std::vector<std::int64_t> first{0};
  std::vector<int> element;
  for (const int point : system.point) {
    const auto at = data.topology.at(point);
    element.insert(element.end(), at.begin(), at.end());
    for (const int side : sides_at[static_cast<std::size_t>(point)])
      element.push_back(static_cast<int>(rows.elements) + side);
    first.push_back(static_cast<std::int64_t>(element.size()));
  }
  rows.point = data.mesh().points.front().data();
  rows.kappa = data.kappa.data();
  rows.kappa_entries = static_cast<int>(data.kappa_entries);
  rows.reaction = data.reaction.empty() ? nullptr : data.reaction.data();
  rows.row = system.row.data();
  rows.point_of = system.point.data();
  rows.first = first.data();
  rows.element = element.data();
  const CsrMatrix& A = system.rows.A;
  const auto n = static_cast<std::size_t>(A.rows());
  FilledRows found{std::vector<double>(A.value.size()), std::vector<double>(n), std::vector<double>(n)};
  const FillMeshRows fill{rows, A.start.data(), A.column.data(), found.values.data()};
  const FillMeshLoads load{rows,
                           data.density.empty() ? nullptr : data.density.data(),
                           data.source.empty() ? nullptr : data.source.data(),
                           data.held.data(),
                           found.b.data(),
                           found.weights.data()};
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    fill(i);
    load(i);
  }
  return found;
}

FilledRows fill_on_device(const MeshData& data, const MeshSystem& system) {
  const auto backend = test_backend();
  const auto assembly = make_device_assembly(*backend, data, system.row, system.point);
  const CsrMatrix& A = system.rows.A;
  const auto matrix = assembly->matrix();
  FilledRows found;
  if (matrix->entries != A.entries()) return found;
  std::vector<int> columns(A.column.size());
  backend->read(matrix->column.data(), columns.data(), columns.size() * sizeof(int));
  EXPECT_TRUE(std::equal(columns.begin(), columns.end(), A.column.begin()));
  const auto compute = [&] {
    MeshLoads loads = assembly->assemble(data);
    std::vector<double> values(A.value.size());
    backend->read(matrix->value.data(), values.data(), values.size() * sizeof(double));
    return FilledRows{values, loads.b, loads.weights};
  };
  found = compute();
  const FilledRows again = compute();
  EXPECT_EQ(found.values, again.values);  // the same bits
  EXPECT_EQ(found.b, again.b);
  return found;
}

void expect_near(const std::vector<double>& found, std::span<const double> wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  double size = 0;
  for (const double a : wanted) size = std::max(size, std::abs(a));
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], wanted[k], 1e-13 * size) << k;
}

void expect_equal_rows(const MeshProblem& problem) {
  const MeshData data(problem);
  const MeshSystem system = assemble(data);
  const FilledRows found = on_cpu() ? fill_on_host(data, system) : fill_on_device(data, system);
  expect_near(found.values, system.rows.A.value);
  expect_near(found.b, system.rows.b);
  expect_near(found.weights, system.rows.weights);
  if (on_cpu()) return;
  const auto backend = test_backend();
  const MeshSystem device = assemble_on(*backend, data);
  EXPECT_EQ(device.rows.b, found.b);
  EXPECT_EQ(device.rows.singular, system.rows.singular);
  EXPECT_TRUE(std::ranges::equal(device.row, system.row));
}

TEST_P(MeshRowsOf, EqualAssembledRows) {
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), 6, bent), 2.0, 1.0);
  set_coefficient(problem,
                  {{Quantity([](double x, double, double) { return 2 + x; }), 3.0, 1.5, 0.5, 0.2, -0.3}, false});
  problem.reaction = Quantity([](double, double y, double) { return 1 + y; });
  expect_equal_rows(problem);
}

// All kinds of conditions meet, also at a point inside the mesh; f has a constant and a varying part.
TEST_P(MeshRowsOf, EqualAssembledSidesAndLoads) {
  Mesh mesh = make_mesh(GetParam(), 5, bent);
  mesh.groups.push_back({0, 9, "tip"});
  mesh.labels.push_back({static_cast<int>(mesh.groups.size()) - 1});
  MeshCells& tips = mesh.of_shape(CellShape::vertex);
  tips.corners.push_back(14);
  tips.label.push_back(static_cast<int>(mesh.labels.size()) - 1);
  const int tip = static_cast<int>(mesh.groups.size()) - 1, lower = 2 * mesh.dimension;
  MeshProblem problem =
      mesh_problem(std::move(mesh), 3.0, Quantity([](double x, double y, double) { return std::exp(x) - y; }));
  const Quantity alpha([](double x, double y, double) { return 1 + x * y; });
  MeshCondition& rest = problem.conditions[0];
  rest.kind = BoundaryKind::robin;
  rest.alpha = 4.0;
  const MeshCondition held{"x-", {0}, BoundaryKind::dirichlet, alpha, 0.0};
  const MeshCondition air{"x+", {1}, BoundaryKind::robin, Quantity([](double x, double, double) { return x; }), alpha};
  const MeshCondition heat{"y-", {2}, BoundaryKind::neumann, alpha, 0.0};
  const MeshCondition at_tip{"tip", {tip}, BoundaryKind::robin, 0.5, 2.0};
  problem.conditions = {held, air, heat, at_tip, rest};
  problem.materials.push_back({lower, MeshCoefficient{{7.0}, true, "coefficient"}, 2.0, 5.0, "lower"});
  expect_equal_rows(problem);
}

TEST_P(MeshRowsOf, EqualAssembledSingularRows) {
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), 4, bent), 1.0, -1.0);
  problem.conditions[0].kind = BoundaryKind::neumann;
  expect_equal_rows(problem);
}

}  // namespace
}  // namespace poisson::test::mesh_rows_tests
