#pragma once

#include <memory>
#include <vector>

#include "grids/blocks/block_matrix.hpp"

namespace poisson {

/// Writes values at all nodes of each own block, ends included, into a field whose other values stay.
void put_own_blocks(const std::vector<std::vector<double>>& values, const BlockSpace& blocks, Field& field);
/// Returns the diagonal of A in fp64, summed over interfaces.
Field assembled_diagonal(Backend& backend, const BlockLevel& level, double scale);

/// Contains the entries of A along the lines of blocks, in fp64: for each own block and axis, for each node the entry
/// to the next one, summed over the blocks that share the line.
using LineCouplings = std::vector<std::array<std::vector<double>, 3>>;
LineCouplings assembled_couplings(Backend& backend, const BlockLevel& level, double scale);

template <class T>
class CrossingLines;

/// Is B⁻¹ = Σ Rᵀ W^½ T⁻¹ W^½ R over the lines of all blocks in all directions. T is A on a line, which ends on the
/// interfaces; CrossingLines continues strong lines. The weights W of a node are s² over the sum of all lines through
/// it, where s sums −a over its negative entries along the line. Positive entries must not count: those of stretched
/// elements across the strong direction are half as large as the strong ones, and weights have to be constant along
/// strong lines.
template <class T>
class BlockLines {
 public:
  BlockLines(Backend& backend, const BlockLevel& level, double scale);
  ~BlockLines();
  /// Computes z = B⁻¹ r.
  void solve(const Field& r, Field& z) const;
  std::size_t bytes() const;
  /// Contains the factors LDLᵀ of W^-½ T W^-½ along an axis: 1/d, and l to the next node.
  struct Factors {
    std::vector<T> inverse, lower;
  };
  const Factors& factors(std::size_t own, std::size_t axis) const { return own_[own][axis]; }
  /// Returns the strong lines that cross interfaces; null: there are none in any process.
  const CrossingLines<T>* crossing() const { return crossing_.get(); }

 private:
  template <bool adds>
  void along_x(std::size_t b, const View<const T>& r, const View<T>& z) const;
  template <bool adds>
  void across(std::size_t b, std::size_t axis, const View<const T>& r, const View<T>& z) const;

  Backend& backend_;
  std::shared_ptr<const BlockSpace> blocks_;
  std::vector<std::array<Factors, 3>> own_;
  std::unique_ptr<CrossingLines<T>> crossing_;  // null: no strong line crosses an interface
};

extern template class BlockLines<float>;
extern template class BlockLines<double>;

}  // namespace poisson
