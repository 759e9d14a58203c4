#pragma once

#include <array>

#include "grids/axes/block.hpp"
#include "grids/kernels/functionals.hpp"

namespace poisson {

/// Splits the values of a node-centred block into 27 pieces, x fastest: along each axis the first value, the middle
/// values and the last value. Axes without ends and cell-centred axes have only a middle. The same faces meet at all
/// nodes of a piece, and their areas have the same ratio.
std::array<Box, 27> pieces(const Block& block);
/// Returns the parts of the pieces inside a box.
std::array<Box, 27> pieces(const Block& block, const Box& within);
/// Returns whether a piece lies on the face across an axis at an end.
constexpr bool on_face(std::size_t piece, std::size_t axis, std::size_t end) {
  constexpr std::array<std::size_t, 3> stride{1, 3, 9};
  return piece / stride[axis] % 3 == 2 * end;
}

using PieceSums = std::array<double, 27>;

/// Contains the sums of f and of the data of Neumann and Robin faces over the rows, unscaled. Dirichlet nodes count
/// with the rows that natural boundaries would give them. Cell-centred problems have only sums of f, in the middle
/// piece.
struct RhsSums {
  PieceSums source{};
  std::array<PieceSums, 6> faces{};

  double total_source() const;
  /// Computes the sums of a face from the sums of b before and after its data were added.
  void set_face(int axis, int end, const PieceSums& before, const PieceSums& after);
};

/// Returns the sums of a field over the parts of the pieces inside a box, divided by the scale of its values.
PieceSums sums_by_pieces(const Functionals& functionals, const Block& block, const Field& x, const Box& box,
                         double scale = 1);

}  // namespace poisson
