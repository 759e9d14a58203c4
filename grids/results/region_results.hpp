#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "grids/results/integrals.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Contains the answers for a region or for all regions of a material. Places are centres of cells.
struct RegionResult {
  std::string name, material;
  std::int64_t cells = 0;    ///< whose centres lie in the region
  double volume = 0;         ///< integrated volume of the shape; of visible parts only
  double power = 0;          ///< source of its material, in W
  double flow = 0;           ///< net flow out of its cells into other regions
  double through_faces = 0;  ///< net flow out of its cells through faces of the domain
  /// Are over the cells that have a solution, weighted by volume; NaN if there are none.
  double mean = 0, min = 0, max = 0;
  std::array<double, 3> min_at{}, max_at{};
};

/// Contains the answers of a problem with media.
struct MediaResults {
  std::vector<RegionResult> regions, materials;
  SolutionNorms norms;        ///< over all cells that have a solution
  std::int64_t floating = 0;  ///< cells without contact to a fixed value
  double floating_volume = 0;
  std::int64_t solved = 0;         ///< unknowns
  std::vector<double> from_fixed;  ///< flow out of each fixed region through its couplings; 0 for other regions
};

/// Computes the answers. `u` has a current solution. Collective.
MediaResults media_results(const Discretization& discretization, const Field& u);

/// Sets u in cells that left the system: the value of fixed bodies, unless `fixed_values` is false, and `otherwise` in
/// all others.
void set_gaps(const Discretization& discretization, double otherwise, Field& u, bool fixed_values = true);

/// Returns the flow out of each fixed region into the cells that couple to it; 0 for other regions. Collective.
std::vector<double> flows_from_fixed(const Discretization& discretization, const Field& u);

}  // namespace poisson
