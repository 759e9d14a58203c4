#include "grids/problem/label_bytes.hpp"

#include <cmath>
#include <cstddef>

namespace poisson {

std::vector<std::int64_t> voxels_of_cells(const std::vector<double>& nodes, int first, int last, double lower,
                                          double width, std::int64_t count) {
  if (nodes.empty()) return {0};
  std::vector<std::int64_t> voxels;
  for (int c = first; c < last; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double place = std::floor(((nodes[i] + nodes[i + 1]) / 2 - lower) / width);
    const bool inside = place >= 0 && place < static_cast<double>(count);
    voxels.push_back(inside ? static_cast<std::int64_t>(place) : -1);
  }
  return voxels;
}

}  // namespace poisson
