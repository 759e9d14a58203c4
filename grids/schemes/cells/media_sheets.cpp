// Thin conducting layers on surfaces between cells.

#include "backends/memory/places.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

// A sheet of thickness t and coefficient κ conducts κ t per width along the surface. Cells that touch the surface carry
// it: those of the sheet's material or, if that does not conduct, those on the other side. Two neighbours that carry
// the sheet on the same side get a coupling κ t w/distance, with the width w of the face across both directions.
void MediaSystem::add_sheets() {
  const Box own = block_.layout().box();
  const auto axes = static_cast<std::size_t>(block_.dimension());
  for (const Sheet& sheet : media_->sheets) {
    const bool inside = media_->materials[sheet.on].conducts();
    const auto is_on = [&](const std::array<int, 3>& c) {
      return media_->regions[cells_.region(c[0], c[1], c[2])].material == sheet.on;
    };
    const auto carries = [&](const std::array<int, 3>& c, std::size_t normal, int side) {
      std::array beyond = c;
      beyond[normal] += side;
      if (!cells_.stores(beyond) || cells_.leaves(c[0], c[1], c[2])) return false;
      return is_on(c) == inside && is_on(beyond) != inside;
    };
    for (std::size_t d = 0; d < axes; ++d) {
      Box faces = own;
      ++faces.last[d];
      for_each_place(faces, [&](int i, int j, int k) {
        const std::array above{i, j, k};
        std::array below = above;
        --below[d];
        if (!cells_.stores(above) || !cells_.stores(below)) return;
        double& kappa = faces_[d][face_index(d, i, j, k)];
        for (std::size_t normal = 0; normal < axes; ++normal)
          for (const int side : {-1, 1})
            if (normal != d && carries(above, normal, side) && carries(below, normal, side))
              kappa += sheet.coefficient * sheet.thickness / block_.axes[normal].width(above[normal]);
      });
    }
  }
}

}  // namespace poisson
