#pragma once

#include <array>
#include <optional>
#include <vector>

#include "grids/blocks/block_mesh.hpp"

namespace poisson {

class MeshData;

/// Contains the matrix of a block whose cells are parallelepipeds in a tensor product, with constant κ and σ. With the
/// stiffness K and the mass M of each axis, A = g_xx K⊗M⊗M + g_yy M⊗K⊗M + g_zz M⊗M⊗K + σ M⊗M⊗M, and an entry between
/// nodes that are apart by x and y has −½ g_xy x y M. At the ends of both axes, nodes that are apart by neither have
/// ½ g_xy M, with − between a lower and an upper end. All Galerkin products have this form, too.
struct TensorFactors {
  struct Axis {
    std::vector<double> stiffness;  ///< of each cell: −(the entry between its nodes)
    std::vector<double> mass;       ///< of each cell: the entry between its nodes
    std::vector<double> diagonal;   ///< of the mass, of each node
  };
  std::array<Axis, 3> axis;        ///< z in the plane: one node with the mass 1
  std::array<double, 6> metric{};  ///< g_xx, g_yy, g_zz, g_xy, g_xz, g_yz
  double reaction = 0;
};

/// Returns the factors of a piece, or nothing if cells, κ or σ of its block differ. The block must have no Robin
/// conditions.
std::optional<TensorFactors> find_tensor_factors(const MeshData& data, const BlockMesh& mesh,
                                                 const BlockMesh::Piece& piece);
/// Returns the factors of the next coarser level, where the block has `coarse_n` cells. `numbers` are of the finer one.
TensorFactors coarsened(const TensorFactors& fine, const BlockNumbers& numbers, const std::array<int, 3>& coarse_n);
/// Return the factors as a list of numbers, which is empty without factors, and the factors of a list.
std::vector<double> packed(const std::optional<TensorFactors>& factors);
std::optional<TensorFactors> unpacked(const std::vector<double>& list);

}  // namespace poisson
