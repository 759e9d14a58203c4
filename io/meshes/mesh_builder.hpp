#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grids/meshes/mesh.hpp"

namespace poisson {

/// Describes a type of element in a file: its shape and all its nodes; the corners come first.
struct ElementType {
  CellShape shape = CellShape::vertex;
  int nodes = 1;
};

/// Returns the type with a number in Gmsh; nothing for types that are not read.
std::optional<ElementType> gmsh_type(int number);

/// Selects the order of the nodes of second-order hexahedra.
enum class NodeOrder : std::uint8_t { gmsh, vtk };
/// Adds the middles of the edges of a line, quadrilateral or hexahedron of second order. `point` returns the point of a
/// node, or −1. Other elements add nothing.
void add_middles(Mesh& mesh, const ElementType& type, NodeOrder order, const std::function<int(std::size_t)>& point);

/// Maps the numbers of points in a file to indices.
class PointNumbers {
 public:
  /// `numbers` are those of the points in order. Throws std::invalid_argument with a description for repeated numbers.
  explicit PointNumbers(UnsetVector<std::int64_t> numbers);
  /// Returns the index of a number; −1 if no point has it.
  int operator()(std::int64_t number) const {
    if (!direct_.empty()) {
      const auto place = static_cast<std::uint64_t>(number - least_);
      return place < direct_.size() ? direct_[place] : -1;
    }
    return search(number);
  }

 private:
  int search(std::int64_t number) const;

  std::int64_t least_ = 0;
  UnsetVector<int> direct_;                           // index by number; −1: none
  std::vector<std::pair<std::int64_t, int>> sorted_;  // instead, if numbers have wide gaps
};

/// Finds groups and labels of a mesh by the numbers in a file.
class GroupNumbers {
 public:
  explicit GroupNumbers(Mesh& mesh) : mesh_(mesh) {}
  /// Returns the index of the group with this dimension and number, which it makes if needed.
  int group(int dimension, int number);
  /// Returns the label of elements in these groups of a dimension.
  int label(int dimension, std::span<const int> numbers);

 private:
  Mesh& mesh_;
  std::map<std::pair<int, int>, int> known_;
  std::map<std::vector<int>, int> labels_{{{}, 0}};
};

}  // namespace poisson
