#include "io/files/output.hpp"

#include <stdexcept>

namespace poisson {

std::array<std::int64_t, 3> OutputGrid::shape(Location location) const {
  std::array<std::int64_t, 3> n{1, 1, 1};
  for (int axis = 0; axis < dimension; ++axis) n[axis] = std::ssize(nodes[axis]) - (location == Location::cell ? 1 : 0);
  return n;
}

std::int64_t count(const OutputGrid& grid, const FieldHead& field) {
  const auto n = grid.shape(field.location);
  return n[0] * n[1] * n[2] * field.components;
}

std::uintmax_t bytes_of(const OutputGrid& grid, const std::vector<FieldHead>& fields) {
  std::uintmax_t bytes = 0;
  for (const auto& field : fields) bytes += static_cast<std::uintmax_t>(count(grid, field)) * sizeof(double);
  return bytes;
}

void check_fits(const OutputGrid& grid, const OutputField& field) {
  const auto n = grid.shape(field.location);
  if (std::ssize(field.values) != count(grid, field))
    throw std::invalid_argument("field '" + field.name + "' has " + std::to_string(field.values.size()) +
                                " values, which is not what its grid has (" + std::to_string(n[0]) + " x " +
                                std::to_string(n[1]) + " x " + std::to_string(n[2]) + " places of " +
                                std::to_string(field.components) + " components)");
}

std::filesystem::path write_whole(FieldFile& file, const OutputGrid& grid, const std::vector<OutputField>& fields) {
  for (const auto& field : fields) {
    check_fits(grid, field);
    file.write(field.values);
  }
  return file.close();
}

std::vector<FieldHead> heads(const std::vector<OutputField>& fields) {
  return {fields.begin(), fields.end()};
}

std::string vtk_name(const OutputGrid& grid) {
  return grid.equidistant ? "solution.vti" : "solution.vtr";
}

std::string hdf5_name(const OutputGrid& grid, bool nodes) {
  return is_image(grid, nodes) ? "solution.hdf" : "solution.h5";
}

bool is_image(const OutputGrid& grid, bool nodes) {
  // An image without values at nodes would open and show nothing.
  return grid.dimension == 3 && grid.equidistant && nodes;
}

}  // namespace poisson
