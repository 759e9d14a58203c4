#pragma once

#include <span>
#include <vector>

#include "grids/problem/media.hpp"
#include "io/files/output.hpp"
#include "io/pictures/shown_field.hpp"
#include "io/pictures/strokes.hpp"

namespace poisson {

/// Returns the regions at the centres of a section's pixels, the top row first. The shapes of bodies decide, so
/// outlines do not follow the steps of cells.
std::vector<RegionNumber> regions_of_pixels(const OutputGrid& grid, const Section& section, const RegionMap& map);

/// Returns the share of pixels next to a pixel of another region.
double boundary_share(std::span<const RegionNumber> regions, int width, int height);

/// Outlines that would cover a larger share of the picture are left out by `outlines: auto`.
inline constexpr double most_boundary = 0.12;

/// Adds lines between different regions, `thickness` pixels wide.
void trace_outlines(std::span<const RegionNumber> regions, double thickness, Strokes& strokes);

}  // namespace poisson
