#include "grids/operators/bands.hpp"

#include <algorithm>

#include "grids/rows/galerkin_formulas.hpp"

namespace poisson {
namespace {

std::vector<Offset> forward_offsets(const std::array<bool, 3>& axes, int most) {
  std::vector<Offset> offsets;
  for (int c = 14; c < 27; ++c) {
    const Offset o{offset_of(c, 0), offset_of(c, 1), offset_of(c, 2)};
    int along = 0;
    bool exists = true;
    for (std::size_t d = 0; d < 3; ++d) {
      along += std::abs(o[d]);
      exists = exists && (o[d] == 0 || axes[d]);
    }
    if (exists && along <= most) offsets.push_back(o);
  }
  return offsets;
}

std::array<bool, 3> axes_of(const Layout& layout) {
  return {layout.n[0] > 1, layout.n[1] > 1, layout.n[2] > 1};
}

}  // namespace

bool is_star(const std::vector<Offset>& offsets) {
  return std::ranges::all_of(offsets,
                             [](const Offset& o) { return std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]) <= 1; });
}

std::vector<Offset> star_offsets(const Layout& layout) {
  return forward_offsets(axes_of(layout), 1);
}

std::vector<Offset> box_offsets(const Layout& layout) {
  return forward_offsets(axes_of(layout), 3);
}

std::vector<Offset> star_offsets(int dimension) {
  return forward_offsets({true, true, dimension == 3}, 1);
}

std::vector<Offset> box_offsets(int dimension) {
  return forward_offsets({true, true, dimension == 3}, 3);
}

}  // namespace poisson
