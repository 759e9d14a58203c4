// Rows of elements for devices equal those of the host, for every shape.

#include <cmath>

#include <gtest/gtest.h>

#include "grids/meshes/device_assembly.hpp"
#include "tests/device.hpp"
#include "tests/meshes.hpp"

namespace poisson::test {
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
std::vector<double> fill_on_host(const MeshData& data, const MeshSystem& system) {
  MeshRows rows;
  const std::vector<const MeshCells*>& blocks = data.topology.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ElementRule& rule = rule_of(blocks[b]->shape);
    rows.block[rows.blocks++] = {&rule,
                                 blocks[b]->corners.data(),
                                 rule.corners,
                                 rule.dimension,
                                 blocks[b]->shape == CellShape::triangle || blocks[b]->shape == CellShape::tetrahedron,
                                 data.topology.first()[b],
                                 blocks[b]->count()};
  }
  std::vector<std::int64_t> first{0};
  std::vector<int> element;
  for (const int point : system.point) {
    const auto at = data.topology.at(point);
    element.insert(element.end(), at.begin(), at.end());
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
  std::vector<double> value(A.value.size());
  const FillMeshRows fill{rows, A.start.data(), A.column.data(), value.data()};
  for (std::int64_t i = 0; i < A.rows(); ++i) fill(i);
  return value;
}

TEST_P(MeshRowsOf, EqualAssembledRows) {
  MeshProblem problem = mesh_problem(make_mesh(GetParam(), 6, bent), 0.0, 1.0);
  set_coefficient(problem,
                  {{Quantity([](double x, double, double) { return 2 + x; }), 3.0, 1.5, 0.5, 0.2, -0.3}, false});
  problem.reaction = Quantity([](double, double y, double) { return 1 + y; });
  const MeshData data(problem);
  const MeshSystem system = assemble(data);
  const CsrMatrix& A = system.rows.A;
  std::vector<double> values;
  if (on_cpu()) {
    values = fill_on_host(data, system);
  } else {
    const auto backend = test_backend();
    const auto assembly = make_device_assembly(*backend, data.topology, system.row, system.point);
    const auto matrix = assembly->matrix();
    ASSERT_EQ(matrix->entries, A.entries());
    std::vector<int> columns(A.column.size());
    values.resize(A.value.size());
    const auto compute = [&] {
      assembly->set_values(data.kappa, static_cast<int>(data.kappa_entries), data.reaction);
      backend->read(matrix->value.data(), values.data(), values.size() * sizeof(double));
    };
    backend->read(matrix->column.data(), columns.data(), columns.size() * sizeof(int));
    EXPECT_TRUE(std::equal(columns.begin(), columns.end(), A.column.begin()));
    compute();
    const std::vector<double> before = values;
    compute();
    EXPECT_EQ(values, before);  // the same bits
  }
  double size = 0;
  for (const double a : A.value) size = std::max(size, std::abs(a));
  for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(values[k], A.value[k], 1e-13 * size) << k;
}

}  // namespace
}  // namespace poisson::test
