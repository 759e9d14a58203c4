#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grids/meshes/topology.hpp"
#include "grids/problem/problem.hpp"
#include "grids/problem/quantity.hpp"

namespace poisson {

/// Is κ of some elements: one quantity, or the entries xx, yy, zz, xy, xz and yz of a tensor. It is evaluated at the
/// centres of elements.
struct MeshCoefficient {
  std::array<Quantity, 6> entry{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  bool isotropic = true;
  std::string name = "coefficient";  ///< in messages, as in Config::marks
};

/// Contains data that replace those of the equation on the elements of a group.
struct MeshMaterial {
  int group = 0;
  std::optional<MeshCoefficient> coefficient;
  std::optional<Quantity> source;  ///< added to the source of the equation
  std::optional<double> power;     ///< total source of the group
  std::string name;
};

/// Is a condition on the points and sides of groups, or on the rest of the boundary.
struct MeshCondition {
  std::string name;         ///< as in the configuration; "default" for the rest
  std::vector<int> groups;  ///< empty: the part of the boundary without another condition
  BoundaryKind kind = BoundaryKind::dirichlet;
  Quantity value = 0.0, alpha = 0.0;
};

/// Contains −div(κ grad u) + σ u = f on a mesh with its conditions.
struct MeshProblem {
  std::shared_ptr<const Mesh> mesh;
  MeshCoefficient coefficient;
  Quantity reaction = 0.0, source = 0.0;
  std::optional<Quantity> exact, initial;
  std::vector<MeshMaterial> materials;
  std::vector<MeshCondition> conditions;  ///< an earlier one applies where several meet
};

}  // namespace poisson
