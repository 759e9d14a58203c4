#include <map>

#include "io/meshes/mesh_builder.hpp"

namespace poisson {

std::optional<ElementType> gmsh_type(int number) {
  using enum CellShape;
  static const std::map<int, ElementType> types{
      {15, {vertex, 1}},      {1, {line, 2}},          {8, {line, 3}},           {2, {triangle, 3}},
      {9, {triangle, 6}},     {3, {quadrilateral, 4}}, {16, {quadrilateral, 8}}, {10, {quadrilateral, 9}},
      {4, {tetrahedron, 4}},  {11, {tetrahedron, 10}}, {5, {hexahedron, 8}},     {17, {hexahedron, 20}},
      {12, {hexahedron, 27}}, {6, {prism, 6}},         {18, {prism, 15}},        {13, {prism, 18}},
      {7, {pyramid, 5}},      {19, {pyramid, 13}},     {14, {pyramid, 14}}};
  const auto found = types.find(number);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace poisson
