#pragma once

#include "grids/rows/box_stencil.hpp"

/// Products with bilinear elements of isotropic κ are computed in a walk along y through a column of nodes. The walk
/// visits each row of cells once. The formulas use differences of values, so that a constant is mapped to zero exactly.
namespace poisson {

/// Walks along a column of nodes and adds up the products. Let w, c, e be the values of a line of nodes: west of the
/// column, on the column, and east of the column. A row of cells between two lines adds
///
///   own p + off q − flux   to the lower node,   off p + own q + flux   to the upper node,
///
/// where p and q are Σ κ (c − w)/h_x of the lower and the upper line, and flux is Σ κ (own rise_c + off rise_w)/h_y.
/// Both sums include the cells on the west and on the east. `weighted` means that the walk also computes the diagonal.
template <class T, bool weighted>
class BilinearWalk {
 public:
  struct Line {
    T west, centre, east;
  };
  /// Describes a cell along x by its masses and its scaled 1/h.
  struct Cell {
    T own, off, stiffness;
  };
  /// Describes a row of cells by its masses, its scaled 1/h along y, and κ and σ on the west and on the east. Only
  /// steps with reaction read σ.
  struct Layer {
    T own, off, stiffness, kappa[2], sigma[2];
  };
  /// Sums the contributions of all cells to a node.
  struct Row {
    T product, diagonal;
  };

  /// `alpha` is the scaled Robin α if the column lies on a face across x; only steps with reaction add it. `line` is
  /// the line below the first row of cells.
  constexpr BilinearWalk(const Cell& west, const Cell& east, T alpha, const Line& line)
      : west_(west), east_(east), alpha_(alpha), u_(line) {}

  /// Returns the value of the node that `next` completes.
  constexpr T centre() const { return u_.centre; }

  /// Adds a face across y that contains the node, with the scaled Robin α.
  constexpr void add_face(T alpha, Row& row) const {
    const T own = west_.own + east_.own;
    row.product += alpha * (own * u_.centre + west_.off * u_.west + east_.off * u_.east);
    row.diagonal += alpha * own;
  }

  /// Adds the next row of cells and the line above it. Returns the contributions of all rows so far to the node of the
  /// line below; except for the first line of the walk they are complete. `same_kappa` means that κ equals κ of the row
  /// before.
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
  Line u_;                 ///< lies below the next row of cells
  Row below_{T(0), T(0)};  ///< the cells below that line added this
  T along_ = T(0);         ///< their q
};

}  // namespace poisson
