#pragma once

#include <array>
#include <vector>

#include "grids/axes/ends.hpp"

namespace poisson {

/// How strongly an axis couples its values, in 1/h²: by its mean cell, by its widest cells and by its narrowest. A cell
/// by itself counts among these only where it is more than 4 times as wide or as narrow as any other.
struct AxisStrength {
  double mean = 0, weakest = 0, strongest = 0;
};

struct CoarseAxis;

/// One direction of a structured block: nodes x_0 < … < x_n, the centering of its unknowns, and the kind of condition
/// at each end. It yields the one-dimensional factors from which the operators of a block are products:
/// the coupling 1/h between neighbouring unknowns (the entries of the stiffness K) and the mass h (the diagonal of M).
///
/// Node-centred axes have n + 1 unknowns (n when periodic), the outermost with half cells; unknowns at Dirichlet ends
/// hold data. Cell-centred axes have n unknowns; Dirichlet ends couple to the face over half a cell.
class Axis {
 public:
  /// A single unknown of mass 1 that couples to nothing: the z axis of a two-dimensional block.
  Axis() = default;
  /// `nodes`: strictly increasing, at least two. Periodic axes are periodic at both ends.
  /// `alpha`: the constant Robin coefficients of the ends that have one.
  Axis(std::vector<double> nodes, BoundaryKind lower, BoundaryKind upper, std::array<double, 2> alpha = {},
       Centering centering = Centering::node);

  /// The values first ≤ i < last of this axis as an axis of their own, 0 ≤ i < last − first: what one process has of
  /// it. Beyond an end that is not the axis's the values go on, as on a periodic axis, and they have the widths, masses
  /// and couplings that they have in the whole. A window's cells are those behind its values. It is not coarsened: the
  /// whole is.
  Axis window(int first, int last) const;
  /// The axis that this is a window of.
  Axis in_whole() const;
  /// Where value 0 is in the whole axis.
  int origin() const { return origin_; }
  /// Whether this is the whole axis.
  bool whole() const { return values_ < 0; }

  int cells() const;
  /// Those of the whole axis.
  int all_cells() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Those of the whole axis.
  const std::vector<double>& nodes() const { return nodes_; }
  Centering centering() const { return centering_; }
  /// The kind of condition at an end; `periodic` where a window ends and the axis goes on.
  BoundaryKind kind(int end) const {
    return ends_here(end) ? kinds_[static_cast<std::size_t>(end)] : BoundaryKind::periodic;
  }
  /// Whether the axis ends there, and no values lie beyond.
  bool open(int end) const { return kind(end) != BoundaryKind::periodic && !degenerate(); }
  double alpha(int end) const { return alpha_[static_cast<std::size_t>(end)]; }
  /// Whether the axis closes on itself, so that the values beyond one end are those at the other.
  bool periodic() const { return closed() && whole(); }
  /// Whether the whole axis does.
  bool closed() const { return kinds_[0] == BoundaryKind::periodic; }
  bool degenerate() const { return nodes_.size() == 1; }
  /// All cells equal to rounding: of the coordinates the nodes came with.
  bool equidistant() const { return equidistant_; }

  /// A power of two near the mean width of its cells.
  double unit() const;

  /// Number of values in an array over the axis: unknowns and Dirichlet nodes.
  int size() const;
  /// The unknowns are first() ≤ i < last().
  int first() const { return centering_ == Centering::node && kind(0) == BoundaryKind::dirichlet ? 1 : 0; }
  int last() const { return size() - (centering_ == Centering::node && kind(1) == BoundaryKind::dirichlet ? 1 : 0); }
  /// Coordinate of value i.
  double point(int i) const;
  /// The number of cell i, −1 ≤ i ≤ cells(), in the whole axis; −1 or all_cells() past an open end.
  int cell_in_whole(int i) const;
  /// The coordinate in cell i, −1 ≤ i ≤ cells(), so much of its width from its lower node: past an open end that end,
  /// on periodic axes in the cell on the other side.
  double point_in_cell(int i, double fraction) const;
  /// Width of cell i, −1 ≤ i ≤ cells(): beyond the ends 0, on periodic axes the cell on the other side.
  double width(int i) const;
  /// The cell itself, past an open end the last one before it.
  int inner_cell(int i) const;
  /// κ/h of the coupling between the values i and i + 1, −1 ≤ i < size(). Past an end: 0; Robin: alpha; cell-centred
  /// Dirichlet: 2κ/h, cell-centred Robin: κ·alpha/(κ + alpha·h/2).
  double coupling(int i, double kappa = 1) const;
  /// 1/h of the way from value i to value i + 1, past the ends of cell-centred axes to the face; 0 where nothing flows.
  double inverse_distance(int i) const;
  /// Length that value i stands for.
  double mass(int i) const;
  /// What coarsening is chosen by. (The mean of 1/h² would let the few smallest cells decide: a tanh axis of
  /// strength 1.5 at one end contracts by 0.41 instead of 0.08.) A coarser axis has a quarter of it, however its number
  /// of cells rounds, so that axes which were balanced stay so.
  const AxisStrength& strength() const { return strength_; }
  /// Whether neighbouring cells differ by so much that they have to be merged in the order of their size.
  bool steep() const { return steep_; }

  /// The axis on other nodes, coarser by a factor of about 2, with the same ends.
  Axis coarser(std::vector<double> nodes) const;

 private:
  int all_values() const;
  bool ends_here(int end) const { return whole() || (end == 0 ? origin_ == 0 : origin_ + values_ == all_values()); }

  std::vector<double> nodes_{0.0};
  std::array<BoundaryKind, 2> kinds_{BoundaryKind::neumann, BoundaryKind::neumann};
  std::array<double, 2> alpha_{};
  Centering centering_ = Centering::node;
  int origin_ = 0, values_ = -1;  // of a window
  bool equidistant_ = true;
  bool steep_ = false;
  AxisStrength strength_;
};

/// A coarser axis and how it lies in the finer one.
struct CoarseAxis {
  Axis axis;
  /// At which of the finer nodes each coarse node lies, the last one included; between two of them where it is no whole
  /// number.
  std::vector<double> place;

  /// Whether every coarse cell is a union of finer cells.
  bool nested() const;
  /// The finer node of coarse node I of a nested axis.
  int node(int I) const { return static_cast<int>(place[static_cast<std::size_t>(I)]); }
};

/// The first coarse value at or behind fine value `first`; cells by their centres and where cell `first` begins.
int first_behind(const CoarseAxis& coarse, int first);

/// How the cells of an axis become fewer.
enum class Coarsening {
  even,   ///< equal cells: ⌈n/2⌉ equal cells, whose nodes need not coincide with finer ones; unequal cells: pairs
  pairs,  ///< every other node, where data of cells must not be mixed or values come without coordinates
};

/// The coarser axis. Neighbouring cells that differ by a factor of more than 4 are merged pairwise whatever the rule,
/// the smallest first. Where pairs leave a single cell it lies at the end where it is wider beside its neighbours,
/// alternating from level to level (always the same end contracts by 0.6 instead of 0.27, Neumann ends; on cells that
/// grow it would end as steep).
CoarseAxis coarsen(const Axis& axis, Coarsening rule);
/// The axis itself, each value its own coarse value.
CoarseAxis keep(const Axis& axis);
/// Whether the axis can still be coarsened: more than three cells.
bool coarsenable(const Axis& axis);

}  // namespace poisson
