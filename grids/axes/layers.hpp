#pragma once

#include <span>
#include <vector>

namespace poisson {

/// Contains equal cells that divide a thickness > 0. There is at least one cell.
struct Layer {
  double thickness;
  int cells;
};

/// Returns the nodes of consecutive layers from `lower` on. Interfaces are sums in which rounding errors do not
/// accumulate. If a decimal number of 15 digits is within one rounding of the sum, it replaces the sum: 1.6e-3 + 1e-4
/// is 1.7e-3.
std::vector<double> layered_nodes(double lower, std::span<const Layer> layers);

}  // namespace poisson
