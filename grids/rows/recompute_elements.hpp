#pragma once

#include "grids/rows/box_coefficients.hpp"
#include "grids/rows/recompute.hpp"

/// The assembly mode `recompute` of elements evaluates κ of the cells from expressions wherever a row needs it, instead
/// of reading the arrays of BoxPartial. This file does not use the standard library.
namespace poisson {

/// Contains the coordinates of the centres of cells −1 … n, and the range of cells along each axis that have a κ.
/// Beyond open ends κ is 0, as in the halo of an array.
struct CellPlaces {
  const double *cx = nullptr, *cy = nullptr, *cz = nullptr;
  int begin[3], end[3];
};

/// Computes κ of cells. Kappa has `count` components in the order of BoxPartial, and at<c>(x, y, z) in double
/// arithmetic (see Recompute).
template <class T, class Kappa>
struct ComputedCells : CellPlaces {
  struct Line {
    const double* x;
    double y, z;
    int begin, end;

    template <int component>
    [[gnu::always_inline]] constexpr T at(int i) const {
      return i < begin || i >= end ? T(0) : static_cast<T>(Kappa::template at<component>(x[i], y, z));
    }
  };
  constexpr Line cells(int j, int k) const {
    const bool there = j >= this->begin[1] && j < this->end[1] && k >= this->begin[2] && k < this->end[2];
    return {cx, cy[j], cz[k], this->begin[0], there ? this->end[0] : this->begin[0]};
  }
  template <class F>
  constexpr void reads_cells(int, int, int, const F&) const {}
};

/// Computes the rows of BoxPartial from expressions.
template <class T, int Dimension, Tensor Kind, class Kappa>
using RecomputeElements = BoxPartial<T, Dimension, Kind, ComputedCells<T, Kappa>>;

}  // namespace poisson
