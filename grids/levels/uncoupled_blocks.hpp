#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/device/field.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Lists the unknowns of a small level in blocks of equal size. No entry of its operator couples two blocks.
class UncoupledBlocks {
 public:
  using Place = std::array<int, 3>;

  /// Makes a block of each plane of a box across an axis, or one block of all unknowns if `across` is negative.
  explicit UncoupledBlocks(const Box& unknowns, int across = -1);

  int count() const { return count_; }
  /// Returns the number of unknowns of each block.
  int rows() const { return rows_; }
  /// Returns the places of all unknowns, block by block. The longest axis comes last in a block, which gives long
  /// bundles of lines a small bandwidth.
  const std::vector<Place>& places() const { return places_; }
  /// Returns the position of a place in `places`, or −1 if it is no unknown.
  int position_of(const Place& at) const;

 private:
  Box box_;
  Place n_{};
  int count_, rows_;
  std::vector<Place> places_;
  std::vector<int> positions_;  // by place, x fastest
};

/// Contains the matrices of all blocks, row-major one after another, and the sum of each row.
struct BlockMatrices {
  std::vector<double> entries, sums;
};

/// Reads the matrices of an operator on its blocks off products with sums of unit vectors. Overwrites u and Au.
BlockMatrices read_matrices(const Operator& A, const UncoupledBlocks& blocks, Field& u, Field& Au);

/// Returns the offsets of the unknowns of all blocks in a field, in values.
std::vector<std::int64_t> offsets_of(const UncoupledBlocks& blocks, const Space& space, Precision precision);

}  // namespace poisson
