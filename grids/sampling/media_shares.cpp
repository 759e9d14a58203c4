#include "grids/sampling/media_shares.hpp"

#include <algorithm>

namespace poisson {

MediaShares::MediaShares(const MediaCells& cells) : ny_(static_cast<std::size_t>(cells.block().layout().n[1])) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(cells.block().dimension()); ++d)
    rows_[d].resize(ny_ * static_cast<std::size_t>(cells.block().layout().n[2]));
}

void MediaShares::add(std::size_t axis, const std::array<int, 3>& cell, std::span<const Share> parts, double variance) {
  Row& row = rows_[axis][this->row(cell[1], cell[2])];
  for (const Share& p : parts) row.push_back({p.fraction, cell[0], static_cast<float>(variance), p.region});
}

void MediaShares::line(const MediaCells& cells, int j, int k, std::vector<Share>& shares) const {
  std::array<std::span<const Part>, 3> rest;
  for (std::size_t d = 0; d < 3; ++d)
    if (!rows_[d].empty()) rest[d] = rows_[d][row(j, k)];
  shares.clear();
  for (int i = 0; i < cells.block().layout().n[0]; ++i) {
    std::span<const Part> best;
    for (std::span<const Part>& r : rest) {
      std::size_t count = 0;
      while (count < r.size() && r[count].i == i) ++count;
      const std::span<const Part> parts = r.first(count);
      r = r.subspan(count);
      // Lines that see one region alone have missed the surface.
      if (count > 0 &&
          (best.empty() || (best.size() == 1 && count > 1) || (count > 1 && parts[0].variance < best[0].variance)))
        best = parts;
    }
    if (best.empty()) shares.push_back({i, cells.region(i, j, k), 1});
    for (const Part& p : best) shares.push_back({i, p.region, p.fraction});
  }
}

}  // namespace poisson
