#pragma once

#include <memory>
#include <vector>

#include "grids/meshes/device_assembly.hpp"

namespace poisson::cuda {

/// Owns a mesh in device memory.
struct ElementArrays {
  struct Block {
    CellShape shape;
    std::int64_t count;
    Buffer corner;  ///< int32
  };
  std::vector<Block> blocks;
  Buffer points;    ///< fp64, x, y, z
  Buffer row;       ///< int32 of each point; −1: none
  Buffer point_of;  ///< int32 of each row
  std::int64_t rows = 0;
  /// Sides with Neumann and Robin conditions (MeshSides); null if there are none.
  Buffer side_shape, side_corner, side_first;
  std::int64_t sides = 0;
};
std::unique_ptr<DeviceAssembly> make_device_assembly(Backend& backend, ElementArrays arrays);

}  // namespace poisson::cuda
