#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/unset_vector.hpp"

namespace poisson {

/// Names the shape of an element. Corners are numbered as in VTK's linear cells.
enum class CellShape : std::uint8_t { vertex, line, triangle, quadrilateral, tetrahedron, pyramid, prism, hexahedron };
inline constexpr std::size_t shape_count = 8;

/// Describes a shape.
struct ShapeFacts {
  std::string_view name;  ///< plural
  int dimension, corners;
  int vtk;                                      ///< its cell type in VTK files
  std::span<const std::array<int, 4>> faces{};  ///< corners of its sides, rising dimension; −1 after the last corner
};
const ShapeFacts& facts_of(CellShape shape);

/// Contains elements of one shape.
struct MeshCells {
  CellShape shape = CellShape::vertex;
  UnsetVector<int> corners;  ///< indices of points, element by element
  UnsetVector<int> label;    ///< of each element, an index of Mesh::labels

  std::int64_t count() const { return static_cast<std::int64_t>(label.size()); }
  std::span<const int> of(std::int64_t e) const {
    const auto n = static_cast<std::size_t>(facts_of(shape).corners);
    return {corners.data() + static_cast<std::size_t>(e) * n, n};
  }
};

/// Is a group of elements of one dimension: a name or, if that is empty, a number.
struct MeshGroup {
  int dimension = 0, number = 0;
  std::string name;
  /// Returns the key in a configuration.
  std::string key() const { return name.empty() ? std::to_string(number) : name; }
};

/// Is an unstructured mesh: points, elements of all dimensions up to its own, and groups of elements.
struct Mesh {
  int dimension = 3;  ///< 2 or 3
  UnsetVector<std::array<double, 3>> points;
  std::vector<MeshCells> cells;  ///< at most one entry for each shape, in the order of CellShape
  std::vector<MeshGroup> groups;
  std::vector<std::vector<int>> labels{{}};  ///< the groups of elements with this label; label 0 has none
  std::int64_t second_order = 0;             ///< elements with nodes besides corners, which were left out
  std::string source;                        ///< the file, for messages
  /// Edges of lines, quadrilaterals and hexahedra of second order: both corners, and the point in the middle.
  std::vector<std::array<int, 3>> middles;

  /// Returns the elements of a shape; null if there are none.
  const MeshCells* find(CellShape shape) const;
  MeshCells& of_shape(CellShape shape);
  /// Returns the number of elements of a dimension.
  std::int64_t count(int of_dimension) const;
  /// Returns whether elements with this label belong to a group.
  bool has(int label, int group) const;
};

/// Contains what a table of groups prints.
struct GroupMeasure {
  std::int64_t elements = 0;
  double measure = 0;  ///< length, area or volume
  std::array<double, 3> lower{}, upper{};
};
/// Returns a measure for each group of a mesh.
std::vector<GroupMeasure> measure_groups(const Mesh& mesh);

/// Returns the mean of an element's corners.
std::array<double, 3> centre_of(const Mesh& mesh, std::span<const int> corners);

/// Sets the dimension of a mesh from its elements and multiplies all coordinates by `scale`. Throws InputError if it
/// has no elements in the plane or space, or if elements of a plane mesh lie in different planes.
void finish_mesh(Mesh& mesh, double scale);

}  // namespace poisson
