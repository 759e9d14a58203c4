#pragma once

#include <vector>

#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Replaces data on the elements of a mesh. κ has one value for each element if MeshData::kappa_entries is 1, else six:
/// xx, yy, zz, xy, xz and yz. Throws InputError, which names the first element, for a wrong number of values, values
/// that are not finite, κ ≤ 0 and σ < 0.
void set_kappa(MeshData& data, std::vector<double> values);
void set_reaction(MeshData& data, std::vector<double> values);
void set_density(MeshData& data, std::vector<double> values);
/// Replaces the datum of a condition by one value for each point of the mesh, interpolated on sides: u of Dirichlet,
/// the flux of Neumann and the right side of Robin conditions. `alpha` replaces the coefficient of a Robin condition.
void set_condition(MeshData& data, int condition, const std::vector<double>& values);
void set_alpha(MeshData& data, int condition, const std::vector<double>& values);

/// Contains the derivatives of λᵀ(b − A u) with respect to data, for λ that is zero where u is held.
struct MeshGradients {
  std::vector<double> kappa;                        ///< like MeshData::kappa
  std::vector<double> reaction;                     ///< by element
  std::vector<double> density;                      ///< by element
  std::vector<std::vector<double>> values, alphas;  ///< of each condition, by point of the mesh
};
/// Returns them for values of u and λ at points. `values` of Dirichlet conditions contain −(A λ)_p at held points, to
/// which the caller adds the derivative with respect to u_p itself.
MeshGradients gradients_of(const MeshData& data, const std::vector<double>& u, const std::vector<double>& lambda);

}  // namespace poisson
