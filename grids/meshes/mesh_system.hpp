#pragma once

#include <vector>

#include "grids/compact/row_system.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Contains the equations of a mesh: one row for each point without a Dirichlet condition.
struct MeshSystem {
  RowSystem rows;
  UnsetVector<int> row;    ///< of each point; −1: held, or a corner of no element
  UnsetVector<int> point;  ///< of each row. Rows follow a curve through space, so that neighbours are near in memory.
};

/// Assembles P1 and Q1 elements. Each row is summed by one thread in the order of its elements, so the bits do not
/// depend on the number of threads. Throws InputError if parts of the mesh that do not touch have no value of their
/// own.
MeshSystem assemble(const MeshData& data);

/// Numbers the free points as rows.
void number_rows(const MeshData& data, MeshSystem& system);

/// Returns whether u is determined: some point has a Dirichlet or Robin condition or a reaction. Throws InputError if
/// only some of the parts of the mesh that do not touch have one.
bool has_fixed_values(const MeshData& data);

/// Contains the number of rows and an estimate of their entries, which counts every n-th row.
struct RowEstimate {
  std::int64_t rows = 0, entries = 0;
};
RowEstimate estimate_rows(const MeshData& data);

/// Returns u at all points: the values of rows, and held values.
std::vector<double> point_values(const MeshData& data, const MeshSystem& system, const std::vector<double>& rows);

/// Returns Σ_j K_ij u_j minus the load for the points with a Dirichlet condition, 0 elsewhere: the flow that enters
/// there.
std::vector<double> reactions(const MeshData& data, const std::vector<double>& u);

}  // namespace poisson
