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
  /// Values of `pinned` points are known (HeldNodes): in all elements their rows have a diagonal alone, and their
  /// couplings are in the loads.
  ElementAssembler(const MeshData& data, std::vector<bool> pinned);
  /// Returns an element, with what its facets and pinned points add to it.
  LoadedElement operator()(std::int64_t number) const;
  /// Returns what facets with Neumann and Robin conditions and pinned points add to an element.
  LoadedElement of_facets(std::int64_t number) const;
  /// Lists these facets by the element that they bound, and elements with pinned points.
  const std::vector<std::pair<std::int64_t, std::size_t>>& facets() const { return facets_; }
  /// Returns whether the facet of an entry of the list changes the matrix. Pinned points do.
  bool changes_matrix(std::size_t facet) const;

 private:
  void integrate(std::int64_t number, ElementMatrix& own, std::array<double, 8>& load,
                 std::array<double, 8>& volume) const;
  bool has_pinned(std::span<const int> corners) const;
  void hold_pinned(std::span<const int> corners, ElementMatrix& own, std::array<double, 8>& load) const;
  void add_facets(std::int64_t number, std::span<const int> corners, ElementMatrix& own,
                  std::array<double, 8>& load) const;

  const MeshData& data_;
  const ElementRule& rule_;
  std::vector<bool> pinned_;  ///< by point; empty: none
  std::vector<std::pair<std::int64_t, std::size_t>> facets_;
};

}  // namespace poisson
