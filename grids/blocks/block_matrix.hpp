#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "grids/blocks/block_mesh.hpp"
#include "grids/blocks/block_sources.hpp"
#include "grids/blocks/block_space.hpp"
#include "grids/blocks/tensor_factors.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Returns the offsets to half of the neighbours of a node: 4 in the plane, 13 in space. The other half is opposite.
const std::vector<std::array<int, 3>>& forward_offsets(int dimension);

struct BlockLevel;

/// Contains what the cells of a block contribute to A: entries between neighbours, and row sums. A u at node i is
/// Σ_j a_ij (u_j − u_i) + s_i u_i, summed over the blocks that share the node. This form loses no digits where cells
/// are thin and u is nearly constant across them.
struct BlockMatrix {
  struct OfBlock {
    std::vector<double> bands;            ///< of each forward offset, of each node: the entry to the neighbour there
    std::vector<double> sums;             ///< s of each node: reactions and Robin conditions
    std::optional<TensorFactors> tensor;  ///< the same, if cells and coefficients allow it
  };
  std::vector<OfBlock> own;  ///< of the blocks of this process, as in BlockSpace::own
  /// A device assembles the finest level from the sources, and others from the level above.
  std::shared_ptr<const BlockSources> sources{};
  std::shared_ptr<const BlockLevel> finer{};
};

/// Contains the matrices of elements of one level: the entries between corners, row by row above the diagonal, and the
/// row sums. Corners are in tensor order.
struct BlockElements {
  std::vector<std::vector<double>> own;  ///< of the blocks of this process
  static std::size_t record(int dimension) { return dimension == 2 ? 10 : 36; }
};

/// Contains a level: its space and its matrix.
struct BlockLevel {
  std::shared_ptr<const BlockSpace> space;
  std::shared_ptr<const BlockMatrix> matrix;
  /// The same nodes on the blocks of the processes, if `space` has all blocks on each process and the level above has
  /// not; else null (replicated_blocks.hpp).
  std::shared_ptr<const BlockSpace> shares{};
};

/// Contains the size of a level before it is made.
struct BlockLevelSize {
  std::int64_t unknowns = 0;  ///< of all processes
  std::int64_t nodes = 0;     ///< of the blocks of the process that has most, ends included
  /// Bytes a node of what a device computes entries from, in double precision; 0: it stores the entries.
  double computed = 0;
  bool isotropic = true;          ///< κ has no tensors
  bool sums = false;              ///< a reaction or Robin conditions: blocks may store row sums
  bool pinned = false;            ///< nodes inside blocks, or some of a side, have given values
  std::array<double, 2> field{};  ///< bytes of a field of the process that has most, by precision
  /// On a device, of the same process: values of all bands, slots of the ends of blocks, and values at interfaces.
  double bands = 0, slots = 0, interfaces = 0;
  /// Is an estimate for lines on a device, of the same process.
  struct Lines {
    double factors = 0;            ///< nodes times axes with lines
    double listed = 0;             ///< nodes of the blocks of a shape with lines along the same axes, the most of all
    double slots = 0;              ///< of blocks with lines
    double ends = 0, weights = 0;  ///< of strong lines at interfaces
    bool several = false;          ///< a block has lines along several axes
  };
  Lines lines{};
};
/// Returns the sizes of the levels that assemble_blocks makes. `needle` is CellStretch::needle.
std::vector<BlockLevelSize> block_level_sizes(const MeshData& data, const BlockMesh& mesh, int processes,
                                              std::int64_t coarsest, double needle = 1, bool on_device = false);

/// Contains the equations on blocks. The finest level is assembled from Q1 elements with 2 Gauss points along each
/// axis, which integrate products of gradients on parallelepipeds exactly. Coarse levels are Galerkin products, element
/// by element: the same as elements of the coarse cells where κ is constant and cells are affine.
struct BlockSystem {
  std::vector<BlockLevel> levels;                 ///< finest first
  std::vector<std::vector<double>> load, volume;  ///< ∫ f φ with boundary data and ∫ φ, by own block and node
  std::vector<BlockLevelSize> sizes;
  bool singular = false;
  bool isotropic = true;  ///< κ has no tensors
  double range = 1;       ///< ratio of the largest to the smallest κ
  CellStretch stretch;    ///< of the cells, as given
};

/// Assembles the system. Levels are added until each block has one cell or at most `coarsest` unknowns are left.
/// Collective over the processes. Throws InputError if parts of the mesh that do not touch have no value of their own.
/// With `on_device`, a BlockAssembly makes matrices and loads, and those of the system stay empty.
BlockSystem assemble_blocks(const MeshData& data, const BlockMesh& mesh,
                            const std::shared_ptr<const Processes>& processes, std::int64_t coarsest,
                            const CellStretch& stretch = {}, bool on_device = false);

/// Lists what the blocks of a process are assembled from. Data and mesh must exist as long as it does.
std::shared_ptr<const BlockSources> sources_of(const MeshData& data, const BlockMesh& mesh, const BlockSpace& space);

}  // namespace poisson
