#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "grids/meshes/mesh_problem.hpp"

namespace poisson {

/// Name of the condition on periodic sides of blocks: nothing but the flow to their partners.
inline constexpr const char* periodic_condition = "periodic";

/// Contains a mesh from a file, or of blocks, and the problem on it.
struct MeshInput {
  MeshProblem problem;
  std::shared_ptr<const BlockMesh> blocks;  ///< of grid.type: blocks, else null
  std::vector<double> initial;              ///< the starting guess at points, if a dataset gives it
  std::vector<std::string> periodic;        ///< names of periodic patches
  CellStretch stretch;                      ///< of the cells of blocks
  double needle = 1;                        ///< longest_needle of blocks
  std::vector<std::string> table;           ///< lines that describe the mesh and its groups
  std::vector<std::string> warnings;        ///< about the mesh and about groups
};

/// Returns the lines of a table of groups. `used` are the groups that the configuration names.
std::vector<std::string> describe_groups(const Mesh& mesh, const std::vector<bool>& used);

/// Returns a warning that names the used groups without elements; empty: there is none.
std::string describe_empty_groups(const Mesh& mesh, const std::vector<bool>& used);

/// Returns a warning for each kind of fault. Throws InputError for faults that prevent a solution.
std::vector<std::string> describe_faults(const Mesh& mesh, const MeshFaults& faults);

}  // namespace poisson
