#pragma once

#include "backends/cuda/sequence.cuh"
#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/rows/recompute_elements.hpp"
#include "grids/rows/recompute_faces.hpp"

namespace poisson::cuda {

// A row of faces or of elements has enough arithmetic, in code and in time, for batches of one point.
template <class T, class Kappa, class Body>
inline constexpr int batch<T, RecomputeFaces<T, Kappa>, Body> = 1;
template <class T, int Dimension, Tensor Kind, class Kappa, class Body>
inline constexpr int batch<T, RecomputeElements<T, Dimension, Kind, Kappa>, Body> = 1;

/// These lists give the kernels of an operator over coefficients C by position: kernels that only map, and kernels that
/// sum.
template <class T, class C>
using MappingColumns =
    ColumnList<March<T, C, Apply<T>>, March<T, C, Residual<T, float>>, March<T, C, Residual<T, double>>,
               March<T, C, Polynomial<T>>, EachRow<T, C, Diagonal<T>>, EachRow<T, C, PolynomialStart<T>>,
               TwoColours<T, C>, AnyColours<T, C>, SubtractMean<T, C, true>, SubtractMean<T, C, false>>;
template <class T, class C>
using SummingColumns = ColumnList<March<T, C, ScaledResidual<T, float>>, March<T, C, ScaledResidual<T, double>>,
                                  EachRow<T, C, Norm<T>>, EachRow<T, C, Rounding<T>>, Integral<T, C>, Sum<T>>;

/// These are the same lists for elements.
template <class T, class C>
using BoxMappingColumns =
    ColumnList<BoxMarch<T, C, Apply<T>>, BoxMarch<T, C, Residual<T, float>>, BoxMarch<T, C, Residual<T, double>>,
               BoxMarch<T, C, Polynomial<T>>, EachRow<T, C, Diagonal<T>>, EachRow<T, C, PolynomialStart<T>>,
               BoxColour<T, C>, SubtractMean<T, C, true>, SubtractMean<T, C, false>>;
template <class T, class C>
using BoxSummingColumns =
    ColumnList<BoxMarch<T, C, ScaledResidual<T, float>>, BoxMarch<T, C, ScaledResidual<T, double>>,
               EachRow<T, C, Norm<T>>, EachRow<T, C, Rounding<T>>, Integral<T, C>, Sum<T>>;

/// `ColumnAt` is the column at a position of a list.
template <int n, class List>
struct ColumnAt;
template <class First, class... Rest>
struct ColumnAt<0, ColumnList<First, Rest...>> {
  using Type = First;
};
template <int n, class First, class... Rest>
struct ColumnAt<n, ColumnList<First, Rest...>> : ColumnAt<n - 1, ColumnList<Rest...>> {};

}  // namespace poisson::cuda
