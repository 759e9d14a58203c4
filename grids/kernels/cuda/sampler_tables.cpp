#include "grids/kernels/cuda/sampler_tables.hpp"

#include <algorithm>
#include <vector>

#include "backends/cuda/device_tables.hpp"

namespace poisson::cuda {

SamplerTables::SamplerTables(Backend& backend, const Block& block, const CellPoints& points) {
  DeviceTables tables;
  for (std::size_t d = 0; d < 3; ++d) {
    const poisson::Axis& axis = block.axes[d];
    std::vector<double> mass, width;
    for (int i = 0; i < axis.size(); ++i) mass.push_back(axis.mass(i));
    for (int i = -1; i <= axis.size(); ++i) width.push_back(axis.width(std::min(i, std::max(1, axis.cells()))));
    tables.add(node_coordinates(axis), axes[d].nodes);
    tables.add(cell_coordinates(axis, points), axes[d].cells);
    tables.add(mass, axes[d].mass);
    tables.add(std::vector<double>(mass.size(), 1.0), axes[d].ones);
    tables.add(width, axes[d].width);
    if (block.centering() == Centering::cell) continue;  // the others are for values at nodes
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<double> corner;
      for (int i = -1; i <= std::max(1, axis.cells()); ++i)
        corner.push_back(corner_coordinate(axis, i, static_cast<int>(side)));
      tables.add(corner, axes[d].corners[side]);
      for (const bool on_face : {false, true}) {
        std::vector<double> at, length;
        for (int i = 0; i < axis.size(); ++i) {
          const Part part = parts_of(axis, i, on_face)[side];
          at.push_back(part.at);
          length.push_back(part.length);
        }
        Parts& part = axes[d].parts[on_face ? 1 : 0][side];
        tables.add(at, part.at);
        tables.add(length, part.length);
      }
    }
  }
  memory = tables.upload(backend);
  for (Axis& axis : axes) ++axis.width;
}

}  // namespace poisson::cuda
