#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grids/sampling/media_lines.hpp"

namespace poisson {

/// Moves conductance along the surface of a body from faces beside it to faces in it. Averaged surfaces give two cells
/// whose centres are outside a body a part of its conductance along the surface, but hardly any to its inside. The part
/// would be a wire with its own value, although it has the value of the body. It is added to the parallel faces between
/// cells inside, also on Dirichlet faces of the domain.
class DetachedFaces {
 public:
  /// Adds to κ of the face below a cell.
  struct Move {
    std::array<int, 3> cell{};
    double kappa = 0;
  };

  explicit DetachedFaces(const MediaCells& cells);
  /// Returns the number of layers of cells around a box that its faces depend on.
  static int layers(const Media& media);
  /// Returns whether conductance may move: surfaces are averaged or sharp, and there are no sheets on faces.
  bool any() const { return any_; }
  /// Reduces κ of the faces of a line, as MediaLines::faces returns it, where it exceeds κ of the materials at both
  /// centres many times and a parallel face of neighbours is in a better conductor. Adds moves for the faces of this
  /// process. The line may be one beyond cuts and periodic ends.
  void find(const MediaLines::At& line, std::vector<double>& kappa, std::vector<Move>& moves) const;
  /// Returns κ over the half cells of a box behind an open end of an axis, after the moves. MediaCells must store two
  /// layers of cells around the box.
  std::vector<double> end_kappa(const MediaLines& lines, std::size_t axis, int end, const Box& behind) const;

 private:
  using Cell = std::array<int, 3>;
  /// Returns κ of the face below a cell if each cell has the material of its centre; 0 if one of them leaves.
  double staircase(std::size_t axis, const Cell& above) const;
  bool moves_at(std::size_t axis, int end) const;
  bool near_surface(std::size_t axis, const Cell& above) const;
  /// Returns the area of the faces of a cell across an axis.
  double area(std::size_t axis, const Cell& cell) const;
  /// Calls f(cell) for the neighbours of a cell across an axis, those at edges after the others if `edges`.
  template <class F>
  void for_each_beside(std::size_t axis, const Cell& cell, bool edges, const F& f) const;
  Cell below(std::size_t axis, const Cell& cell) const;

  /// Moves what exceeds κ of the materials at the centres of a face from it to faces beside it.
  void move(std::size_t axis, const Cell& above, double& kappa, std::vector<Move>& moves) const;

  const MediaCells& cells_;
  bool any_, constant_;
  std::array<double, 3> least_{};  ///< κ along each axis if it is constant in all materials
};

}  // namespace poisson
