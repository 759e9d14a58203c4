#include "grids/meshes/device_assembly.hpp"

#include <algorithm>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/meshes/cuda/element_matrix.hpp"
#endif

namespace poisson {
#ifdef POISSON_HAVE_CUDA
namespace {

Buffer copy_to(Backend& backend, const void* from, std::size_t bytes) {
  Buffer to = backend.allocate(std::max<std::size_t>(1, bytes));
  if (bytes > 0) backend.write(from, to.data(), bytes);
  return to;
}

// Copies the sides with Neumann and Robin conditions.
void copy_sides(Backend& backend, const MeshData& data, cuda::ElementArrays& arrays) {
  std::vector<std::uint8_t> shape;
  std::vector<int> corner;
  std::vector<std::int64_t> first{0};
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    if (data.condition(data.facets[f]).kind == BoundaryKind::dirichlet) continue;
    const Facet& facet = data.facets[f].facet;
    shape.push_back(static_cast<std::uint8_t>(facet.shape));
    corner.insert(corner.end(), facet.corners.begin(), facet.corners.end());
    first.push_back(first.back() + static_cast<std::int64_t>(data.data[f].size()));
  }
  arrays.sides = static_cast<std::int64_t>(shape.size());
  arrays.side_shape = copy_to(backend, shape.data(), shape.size());
  arrays.side_corner = copy_to(backend, corner.data(), corner.size() * sizeof(int));
  arrays.side_first = copy_to(backend, first.data(), first.size() * sizeof(std::int64_t));
}

}  // namespace
#endif

std::unique_ptr<DeviceAssembly> make_device_assembly([[maybe_unused]] Backend& backend,
                                                     [[maybe_unused]] const MeshData& data,
                                                     [[maybe_unused]] std::span<const int> row,
                                                     [[maybe_unused]] std::span<const int> point) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) {
    cuda::ElementArrays arrays;
    const auto copy = [&](const void* from, std::size_t bytes) { return copy_to(backend, from, bytes); };
    const Mesh& mesh = data.mesh();
    arrays.points = copy(mesh.points.data(), mesh.points.size() * sizeof(mesh.points[0]));
    arrays.row = copy(row.data(), row.size_bytes());
    arrays.point_of = copy(point.data(), point.size_bytes());
    arrays.rows = static_cast<std::int64_t>(point.size());
    for (const MeshCells* cells : data.topology.blocks())
      arrays.blocks.push_back(
          {cells->shape, cells->count(), copy(cells->corners.data(), cells->corners.size() * sizeof(int))});
    copy_sides(backend, data, arrays);
    return cuda::make_device_assembly(backend, std::move(arrays));
  }
#endif
  throw RunError("elements are assembled on a GPU only by builds with CUDA", Remedy::host);
}

void assemble_again(DeviceAssembly& assembly, const MeshData& data, MeshSystem& system) {
  system.rows.singular = !has_fixed_values(data);
  system.rows.range = data.range;
  MeshLoads loads = assembly.assemble(data);
  system.rows.on_device = assembly.matrix();
  system.rows.b = std::move(loads.b);
  system.rows.weights = std::move(loads.weights);
}

MeshSystem assemble_on(Backend& backend, const MeshData& data) {
  MeshSystem system;
  number_rows(data, system);
  const auto assembly = make_device_assembly(backend, data, system.row, system.point);
  assemble_again(*assembly, data, system);
  return system;
}

}  // namespace poisson
