#pragma once

#include <vector>

#include "grids/blocks/block_lines.hpp"

namespace poisson {

/// Lines cross an interface where the Schur complement is less than this part of the diagonal.
inline constexpr double strong_crossing = 0.2;
/// h is cut off below this value.
inline constexpr double least_h = 1e-3;

/// Returns whether a block has the line through a node along an axis, which several blocks may share.
bool has_line(const BlockSpace& blocks, int block, std::array<int, 3> node, std::size_t axis);
/// Returns whether a node belongs to several sides of blocks.
bool on_interface(const BlockSpace& blocks, int block, const std::array<int, 3>& node);

/// Contains what lines need at the nodes of a block, in fp64.
struct NodesOfBlock {
  std::vector<double> diagonal;                 ///< 0: not free
  std::array<std::vector<double>, 3> strength;  ///< s² of each strong axis
  std::vector<double> points;                   ///< s² of the diagonal; 0: the block has lines
};

/// Continues lines across interfaces. Lines end on interfaces, and where strong couplings cross one, the sum of both
/// parts misses functions that are flat across it. For each such node i the solution on the line with all its parts is
/// that of the parts without i plus h hᵀ/s: h is 1 at i and solves the homogeneous equations on the parts, and s is the
/// Schur complement of i. Couplings between the ends of a part are neglected in s, so that no system remains.
template <class T>
class CrossingLines {
 public:
  /// Axes without couplings have no lines. Collective.
  CrossingLines(Backend& backend, const std::shared_ptr<const BlockSpace>& blocks, const Field& diagonal,
                const LineCouplings& couplings, const std::vector<NodesOfBlock>& nodes);
  /// Returns whether strong lines cross an interface of any process.
  bool any() const { return any_; }
  /// Adds Σ h hᵀ r/s to the contributions of blocks in z, before they are summed over interfaces. The ends of blocks in
  /// r are up to date. Collective.
  void add(const Field& r, Field& z) const;
  std::size_t bytes() const { return weights_.size() * sizeof(T) + inverse_.bytes() + x_.bytes(); }

  /// Is a part of a line that ends at an interface: the end, and in the weights h at the nodes behind it.
  struct End {
    std::size_t own;  ///< of BlockSpace::own
    std::array<int, 3> node, step;
    std::int64_t first;
    int count;
  };
  const std::array<std::vector<End>, 6>& ends() const { return ends_; }
  const std::vector<T>& weights() const { return weights_; }
  const Field& inverse() const { return inverse_; }

 private:
  void add_end(std::size_t b, std::size_t axis, bool upper, const std::array<int, 3>& node,
               const LineCouplings& couplings, const std::vector<NodesOfBlock>& nodes,
               std::vector<std::vector<double>>& schur);

  Backend& backend_;
  std::shared_ptr<const BlockSpace> blocks_;
  std::array<std::vector<End>, 6> ends_;  // by axis and side: those of a list have no nodes in common
  std::vector<T> weights_;                // h of all ends
  Field inverse_;                         // 1/s at interfaces; 0: no strong line crosses there
  mutable Field x_;
  bool any_ = false;
};

extern template class CrossingLines<float>;
extern template class CrossingLines<double>;

}  // namespace poisson
