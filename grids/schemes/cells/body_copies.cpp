#include "grids/schemes/cells/body_copies.hpp"

#include <algorithm>
#include <cmath>

#include "grids/problem/bodies.hpp"

namespace poisson {
namespace {

// Shifts that differ from a multiple of the period by less than this share of it are images.
constexpr double of_image = 1e-9;

}  // namespace

BodyCopies::BodyCopies(const MediaCells& cells) : copies_(cells.media().regions.size()), rows_(copies_.size()) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double>& nodes = cells.block().axes[d].nodes();
    if (cells.block().axes[d].degenerate()) continue;
    lower_[d] = nodes.front();
    upper_[d] = nodes.back();
  }
  for (std::size_t r = 0; r < copies_.size(); ++r) {
    const auto region = static_cast<RegionNumber>(r);
    const Media& media = cells.media();
    if (!media.bodies || media.regions[r].origin != MediaRegion::Origin::body || !media.material_of(region).floating)
      continue;
    copies_[r] = media.bodies->copies_of(region);
    if (!copies_[r]) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      Row& row = rows_[r][d];
      row.period = copies_[r]->count[d];
      if (!cells.block().axes[d].closed()) continue;
      for (int m = 1; m < copies_[r]->count[d]; ++m) {
        const double shift = m * copies_[r]->step[d] / (upper_[d] - lower_[d]);
        if (std::abs(shift - std::round(shift)) > of_image) continue;
        row.period = m;
        row.windings = static_cast<int>(std::lround(shift));
        break;
      }
    }
  }
}

BodyCopies::Place BodyCopies::at(RegionNumber region, const Point& point) const {
  Place found{{region, 0}, {}};
  if (!separate(region)) return found;
  const Copies& copies = *copies_[region];
  for (std::size_t d = 3; d-- > 0;) {
    if (copies.count[d] == 1) continue;
    const double middle = 0.5 * (copies.first.lower[d] + copies.first.upper[d]);
    const double steps = std::round((point[d] - middle) / copies.step[d]);
    const int index = static_cast<int>(std::clamp(steps, 0.0, static_cast<double>(copies.count[d] - 1)));
    const Row& row = rows_[region][d];
    found.copy.number = found.copy.number * copies.count[d] + index % row.period;
    found.periods[d] = static_cast<std::int8_t>(index / row.period * row.windings);
  }
  return found;
}

std::size_t BodyCopies::count_in_grid(RegionNumber region) const {
  if (!separate(region)) return 1;
  const Copies& copies = *copies_[region];
  std::size_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    int along = 0;
    for (int n = 0; n < copies.count[d]; ++n) {
      const double shift = n * copies.step[d];
      if (copies.first.lower[d] + shift <= upper_[d] && copies.first.upper[d] + shift >= lower_[d]) ++along;
    }
    all *= static_cast<std::size_t>(std::min(along, rows_[region][d].period));
  }
  return all;
}

}  // namespace poisson
