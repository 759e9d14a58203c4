// Thin conducting layers on surfaces between cells.

#include "grids/sampling/media_lines.hpp"

namespace poisson {

// A sheet of thickness t and coefficient κ conducts κ t per width along the surface. Cells that touch the surface carry
// it: those of the sheet's material or, if that does not conduct, those on the other side. Two neighbours that carry
// the sheet on the same side get a coupling κ t w/distance, with the width w of the face across both directions: the
// κ of their face grows by κ t/h, with their width h across the surface.
double MediaLines::sheets(std::size_t axis, const std::array<int, 3>& a, const std::array<int, 3>& b) const {
  const Media& media = cells_.media();
  double sum = 0;
  for (const Sheet& sheet : media.sheets) {
    const bool inside = media.materials[sheet.on].conducts();
    const auto is_on = [&](const std::array<int, 3>& c) {
      return media.regions[cells_.region(c[0], c[1], c[2])].material == sheet.on;
    };
    const auto carries = [&](const std::array<int, 3>& c, std::size_t normal, int side) {
      std::array beyond = c;
      beyond[normal] += side;
      return cells_.stores(beyond) && is_on(c) == inside && is_on(beyond) != inside;
    };
    for (std::size_t normal = 0; normal < static_cast<std::size_t>(cells_.block().dimension()); ++normal)
      for (const int side : {-1, 1})
        if (normal != axis && carries(a, normal, side) && carries(b, normal, side))
          sum += sheet.coefficient * sheet.thickness / cells_.block().axes[normal].width(a[normal]);
  }
  return sum;
}

}  // namespace poisson
