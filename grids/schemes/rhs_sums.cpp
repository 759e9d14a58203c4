#include "grids/schemes/rhs_sums.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace poisson {

std::array<Box, 27> pieces(const Block& block) {
  std::array<Box, 27> all;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const std::array part{p % 3, p / 3 % 3, p / 9};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      const bool nodes = axis.centering() == Centering::node;
      const int n = axis.size(), lower = nodes && axis.open(0) ? 1 : 0, upper = nodes && axis.open(1) ? 1 : 0;
      const std::array at{0, lower, n - upper, n};
      all[p].first[d] = at[part[d]];
      all[p].last[d] = at[part[d] + 1];
    }
  }
  return all;
}

std::array<Box, 27> pieces(const Block& block, const Box& within) {
  std::array<Box, 27> all = pieces(block);
  for (Box& piece : all)
    for (std::size_t d = 0; d < 3; ++d) {
      piece.first[d] = std::max(piece.first[d], within.first[d]);
      piece.last[d] = std::min(piece.last[d], within.last[d]);
    }
  return all;
}

double RhsSums::total_source() const {
  return std::accumulate(source.begin(), source.end(), 0.0);
}

void RhsSums::set_face(int axis, int end, const PieceSums& before, const PieceSums& after) {
  std::ranges::transform(after, before, faces[static_cast<std::size_t>(2 * axis + end)].begin(), std::minus());
}

PieceSums sums_by_pieces(const Functionals& functionals, const Block& block, const Field& x, const Box& box,
                         double scale) {
  std::vector<Region> regions;
  std::vector<std::size_t> numbers;
  const auto parts = pieces(block, box);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].size() == 0 && !block.share) continue;  // is empty here, but another process may have values
    regions.push_back({parts[p], {}});
    numbers.push_back(p);
  }
  PieceSums sums{};
  const std::vector<double> found = functionals.sums(x, regions);
  for (std::size_t r = 0; r < found.size(); ++r) sums[numbers[r]] = found[r] / scale;
  return sums;
}

}  // namespace poisson
