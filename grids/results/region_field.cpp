#include "grids/results/region_field.hpp"

#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

Pieces gather_regions(const Discretization& discretization) {
  const std::array<int, 3> n = discretization.block().layout().n;
  return {shown_places(discretization.block(), Location::cell), 1,
          [n, media = discretization.media()](int first, int last, std::span<double> values) {
            std::size_t at = 0;
            for (int k = first; k < last; ++k)
              for (int j = 0; j < n[1]; ++j)
                for (int i = 0; i < n[0]; ++i) values[at++] = media->cells().region(i, j, k);
          }};
}

}  // namespace poisson
