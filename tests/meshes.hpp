#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "grids/meshes/mesh_results.hpp"
#include "solver/rows_model.hpp"

namespace poisson::test {

using MeshPoint = std::array<double, 3>;
using MeshMap = std::function<MeshPoint(const MeshPoint&)>;

/// Returns a mesh of the unit square or cube with n cells along each axis, each of them split into elements of a shape:
/// two triangles or prisms, six tetrahedra or pyramids. `map` moves the points. Sides have the groups x-, x+, … with
/// the numbers 1, 2, …; the elements have the groups "lower" and "upper" below and above x = 1/2.
inline Mesh make_mesh(CellShape shape, int n, const MeshMap& map = {}) {
  Mesh mesh;
  const int dimension = facts_of(shape).dimension;
  const int nz = dimension == 3 ? n : 0;
  mesh.source = "made";
  const auto number = [&](int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; };
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        mesh.points.push_back({i / static_cast<double>(n), j / static_cast<double>(n), k / static_cast<double>(n)});
  for (int g = 0; g < 2 * dimension; ++g)
    mesh.groups.push_back({dimension - 1, g + 1, std::string(1, "xyz"[g / 2]) + "-+"[g % 2]});
  mesh.groups.push_back({dimension, 7, "lower"});
  mesh.groups.push_back({dimension, 8, "upper"});
  for (int g = 0; g < 2 * dimension + 2; ++g) mesh.labels.push_back({g});
  int label = 0;
  const auto add = [&](CellShape of, std::initializer_list<int> corners) {
    MeshCells& block = mesh.of_shape(of);
    block.corners.insert(block.corners.end(), corners.begin(), corners.end());
    block.label.push_back(label);
  };
  for (int k = 0; k < std::max(1, nz); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const std::array<int, 8> c{
            number(i, j, k),     number(i + 1, j, k),     number(i + 1, j + 1, k),     number(i, j + 1, k),
            number(i, j, k + 1), number(i + 1, j, k + 1), number(i + 1, j + 1, k + 1), number(i, j + 1, k + 1)};
        label = 2 * dimension + 1 + (2 * i >= n ? 1 : 0);
        if (shape == CellShape::quadrilateral) add(shape, {c[0], c[1], c[2], c[3]});
        if (shape == CellShape::triangle) {
          add(shape, {c[0], c[1], c[2]});
          add(shape, {c[0], c[2], c[3]});
        }
        if (shape == CellShape::hexahedron) add(shape, {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]});
        if (shape == CellShape::prism) {
          add(shape, {c[0], c[1], c[2], c[4], c[5], c[6]});
          add(shape, {c[0], c[2], c[3], c[4], c[6], c[7]});
        }
        if (shape == CellShape::tetrahedron)
          for (const auto& [a, b] : {std::pair{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}})
            add(shape, {c[0], c[static_cast<std::size_t>(a)], c[static_cast<std::size_t>(b)], c[6]});
        if (shape == CellShape::pyramid) {
          const int centre = static_cast<int>(mesh.points.size());
          mesh.points.push_back({(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n});
          for (const auto& f : facts_of(CellShape::hexahedron).faces) {
            const auto at = [&](std::size_t q) { return c[static_cast<std::size_t>(f[3 - q])]; };
            add(shape, {at(0), at(1), at(2), at(3), centre});
          }
        }
      }
  if (map)
    for (MeshPoint& x : mesh.points) x = map(x);
  mesh.dimension = dimension;
  // Sides are listed by the place of their centres before the map.
  const Topology topology(mesh);
  std::vector<Facet> outer = outer_facets(topology);
  for (const Facet& facet : outer) {
    std::array<int, 3> least{n, n, n}, most{};
    for (const int p : facet.used()) {
      const std::array<int, 3> at{p % (n + 1), p / (n + 1) % (n + 1), p / ((n + 1) * (n + 1))};
      for (std::size_t d = 0; d < 3; ++d) {
        least[d] = std::min(least[d], at[d]);
        most[d] = std::max(most[d], at[d]);
      }
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      if (least[d] == most[d]) label = static_cast<int>(2 * d) + (least[d] == 0 ? 1 : 2);
    MeshCells& block = mesh.of_shape(facet.shape);
    block.corners.insert(block.corners.end(), facet.used().begin(), facet.used().end());
    block.label.push_back(label);
  }
  return mesh;
}

/// Solves a problem on a mesh.
struct MeshSolution {
  std::unique_ptr<MeshData> data;
  MeshSystem system;
  std::vector<double> u;  ///< at points
  Result result;
};
inline MeshSolution solve_mesh(const MeshProblem& problem, double tolerance = 1e-11) {
  MeshSolution found;
  found.data = std::make_unique<MeshData>(problem);
  found.system = assemble(*found.data);
  const auto backend = make_cpu_backend();
  const RowsModel model(*backend, found.system.rows);
  Options options;
  options.tolerance = tolerance;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  found.result = solver->solve(false);
  found.u = point_values(*found.data, found.system, get_rows(solver->solution(), model.rows()));
  return found;
}

/// Returns a problem with a condition on the whole boundary.
inline MeshProblem mesh_problem(Mesh mesh, Quantity boundary, Quantity source) {
  MeshProblem problem;
  problem.mesh = std::make_shared<const Mesh>(std::move(mesh));
  problem.source = std::move(source);
  MeshCondition rest;
  rest.name = "default";
  rest.value = std::move(boundary);
  problem.conditions.push_back(std::move(rest));
  return problem;
}

}  // namespace poisson::test
