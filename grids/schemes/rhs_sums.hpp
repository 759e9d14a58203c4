#pragma once

#include <array>

#include "grids/axes/block.hpp"
#include "grids/kernels/functionals.hpp"

namespace poisson {

/// The values of a node-centred block in 27 pieces, x fastest: of each axis the first value, those between and the
/// last. Axes without ends are whole, in the middle, and so are cell-centred ones. On a whole piece the same faces
/// meet, with areas of the same ratio.
std::array<Box, 27> pieces(const Block& block);
/// As far as they lie in a box.
std::array<Box, 27> pieces(const Block& block, const Box& within);
/// Whether a piece lies on the face across an axis at an end.
constexpr bool on_face(std::size_t piece, std::size_t axis, std::size_t end) {
  constexpr std::array<std::size_t, 3> stride{1, 3, 9};
  return piece / stride[axis] % 3 == 2 * end;
}

using PieceSums = std::array<double, 27>;

/// What f and the data of Neumann and Robin faces add up to in the rows, unscaled, where rows are those that natural
/// boundaries would have in Dirichlet nodes too. Cell-centred: f alone, in the middle.
struct RhsSums {
  PieceSums source{};
  std::array<PieceSums, 6> faces{};

  double total_source() const;
  /// Of a face, from the sums of b before and after its data were added.
  void set_face(int axis, int end, const PieceSums& before, const PieceSums& after);
};

/// The sums of a field by pieces, as far as these lie in a box, without the scale that its values have.
PieceSums sums_by_pieces(const Functionals& functionals, const Block& block, const Field& x, const Box& box,
                         double scale = 1);

}  // namespace poisson
