#pragma once

#include <cuda_runtime.h>

/// Verbs on small fields, one after another in one launch: on them a launch costs more than the work.
namespace poisson::cuda {

/// One verb: the functor `column`, number `kind` in the list of those that may be steps, over a box.
struct Step {
  int kind;
  int3 first, last;
  unsigned lines, planes;  ///< ⌈2³²/n⌉ for the extents along x and y: what a division by them multiplies with
  alignas(8) unsigned char column[984];
};

/// Functors that may be steps, by position.
template <class... Columns>
struct ColumnList {
  template <class... More>
  constexpr ColumnList<Columns..., More...> operator+(ColumnList<More...>) const {
    return {};
  }
};

/// Position of Column in a list; −1 where it has none.
template <class Column, class List>
inline constexpr int position = -1;
template <class Column, class... Rest>
inline constexpr int position<Column, ColumnList<Column, Rest...>> = 0;
template <class Column, class First, class... Rest>
inline constexpr int position<Column, ColumnList<First, Rest...>> =
    position<Column, ColumnList<Rest...>> < 0 ? -1 : 1 + position<Column, ColumnList<Rest...>>;

}  // namespace poisson::cuda
