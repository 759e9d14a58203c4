#include "grids/operators/bands.hpp"

#include "grids/rows/galerkin_formulas.hpp"

namespace poisson {
namespace {

std::vector<Offset> forward_offsets(const Layout& layout, int most) {
  std::vector<Offset> offsets;
  for (int c = 14; c < 27; ++c) {
    const Offset o{offset_of(c, 0), offset_of(c, 1), offset_of(c, 2)};
    int along = 0;
    bool exists = true;
    for (std::size_t d = 0; d < 3; ++d) {
      along += std::abs(o[d]);
      exists = exists && (o[d] == 0 || layout.n[d] > 1);
    }
    if (exists && along <= most) offsets.push_back(o);
  }
  return offsets;
}

}  // namespace

std::vector<Offset> star_offsets(const Layout& layout) {
  return forward_offsets(layout, 1);
}

std::vector<Offset> box_offsets(const Layout& layout) {
  return forward_offsets(layout, 3);
}

}  // namespace poisson
