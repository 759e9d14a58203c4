#pragma once

#include <vector>

#include "backends/places.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// What a face of a cell-centred problem brings to the cells behind it. The flux into cell (i, j, k) per area is
/// given − conductance·u:
///   Neumann    q
///   Dirichlet  2κ/h (g − u)
///   Robin      κ/(κ + αh/2) (g − αu), what is left when u on the face is eliminated
/// Where it can, the solution's halo holds given/conductance, g or g/α, which does not change from level to level as
/// `given` does with h. An α that next to κ lets nothing through has no such value: its g stays in the right-hand side.
class CellFace {
 public:
  struct Values {
    double given = 0, conductance = 0;
    bool in_halo = false;
    double halo() const { return in_halo ? given / conductance : 0; }
  };

  /// Of one cell of width h behind a face, from the face's value, κ of the cell and α of the face. `length`: the
  /// block's across the face.
  static Values values(BoundaryKind kind, double value, double kappa, double alpha, double h, double length);

  /// Samples the face's data. Throws ValueError.
  CellFace(const Problem& problem, const Block& block, int axis, int end)
      : CellFace(problem, block, axis, end, block.layout().box()) {}
  /// The same behind the cells of a box, which may reach to those beside the process's part.
  CellFace(const Problem& problem, const Block& block, int axis, int end, const Box& within);

  /// Those cells.
  const Box& behind() const { return behind_; }
  /// f(i, j, k, values) for the cells behind the face, x fastest.
  template <class F>
  void visit(const F& f) const {
    std::size_t at = 0;
    for_each_place(behind_, [&](int i, int j, int k) { f(i, j, k, values_[at++]); });
  }

 private:
  Box behind_;
  std::vector<Values> values_;
};

/// The cells behind a face; none where a part of a block does not reach it.
Box cells_behind(const Block& block, int axis, int end);

/// What a Dirichlet face of a cell-centred problem sets: the halo across it, with its edges towards other Dirichlet
/// faces, where interpolation takes the mean of their data.
Box dirichlet_cells(const Block& block, int axis, int end);

}  // namespace poisson
