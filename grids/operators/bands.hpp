#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "backends/device/field.hpp"

namespace poisson {

/// Is the position of a neighbour relative to a value, along x, y and z.
using Offset = std::array<int, 3>;

/// Returns whether an offset comes after its opposite in memory. Of each pair of opposite offsets, symmetric bands
/// store this one.
constexpr bool is_forward(const Offset& o) {
  return o[2] != 0 ? o[2] > 0 : o[1] != 0 ? o[1] > 0 : o[0] > 0;
}

/// Is a matrix on a structured block as bands, one field per offset, in fp64 on one backend. Entries are couplings,
/// minus the off-diagonal entries of A: entries[b] at i is −A(i, i + offsets[b]). Symmetric matrices store forward
/// offsets only; −A(i, i − o) is the entry of o at i − o. The diagonal entry is the sum of a row's couplings and of
/// `sum`, so that a constant is mapped to `sum` without rounding. Couplings beyond open ends are zero. Halos are filled
/// at cuts, and on periodic axes if offsets do not reach beyond the halo.
struct Bands {
  Space space{Layout{}};
  bool symmetric = true;
  std::vector<Offset> offsets;
  std::vector<std::shared_ptr<const Field>> entries;
  std::shared_ptr<const Field> sum;  ///< A times 1, with all values of the field as unknowns
  double scale = 1;                  ///< power of two by which A has been multiplied
  bool singular = false;             ///< A·1 = 0

  const Layout& layout() const { return space.part().layout(); }
  const Box& unknowns() const { return space.part().unknowns(); }
};

/// Returns the largest distance along each axis.
inline std::array<int, 3> reach(const std::vector<Offset>& offsets) {
  std::array<int, 3> most{};
  for (const Offset& o : offsets)
    for (std::size_t d = 0; d < 3; ++d) most[d] = std::max(most[d], std::abs(o[d]));
  return most;
}

/// Returns whether every offset leads along one axis, to an adjacent value.
bool is_star(const std::vector<Offset>& offsets);

/// Return the forward offsets of 5 and 7 points, or of 9 and 27 points, on the axes with more than one value.
std::vector<Offset> star_offsets(const Layout& layout);
std::vector<Offset> box_offsets(const Layout& layout);
/// Return the offsets on all axes of a dimension, in the order in which rows of these shapes store them.
std::vector<Offset> star_offsets(int dimension);
std::vector<Offset> box_offsets(int dimension);

}  // namespace poisson
