#include "app/cases/media_description.hpp"

#include <cmath>

#include <fmt/format.h>

#include "grids/problem/bodies.hpp"

namespace poisson {
namespace {

// Returns text such as "x 0 to 1, y 0 to 2"; axes along which the extent is infinite are left out.
std::string describe_extent(const Bounds& bounds, int dimension) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    if (std::isfinite(bounds.lower[d]) && std::isfinite(bounds.upper[d]))
      text += fmt::format("{}{} {:g} to {:g}", text.empty() ? "" : ", ", "xyz"[d], bounds.lower[d], bounds.upper[d]);
  return text.empty() ? "without bounds" : text;
}

}  // namespace

std::vector<std::string> describe_media(const MediaSystem& system) {
  const Media& media = system.media();
  std::vector<std::string> warnings;
  for (std::size_t r = 0; r < media.regions.size(); ++r) {
    const MediaRegion& region = media.regions[r];
    if (region.origin != MediaRegion::Origin::body || system.cells_of_regions()[r] > 0) continue;
    const Bounds extent = media.bodies->extent_of(static_cast<RegionNumber>(r));
    const bool thin = system.volumes()[r] > 0;
    warnings.push_back(fmt::format(
        "body {} ({}) covers no centre of a cell: {}", region.name,
        describe_extent(extent, system.cells().block().dimension()),
        thin ? "its surface enters conductances, but it has no value of its own. Refine the grid there"
             : "it is outside the domain, thinner than a cell, or covered by later bodies. Check the units of its "
               "lengths"));
  }
  const auto floating = static_cast<std::size_t>(CellState::floating);
  if (system.counts()[floating] > 0)
    warnings.push_back(fmt::format(
        "{} cells of volume {:.4g} have no contact to a fixed value (insulators enclose them): they have no "
        "solution, and files contain NaN there",
        system.counts()[floating], system.state_volumes()[floating]));
  return warnings;
}

}  // namespace poisson
