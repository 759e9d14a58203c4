#include "io/files/output.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace poisson {

std::array<std::int64_t, 3> OutputGrid::shape(Location location) const {
  std::array<std::int64_t, 3> n{1, 1, 1};
  for (int axis = 0; axis < dimension; ++axis) n[axis] = std::ssize(nodes[axis]) - (location == Location::cell ? 1 : 0);
  return n;
}

Box OutputGrid::places(Location location) const {
  const auto n = shape(location);
  if (!part) return {{}, {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])}};
  Box box = *part;
  for (int d = 0; d < 3; ++d)
    if (location == Location::node && d < dimension) ++box.last[d];
  return box;
}

std::array<std::int64_t, 3> OutputGrid::shape(const FieldHead& field) const {
  auto n = shape(field.location);
  if (field.face_axis >= 0) ++n[static_cast<std::size_t>(field.face_axis)];
  return n;
}

Box OutputGrid::places(const FieldHead& field) const {
  Box box = places(field.location);
  if (field.face_axis >= 0) ++box.last[static_cast<std::size_t>(field.face_axis)];
  return box;
}

std::int64_t count(const OutputGrid& grid, const FieldHead& field) {
  const auto n = grid.shape(field);
  return n[0] * n[1] * n[2] * field.components;
}

std::int64_t own_count(const OutputGrid& grid, const FieldHead& field) {
  return grid.places(field).size() * field.components;
}

std::uintmax_t bytes_of(const OutputGrid& grid, const std::vector<FieldHead>& fields) {
  std::uintmax_t bytes = 0;
  for (const auto& field : fields) bytes += static_cast<std::uintmax_t>(count(grid, field)) * sizeof(double);
  return bytes;
}

void check_fits(const OutputGrid& grid, const OutputField& field) {
  const auto n = grid.shape(field);
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
  return file.close().front();
}

std::vector<FieldHead> heads(const std::vector<OutputField>& fields) {
  return {fields.begin(), fields.end()};
}

bool is_result_name(std::string_view name) {
  constexpr std::array<std::string_view, 20> fixed{
      "solution.vtm",  "solution.vtu",    "solution.pvtu",   "u.mtx",        "u.npy",
      "residual.mtx",  "residual.npy",    "summary.json",    "bodies.csv",   "faces.csv",
      "floating.csv",  "capacitance.csv", "capacitance.cir", "solution.vti", "solution.vtr",
      "solution.pvti", "solution.pvtr",   "solution.hdf",    "solution.h5",  "solution.png"};
  if (std::ranges::find(fixed, name) != fixed.end()) return true;
  constexpr std::string_view piece = "solution_";
  if (!name.starts_with(piece) ||
      !(name.ends_with(".vti") || name.ends_with(".vtr") || name.ends_with(".vtu") || name.ends_with(".vts")))
    return false;
  const std::string_view number = name.substr(piece.size(), name.size() - piece.size() - 4);
  return !number.empty() && std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); });
}

std::string vtk_piece_name(const OutputGrid& grid, int process) {
  return "solution_" + std::to_string(process) + (grid.equidistant ? ".vti" : ".vtr");
}

std::vector<std::string> vtk_names(const OutputGrid& grid, bool, int processes) {
  if (processes == 1) return {grid.equidistant ? "solution.vti" : "solution.vtr"};
  std::vector<std::string> names{grid.equidistant ? "solution.pvti" : "solution.pvtr"};
  for (int p = 0; p < processes; ++p) names.push_back(vtk_piece_name(grid, p));
  return names;
}

std::vector<std::string> hdf5_names(const OutputGrid& grid, bool nodes, int) {
  return {is_image(grid, nodes) ? "solution.hdf" : "solution.h5"};
}

bool is_image(const OutputGrid& grid, bool nodes) {
  // VTK would open an image without values at nodes and show nothing.
  return grid.dimension == 3 && grid.equidistant && nodes;
}

}  // namespace poisson
