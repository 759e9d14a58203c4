#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "grids/blocks/block_matrix.hpp"

namespace poisson {

/// Writes values at all nodes of each own block, ends included, into a field whose other values stay.
void put_own_blocks(const std::vector<std::vector<double>>& values, const BlockSpace& blocks, Field& field);
/// Returns the diagonal of A in fp64, summed over interfaces.
Field assembled_diagonal(Backend& backend, const BlockLevel& level, double scale);

/// Is the space of the entries of A along the lines of blocks. Its exchange sums them over the blocks that share a
/// line.
struct CouplingSpace {
  Space space;
  std::vector<std::array<std::array<int, 2>, 3>> own;  ///< of each own block and axis: group and patch in the group
};
/// Makes the space. Collective.
CouplingSpace make_coupling_space(const BlockSpace& blocks);

/// Contains the entries of A along the lines of blocks, in fp64: for each own block and axis, for each node the entry
/// to the next one, summed over the blocks that share the line.
using LineCouplings = std::vector<std::array<std::vector<double>, 3>>;
LineCouplings assembled_couplings(Backend& backend, const BlockLevel& level, double scale);

/// Lines run along an axis of a block if couplings along it exceed this part of the diagonal at a node.
inline constexpr double strong_axis = 0.5;
/// Some line must reach every node of a block with lines: s² of a line is at least this part of the diagonal's square.
inline constexpr double least_strength = 1e-12;

/// Returns s² of a line at a node, for the sum s of max(−a, 0) over its entries along the line and the diagonal d.
constexpr double strength_of_line(double s, double d) {
  return s * s + least_strength * d * d;
}
/// Contains the factors LDLᵀ of W^-½ T W^-½ at a node, 1/pivot and l to the next one, and what they add to the next
/// pivot.
struct LineFactor {
  double inverse = 0, lower = 0, carried = 0;
};
/// Is a node of a line: its diagonal, 0 if it is not free, and its weight.
struct NodeOfLine {
  double diagonal = 0, weight = 0;
  constexpr bool counts() const { return diagonal > 0 && weight > 1e-30; }
};
/// Computes the factors of a node from what the ones before it have carried. `coupling` is a to the next node, which
/// has no diagonal at the end of a line.
constexpr LineFactor factor_node(double carried, const NodeOfLine& here, const NodeOfLine& next, double coupling) {
  LineFactor made;
  if (!here.counts()) return made;
  double pivot = carried + here.diagonal / here.weight;
  if (!(pivot > 0)) pivot = 1e-14 * here.diagonal / here.weight;  // a line that floats up to rounding
  made.inverse = 1 / pivot;
  if (!next.counts()) return made;
  const double off = coupling / std::sqrt(here.weight * next.weight);
  made.lower = off / pivot;
  made.carried = -made.lower * off;
  return made;
}

struct NodesOfBlock;
template <class T>
class CrossingLines;

/// Is B⁻¹ = W₀ D⁻¹ + Σ Rᵀ W^½ T⁻¹ W^½ R with the diagonal D of A in blocks without lines, and all lines of the others
/// in strong directions: those where couplings exceed half of the diagonal somewhere. T is A on a line, which ends on
/// the interfaces; CrossingLines continues strong lines. The weights of a node are s² over the sum of all at the node,
/// where s sums −a over its negative entries along the line, and is the diagonal for D. Positive entries must not
/// count: those of stretched elements across the strong direction are half as large as the strong ones, and weights
/// have to be constant along strong lines.
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
  /// Returns whether a block has lines along an axis.
  bool strong(std::size_t own, std::size_t axis) const { return !own_[own][axis].inverse.empty(); }
  /// Returns the strong lines that cross interfaces; null: there are none in any process.
  const CrossingLines<T>* crossing() const { return crossing_.get(); }

 private:
  void take_points(const Field& points, const Field& total, const Field& diagonal);
  void factor(std::size_t b, std::size_t axis, const NodesOfBlock& nodes, const std::vector<double>& couplings,
              const Field& total);
  void along_x(std::size_t b, const View<const T>& r, const View<T>& z) const;
  void across(std::size_t b, std::size_t axis, const View<const T>& r, const View<T>& z) const;

  Backend& backend_;
  std::shared_ptr<const BlockSpace> blocks_;
  Field points_;  // W₀ D⁻¹; 0 at the ends of blocks
  std::vector<std::array<Factors, 3>> own_;
  std::unique_ptr<CrossingLines<T>> crossing_;  // null: no strong line crosses an interface
};

extern template class BlockLines<float>;
extern template class BlockLines<double>;

}  // namespace poisson
