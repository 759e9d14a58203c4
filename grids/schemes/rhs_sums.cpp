#include "grids/schemes/rhs_sums.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace poisson {

std::array<Box, 27> pieces(const Block& block) {
  std::array<Box, 27> all;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const std::array part{p % 3, p / 3 % 3, p / 9};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      const bool cut = axis.centering() == Centering::node && !axis.periodic() && !axis.degenerate();
      const int n = axis.size(), past = cut ? 1 : 0;
      const std::array at{0, past, n - past, n};
      all[p].first[d] = at[part[d]];
      all[p].last[d] = at[part[d] + 1];
    }
  }
  return all;
}

double RhsSums::total_source() const {
  return std::accumulate(source.begin(), source.end(), 0.0);
}

void RhsSums::set_face(int axis, int end, const PieceSums& before, const PieceSums& after) {
  std::ranges::transform(after, before, faces[static_cast<std::size_t>(2 * axis + end)].begin(), std::minus());
}

PieceCollector::PieceCollector(const Block& block, const Box& box)
    : box_(box),
      pieces_(pieces(block)),
      lines_(static_cast<std::size_t>(box.last[1] - box.first[1]) *
             static_cast<std::size_t>(box.last[2] - box.first[2])) {}

// Which of an axis's three parts an index lies in.
int PieceCollector::part(std::size_t d, int i) const {
  const Box& middle = pieces_[middle_piece];
  return i < middle.first[d] ? 0 : i < middle.last[d] ? 1 : 2;
}

void PieceCollector::operator()(int j, int k, const double* values) {
  const Box& middle = pieces_[middle_piece];
  const int first = box_.first[0], last = box_.last[0];
  const std::array at{first, std::clamp(middle.first[0], first, last), std::clamp(middle.last[0], first, last), last};
  auto& line =
      lines_[static_cast<std::size_t>(k - box_.first[2]) * static_cast<std::size_t>(box_.last[1] - box_.first[1]) +
             static_cast<std::size_t>(j - box_.first[1])];
  for (std::size_t a = 0; a < 3; ++a)
    line[a] = std::accumulate(values + (at[a] - first), values + (at[a + 1] - first), 0.0);
}

PieceSums PieceCollector::total() const {
  PieceSums all{};
  auto line = lines_.begin();
  for (int k = box_.first[2]; k < box_.last[2]; ++k) {
    PieceSums plane{};
    for (int j = box_.first[1]; j < box_.last[1]; ++j, ++line)
      for (std::size_t a = 0; a < 3; ++a)
        plane[a + static_cast<std::size_t>(3 * part(1, j) + 9 * part(2, k))] += (*line)[a];
    for (std::size_t p = 0; p < all.size(); ++p) all[p] += plane[p];
  }
  return all;
}

PieceSums sums_by_pieces(const Functionals& functionals, const Block& block, const Field& x, const Box& box) {
  std::vector<Region> regions;
  std::vector<std::size_t> numbers;
  const auto all = pieces(block);
  for (std::size_t p = 0; p < all.size(); ++p) {
    Box part;
    for (std::size_t d = 0; d < 3; ++d) {
      part.first[d] = std::max(all[p].first[d], box.first[d]);
      part.last[d] = std::min(all[p].last[d], box.last[d]);
    }
    if (part.size() == 0) continue;
    regions.push_back({part, {}});
    numbers.push_back(p);
  }
  PieceSums sums{};
  const std::vector<double> found = functionals.sums(x, regions);
  for (std::size_t r = 0; r < found.size(); ++r) sums[numbers[r]] = found[r];
  return sums;
}

}  // namespace poisson
