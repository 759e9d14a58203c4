#pragma once

#include <array>
#include <vector>

#include "backends/device/field.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// Describes the values of one colour: along each axis every step-th value with `first` ≤ i < `last`. On lattices the
/// first value along x shifts from line to line.
struct ColourBox {
  int first[3], last[3], step[3];
  int shift_y, shift_z, modulus;  ///< 0, 0, 1 except on lattices
  int colour;

  /// Returns the largest number of lines, or of values on a line, along axis d.
  constexpr int count(int d) const { return last[d] > first[d] ? (last[d] - first[d] + step[d] - 1) / step[d] : 0; }
  constexpr int line(int d, int t) const { return first[d] + step[d] * t; }
  /// Returns the first value on the line (j, k).
  constexpr int start(int j, int k) const {
    if (modulus == 1) return first[0];
    const int wanted = (colour - shift_y * j - shift_z * k - first[0]) % modulus;
    return first[0] + (wanted < 0 ? wanted + modulus : wanted);
  }
};

/// Colours a stencil of any offsets such that no two coupled values have the same colour. The colours are either
/// products of residues along the axes (8 for 27 points), or a lattice Σ w_d i_d mod m (2 for 7 points), whichever
/// needs fewer colours. If only adjacent values are coupled and no axis is periodic, the result has two colours or is
/// the product, like Colours and BoxColours. Sweeps are then the same for all operators. On a periodic axis the values
/// that do not fit the residues get separate residues.
class BandColours {
 public:
  BandColours(const Layout& layout, const std::vector<Offset>& offsets);

  int count() const { return count_; }
  int of(int i, int j, int k) const;
  ColourBox box(int colour, const Box& unknowns) const;

 private:
  int residue(std::size_t d, int i) const { return i < regular_[d] ? i % modulus_[d] : modulus_[d] + i - regular_[d]; }

  int count_ = 1;
  bool lattice_ = false;
  std::array<int, 3> weight_{1, 0, 0};  // lattice
  // Products need the moduli, the first value with a separate residue, and the numbers of residues.
  std::array<int, 3> modulus_{}, regular_{}, residues_{};
};

}  // namespace poisson
