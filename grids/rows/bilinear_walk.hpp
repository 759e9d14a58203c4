#pragma once

#include "grids/rows/box_stencil.hpp"

/// Products with bilinear elements of isotropic κ in a walk along y through a column of nodes: rows of cells one after
/// the other, each worked out once, in differences of values, so that a constant is mapped to zero exactly.
namespace poisson {

/// With the values w, c, e of a line on the west, on the column and on the east, a row of cells between two lines gives
///
///   own p + off q − flux   to the lower node,   off p + own q + flux   to the upper one,
///
/// where p and q are Σ κ (c − w)/h_x of the lower and the upper line, and flux is Σ κ (own rise_c + off rise_w)/h_y,
/// the sums over the cells on the west and on the east. `weighted`: the diagonal is wanted too.
template <class T, bool weighted>
class BilinearWalk {
 public:
  struct Line {
    T west, centre, east;
  };
  /// A cell along x: masses and scaled 1/h.
  struct Cell {
    T own, off, stiffness;
  };
  /// A row of cells: masses and scaled 1/h along y, κ and σ on the west and on the east. σ is not read without
  /// reaction.
  struct Layer {
    T own, off, stiffness, kappa[2], sigma[2];
  };
  /// What all cells give to a node.
  struct Row {
    T product, diagonal;
  };

  /// `alpha`: Robin's, scaled, where the column lies on a face across x; taken with reaction. `line`: the one below the
  /// first row of cells.
  constexpr BilinearWalk(const Cell& west, const Cell& east, T alpha, const Line& line)
      : west_(west), east_(east), alpha_(alpha), u_(line) {}

  /// The value of the node that `next` is about.
  constexpr T centre() const { return u_.centre; }

  /// Adds a face across y that the node lies on, with Robin's α, scaled.
  constexpr void add_face(T alpha, Row& row) const {
    const T own = west_.own + east_.own;
    row.product += alpha * (own * u_.centre + west_.off * u_.west + east_.off * u_.east);
    row.diagonal += alpha * own;
  }

  /// Takes the next row of cells and the line above it; returns what the cells so far give to the node of the line
  /// below it. That is all but for the line that the walk began with. `same_kappa`: as that of the row before.
  template <bool reacts, bool same_kappa = false>
  [[gnu::always_inline]] constexpr Row next(const Layer& layer, const Line& above) {
    const T west = layer.kappa[0] * west_.stiffness, east = layer.kappa[1] * east_.stiffness;
    const T p = same_kappa ? along_ : west * (u_.centre - u_.west) + east * (u_.centre - u_.east);
    const T q = west * (above.centre - above.west) + east * (above.centre - above.east);
    const T rise = above.centre - u_.centre;
    const T flux = layer.stiffness * (layer.kappa[0] * (west_.own * rise + west_.off * (above.west - u_.west)) +
                                      layer.kappa[1] * (east_.own * rise + east_.off * (above.east - u_.east)));
    T lower = layer.own * p + layer.off * q - flux, upper = layer.off * p + layer.own * q + flux, diagonal = T(0);
    if constexpr (weighted)
      diagonal =
          layer.own * (west + east) + layer.stiffness * (layer.kappa[0] * west_.own + layer.kappa[1] * east_.own);
    if constexpr (reacts) {
      const T own = layer.sigma[0] * west_.own + layer.sigma[1] * east_.own + alpha_;
      const T before = layer.sigma[0] * west_.off, behind = layer.sigma[1] * east_.off;
      const T s = own * u_.centre + before * u_.west + behind * u_.east;
      const T t = own * above.centre + before * above.west + behind * above.east;
      lower += layer.own * s + layer.off * t;
      upper += layer.off * s + layer.own * t;
      if constexpr (weighted) diagonal += layer.own * own;
    }
    const Row row{below_.product + lower, weighted ? below_.diagonal + diagonal : T(0)};
    below_ = {upper, diagonal};
    along_ = q;
    u_ = above;
    return row;
  }

 private:
  Cell west_, east_;
  T alpha_;
  Line u_;                 ///< below the next row of cells
  Row below_{T(0), T(0)};  ///< what the cells below that line give to it
  T along_ = T(0);         ///< q of those cells
};

}  // namespace poisson
