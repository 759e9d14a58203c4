#pragma once

#include <cuda_runtime.h>

/// Runs verbs on small fields one after another in one launch: on such fields a launch costs more than the work.
namespace poisson::cuda {

/// Describes one verb: the functor `column`, applied over a box. `kind` is its position in the list of possible steps.
struct Step {
  int kind;
  int3 first, last;
  unsigned lines, planes;  ///< replace divisions by n along x and y: ⌈2³²/n⌉
  alignas(8) unsigned char column[984];
};

/// Lists the functors that may be steps, by position.
template <class... Columns>
struct ColumnList {
  template <class... More>
  constexpr ColumnList<Columns..., More...> operator+(ColumnList<More...>) const {
    return {};
  }
};

/// Is the position of Column in a list, or −1 if it is not listed.
template <class Column, class List>
inline constexpr int position = -1;
template <class Column, class... Rest>
inline constexpr int position<Column, ColumnList<Column, Rest...>> = 0;
template <class Column, class First, class... Rest>
inline constexpr int position<Column, ColumnList<First, Rest...>> =
    position<Column, ColumnList<Rest...>> < 0 ? -1 : 1 + position<Column, ColumnList<Rest...>>;

}  // namespace poisson::cuda
