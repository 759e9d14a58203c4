#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "backends/field.hpp"

namespace poisson {

/// Where a neighbour lies, in values along x, y and z.
using Offset = std::array<int, 3>;

/// Whether an offset comes after its opposite in memory: of every pair, symmetric bands store this one.
constexpr bool is_forward(const Offset& o) {
  return o[2] != 0 ? o[2] > 0 : o[1] != 0 ? o[1] > 0 : o[0] > 0;
}

/// A matrix on a structured block as bands, one field per offset, in fp64 on one backend. Entries are couplings, minus
/// the off-diagonal entries of A: entries[b] at i is −A(i, i + offsets[b]). Symmetric matrices store forward offsets
/// alone; −A(i, i − o) is the entry of o at i − o. The diagonal is the sum of a row's couplings and of `sum`, so that a
/// constant is mapped to `sum` without rounding. Couplings beyond open ends are zero; on periodic axes, where offsets
/// reach no further than the halo, and where the grid is cut, halos are filled.
struct Bands {
  Space space{Layout{}};
  bool symmetric = true;
  std::vector<Offset> offsets;
  std::vector<std::shared_ptr<const Field>> entries;
  std::shared_ptr<const Field> sum;  ///< A times 1, all values of the field taken as unknowns
  double scale = 1;                  ///< power of two that A has been multiplied by
  bool singular = false;             ///< A maps constants to zero

  const Layout& layout() const { return space.layout(); }
  const Box& unknowns() const { return space.unknowns(); }
};

/// Largest distance along each axis.
inline std::array<int, 3> reach(const std::vector<Offset>& offsets) {
  std::array<int, 3> most{};
  for (const Offset& o : offsets)
    for (std::size_t d = 0; d < 3; ++d) most[d] = std::max(most[d], std::abs(o[d]));
  return most;
}

/// Whether no offset leads along several axes, or further than to the next value.
bool is_star(const std::vector<Offset>& offsets);

/// The forward offsets of 5 and 7 points, or of 9 and 27, on the axes of more than one value.
std::vector<Offset> star_offsets(const Layout& layout);
std::vector<Offset> box_offsets(const Layout& layout);
/// The same on all axes of so many dimensions, as rows of these shapes hold them.
std::vector<Offset> star_offsets(int dimension);
std::vector<Offset> box_offsets(int dimension);

}  // namespace poisson
