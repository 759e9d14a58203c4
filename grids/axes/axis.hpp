#pragma once

#include <array>
#include <vector>

#include "grids/axes/ends.hpp"

namespace poisson {

/// Measures how strongly an axis couples its values, in 1/h²: by its mean cell, its widest cells and its narrowest
/// cells. A single cell counts as widest or narrowest only if it is more than 4 times as wide or as narrow as any
/// other.
struct AxisStrength {
  double mean = 0, weakest = 0, strongest = 0;
};

struct CoarseAxis;

/// Describes one direction of a structured block: nodes x_0 < … < x_n, the centering of its unknowns, and the kind of
/// condition at each end. It provides the one-dimensional factors of the operators of a block: the coupling 1/h between
/// neighbouring unknowns (the entries of the stiffness K) and the mass h (the diagonal of M).
///
/// Node-centred axes have n + 1 values (n if periodic), of which the outermost have half cells. Values at Dirichlet
/// ends are boundary data. Cell-centred axes have n unknowns; Dirichlet ends couple to the face over half a cell.
class Axis {
 public:
  /// Creates a single unknown of mass 1 without couplings: the z axis of a two-dimensional block.
  Axis() = default;
  /// `nodes` are strictly increasing, and at least two. Periodic axes are periodic at both ends. `alpha` contains the
  /// constant Robin coefficients of the ends that have one.
  Axis(std::vector<double> nodes, BoundaryKind lower, BoundaryKind upper, std::array<double, 2> alpha = {},
       Centering centering = Centering::node);

  /// Returns the values first ≤ i < last as an axis with the indices 0 ≤ i < last − first: the part that one process
  /// owns. If an end of a window is not an end of the axis, values continue beyond it, as on a periodic axis. Values
  /// have the same widths, masses and couplings as on the global axis. Cell i of a window follows value i. Windows are
  /// not coarsened; the global axis is.
  Axis window(int first, int last) const;
  /// Returns the global axis of a window.
  Axis global() const;
  /// Returns the index of value 0 in the global axis.
  int origin() const { return origin_; }
  /// Returns whether this is the global axis and not a window.
  bool is_global() const { return values_ < 0; }

  int cells() const;
  /// Returns the number of cells of the global axis.
  int all_cells() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Returns the nodes of the global axis.
  const std::vector<double>& nodes() const { return nodes_; }
  Centering centering() const { return centering_; }
  /// Returns the kind of condition at an end, or `periodic` if a window ends there and the axis continues.
  BoundaryKind kind(int end) const {
    return ends_here(end) ? kinds_[static_cast<std::size_t>(end)] : BoundaryKind::periodic;
  }
  /// Returns whether the axis ends there, with no values beyond.
  bool open(int end) const { return kind(end) != BoundaryKind::periodic && !degenerate(); }
  double alpha(int end) const { return alpha_[static_cast<std::size_t>(end)]; }
  /// Returns whether this axis is global and closes on itself, so that the values beyond one end are the values at the
  /// other.
  bool periodic() const { return closed() && is_global(); }
  /// Returns whether the global axis closes on itself.
  bool closed() const { return kinds_[0] == BoundaryKind::periodic; }
  bool degenerate() const { return nodes_.size() == 1; }
  /// Returns whether all cells are equal up to the rounding of the given coordinates.
  bool equidistant() const { return equidistant_; }

  /// Returns a power of two near the mean width of its cells.
  double unit() const;

