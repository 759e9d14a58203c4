#pragma once

#include <span>
#include <vector>

namespace poisson {

/// Equal cells that share a thickness > 0; at least one cell.
struct Layer {
  double thickness;
  int cells;
};

/// Nodes of layers that follow each other from `lower` on. Interfaces are sums that do not drift. Where a decimal
/// number of 15 digits lies within a rounding of the sum, it is taken: 1.6e-3 + 1e-4 is 1.7e-3.
std::vector<double> layered_nodes(double lower, std::span<const Layer> layers);

}  // namespace poisson
