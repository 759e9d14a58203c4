#include "grids/meshes/device_assembly.hpp"

#include <algorithm>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/meshes/cuda/element_matrix.hpp"
#endif

namespace poisson {

std::unique_ptr<DeviceAssembly> make_device_assembly([[maybe_unused]] Backend& backend,
                                                     [[maybe_unused]] const Topology& topology,
                                                     [[maybe_unused]] std::span<const int> row,
                                                     [[maybe_unused]] std::span<const int> point) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) {
    cuda::ElementArrays arrays;
    const auto copy = [&](const void* from, std::size_t bytes) {
      Buffer to = backend.allocate(std::max<std::size_t>(1, bytes));
      if (bytes > 0) backend.write(from, to.data(), bytes);
      return to;
    };
    const Mesh& mesh = topology.mesh();
    arrays.points = copy(mesh.points.data(), mesh.points.size() * sizeof(mesh.points[0]));
    arrays.row = copy(row.data(), row.size_bytes());
    arrays.point_of = copy(point.data(), point.size_bytes());
    arrays.rows = static_cast<std::int64_t>(point.size());
    for (const MeshCells* cells : topology.blocks())
      arrays.blocks.push_back(
          {cells->shape, cells->count(), copy(cells->corners.data(), cells->corners.size() * sizeof(int))});
    return cuda::make_device_assembly(backend, std::move(arrays));
  }
#endif
  throw RunError("elements are assembled on a GPU only by builds with CUDA", Remedy::host);
}

}  // namespace poisson