  /// Returns the number of values in an array over the axis: unknowns and Dirichlet nodes.
  int size() const;
  /// The unknowns are first() ≤ i < last().
  int first() const { return centering_ == Centering::node && kind(0) == BoundaryKind::dirichlet ? 1 : 0; }
  int last() const { return size() - (centering_ == Centering::node && kind(1) == BoundaryKind::dirichlet ? 1 : 0); }
  /// Returns the coordinate of value i.
  double point(int i) const;
  /// Returns the number of cell i, −1 ≤ i ≤ cells(), in the global axis. It is −1 or all_cells() past an open end.
  int global_cell(int i) const;
  /// Returns the coordinate in cell i, −1 ≤ i ≤ cells(), at the given fraction of its width from its lower node. Past
  /// an open end it returns this end. On periodic axes it uses the cell on the other side.
  double point_in_cell(int i, double fraction) const;
  /// Returns the width of cell i, −1 ≤ i ≤ cells(). The width is 0 beyond the ends; on periodic axes it is the width of
  /// the cell on the other side.
  double width(int i) const;
  /// Returns cell i or, past an open end, the last cell before the end.
  int inner_cell(int i) const;
  /// Returns the coupling κ/h between the values i and i + 1, −1 ≤ i < size(). Past an end it is 0, with three
  /// exceptions: it is alpha at Robin ends, 2κ/h at cell-centred Dirichlet ends, and κ·alpha/(κ + alpha·h/2) at
  /// cell-centred Robin ends.
  double coupling(int i, double kappa = 1) const;
  /// Returns 1/h for the distance from value i to value i + 1 or, past the ends of cell-centred axes, to the face.
  /// Returns 0 where nothing flows.
  double inverse_distance(int i) const;
  /// Returns the length of the control volume of value i.
  double mass(int i) const;
  /// Returns the strengths by which axes are chosen for coarsening. (The mean of 1/h² would let the few smallest cells
  /// decide: a tanh axis of strength 1.5 at one end then contracts by 0.41 instead of 0.08.) A coarser axis has a
  /// quarter of the strengths, however its number of cells is rounded, so that balanced axes remain balanced.
  const AxisStrength& strength() const { return strength_; }
  /// Returns whether neighbouring cells differ so much that they must be merged in the order of their size.
  bool steep() const { return steep_; }

  /// Returns the axis on other nodes, coarser by a factor of about 2, with the same ends.
  Axis coarser(std::vector<double> nodes) const;

 private:
  int all_values() const;
  bool ends_here(int end) const { return is_global() || (end == 0 ? origin_ == 0 : origin_ + values_ == all_values()); }

  std::vector<double> nodes_{0.0};
  std::array<BoundaryKind, 2> kinds_{BoundaryKind::neumann, BoundaryKind::neumann};
  std::array<double, 2> alpha_{};
  Centering centering_ = Centering::node;
  int origin_ = 0, values_ = -1;  // of a window
  bool equidistant_ = true;
  bool steep_ = false;
  AxisStrength strength_;
};

/// Contains a coarser axis and its position in the finer one.
struct CoarseAxis {
  Axis axis;
  /// Contains the position of each coarse node, including the last, in the numbering of the finer nodes. A position
  /// between two finer nodes is not an integer.
  std::vector<double> place;

  /// Returns whether every coarse cell is a union of finer cells.
  bool nested() const;
  /// Returns the finer node of coarse node I of a nested axis.
  int node(int I) const { return static_cast<int>(place[static_cast<std::size_t>(I)]); }
};

/// Returns the first coarse value at or behind fine value `first`. For cells it compares the centre of the coarse cell
/// with the beginning of fine cell `first`.
int first_behind(const CoarseAxis& coarse, int first);

/// Selects how an axis is coarsened.
enum class Coarsening {
  even,   ///< merges equal cells to ⌈n/2⌉ equal cells, whose nodes need not be finer nodes; else as pairs
  pairs,  ///< keeps every other node, if cell data must not be mixed or values have no coordinates
};

/// Returns the coarser axis. If neighbouring cells differ by a factor of more than 4, they are merged pairwise by
/// either rule, the smallest first. If pairs leave a single cell, it lies at the end where it is wider relative to its
/// neighbours; this end alternates from level to level. (With Neumann ends, a single cell always at the same end
/// contracts by 0.6 instead of 0.27. On growing cells the axis would become steep.)
CoarseAxis coarsen(const Axis& axis, Coarsening rule);
/// Returns the axis itself; each value is its own coarse value.
CoarseAxis keep(const Axis& axis);
/// Returns whether the axis can still be coarsened: it has more than three cells.
bool coarsenable(const Axis& axis);

}  // namespace poisson
