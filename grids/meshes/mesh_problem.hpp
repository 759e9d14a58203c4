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
  std::optional<Quantity> where;  ///< applies only where this is not 0 at the centres of sides
  std::string list;               ///< name of the list of conditions that it is in; empty: none
};

/// Describes a problem on a mesh: its equation, its geometry, and conditions by name.
struct MeshProblem : EquationData {
  std::shared_ptr<const Mesh> mesh;
  std::vector<MeshMaterial> materials;
  std::vector<MeshCondition> conditions;  ///< an earlier one applies where several meet
};

/// Returns κ of an equation.
inline MeshCoefficient coefficient_of(const EquationData& equation) {
  const auto &k = equation.coefficient, &mixed = equation.offdiagonal;
  return {{k[0], k[1], k[2], mixed[0], mixed[1], mixed[2]}, equation.isotropic, "coefficient"};
}
/// Sets κ of an equation. Its name remains "coefficient".
inline void set_coefficient(EquationData& equation, const MeshCoefficient& kappa) {
  for (std::size_t d = 0; d < 3; ++d) {
    equation.coefficient[d] = kappa.entry[d];
    equation.offdiagonal[d] = kappa.entry[d + 3];
  }
  equation.isotropic = kappa.isotropic;
  equation.full_tensor = !kappa.isotropic;
}

}  // namespace poisson
