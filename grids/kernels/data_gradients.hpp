#pragma once

#include <array>

#include "backends/device/arrays.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/data_gradients.hpp"

namespace poisson {

/// Contains the arrays of a derivative, in the memory and of the precision of `to`.
struct GradientArrays {
  const void* u = nullptr;                             ///< all nodes or cells; unused by derivatives with respect to f
  const void* lambda = nullptr;                        ///< A⁻¹ ∂J/∂u, zero at Dirichlet nodes
  std::array<const void*, 3> kappa{};                  ///< κ of cells along each axis, for problems in cells
  int first_axis = 0, last_axis = 3;                   ///< the axes whose κ the datum is
  std::array<std::array<GradientFace, 2>, 3> faces{};  ///< faces of the box whose data are numbers
};

/// Computes the derivative of λᵀ(b − A u) with respect to a datum: one value for each value of the datum. The last
/// value of a periodic axis of nodes is 0, because it repeats the first one. The block is that of one process. The
/// arrays are in memory of the backend's device or, without a backend, of the host.
void compute_gradient(Backend* backend, const Block& block, DataGradient kind, const GradientArrays& arrays,
                      const Array& to);

}  // namespace poisson
