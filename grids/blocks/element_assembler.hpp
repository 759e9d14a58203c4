#pragma once

#include <utility>
#include <vector>

#include "grids/blocks/element_records.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Contains an element with its loads, in tensor order.
struct LoadedElement {
  ElementMatrix matrix;
  std::array<double, 8> load{}, volume{};
};

/// Corner c in tensor order is corner tensor_order[c] of a cell of VTK.
inline constexpr std::array<std::size_t, 8> tensor_order{0, 1, 3, 2, 4, 5, 7, 6};

/// Assembles the elements of a mesh of quadrilaterals or hexahedra. The data must outlive it.
class ElementAssembler {
 public:
  explicit ElementAssembler(const MeshData& data);
  /// Returns an element, with what its facets add to it.
  LoadedElement operator()(std::int64_t number) const;
  /// Returns what the facets with Neumann and Robin conditions add to an element.
  LoadedElement of_facets(std::int64_t number) const;
  /// Lists these facets by the element that they bound.
  const std::vector<std::pair<std::int64_t, std::size_t>>& facets() const { return facets_; }

 private:
  void add_facets(std::int64_t number, std::span<const int> corners, ElementMatrix& own,
                  std::array<double, 8>& load) const;

  const MeshData& data_;
  const ElementRule& rule_;
  std::vector<std::pair<std::int64_t, std::size_t>> facets_;
};

}  // namespace poisson
