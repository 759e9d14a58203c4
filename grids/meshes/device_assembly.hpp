#pragma once

#include <memory>

#include "grids/compact/device_matrix.hpp"
#include "grids/meshes/mesh_rows.hpp"
#include "grids/meshes/mesh_system.hpp"

namespace poisson {

/// Contains the right-hand side of rows, and ∫ φ of each.
struct MeshLoads {
  std::vector<double> b, weights;
};

/// Assembles the equations of linear elements in memory of a GPU. The pattern is made once; new coefficients need new
/// values only. Each row is summed by one thread in the order of its elements, so the bits are the same every time.
class DeviceAssembly {
 public:
  virtual ~DeviceAssembly() = default;
  /// Computes the values from κ and σ of all elements, in the order of their numbers. `kappa` has `kappa_entries`
  /// numbers an element; an empty `reaction` is zero. Values of sides remain those of the last call with data, so the
  /// first one of a mesh with Robin conditions needs the data.
  virtual void set_values(std::span<const double> kappa, int kappa_entries, std::span<const double> reaction) = 0;
  /// Does the same with coefficients on the device.
  virtual void set_values(const double* kappa, int kappa_entries, const double* reaction) = 0;
  /// Computes the values and returns the loads from data on the mesh of this assembly.
  virtual MeshLoads assemble(const MeshData& data) = 0;
  virtual std::shared_ptr<const DeviceMatrix> matrix() const = 0;
};

/// Makes the pattern of a mesh. `row` is the row of each point, or −1 for points with a Dirichlet condition, and
/// `point` the point of each row. Throws RunError unless the backend is a GPU.
std::unique_ptr<DeviceAssembly> make_device_assembly(Backend& backend, const MeshData& data, std::span<const int> row,
                                                     std::span<const int> point);

/// Assembles with the present data in memory of a GPU. `system` contains the rows for which the pattern was made.
void assemble_again(DeviceAssembly& assembly, const MeshData& data, MeshSystem& system);
/// Does what assemble() does in memory of a GPU: A is RowSystem::on_device, b and weights are on the host.
MeshSystem assemble_on(Backend& backend, const MeshData& data);

}  // namespace poisson
