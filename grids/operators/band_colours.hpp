#pragma once

#include <array>
#include <vector>

#include "backends/field.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// The values of one colour: along each axis every step-th from `first` up to, not including, `last`. On lattices the
/// first along x shifts from line to line.
struct ColourBox {
  int first[3], last[3], step[3];
  int shift_y, shift_z, modulus;  ///< 0, 0, 1 but on lattices
  int colour;

  /// Number of lines, or of values on a line, along axis d: at most so many.
  constexpr int count(int d) const { return last[d] > first[d] ? (last[d] - first[d] + step[d] - 1) / step[d] : 0; }
  constexpr int line(int d, int t) const { return first[d] + step[d] * t; }
  /// The first value on the line (j, k).
  constexpr int start(int j, int k) const {
    if (modulus == 1) return first[0];
    const int wanted = (colour - shift_y * j - shift_z * k - first[0]) % modulus;
    return first[0] + (wanted < 0 ? wanted + modulus : wanted);
  }
};

/// Colours of a stencil of any offsets: no two values that are coupled share one. Either a product of residues along
/// the axes (8 for 27 points), or a lattice Σ w_d i_d mod m (2 for 7 points), whichever takes fewer colours; of
/// neighbours without periodic axes two or the product, as rows of a shape have them (Colours, BoxColours): sweeps are
/// the same then, whichever operator makes them. On a periodic axis the values that a product's residue leaves over
/// have residues of their own.
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
  std::array<int, 3> weight_{1, 0, 0};                     // lattice
  std::array<int, 3> modulus_{}, regular_{}, residues_{};  // product: residues, and where those of their own begin
};

}  // namespace poisson
