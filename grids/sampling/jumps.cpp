#include "grids/sampling/jumps.hpp"

#include <algorithm>

#include "backends/cpu/launch.hpp"

namespace poisson {

void Jumps::join(const Jumps& other) {
  largest = std::max(largest, other.largest);
  range = std::max(range, other.range);
  share = std::max(share, other.share);
}

Jumps jumps_between_cells(const Field& cells) {
  const auto view = cells.view<double>();
  const auto along_line = [&](int j, int k, const auto& f) {
    for (int i = 0; i < view.n[0]; ++i) {
      const double here = view(i, j, k);
      for (const double there :
           {i > 0 ? view(i - 1, j, k) : here, j > 0 ? view(i, j - 1, k) : here, k > 0 ? view(i, j, k - 1) : here})
        f(std::max(here / there, there / here));
    }
  };
  Jumps jumps;
  const double most = cpu::max_over_lines(cells.layout().box(), 0, [&](int j, int k) {
    return *std::max_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
  const double least = -cpu::max_over_lines(cells.layout().box(), -most, [&](int j, int k) {
    return -*std::min_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
  if (least > 0) jumps.range = most / least;
  jumps.largest = cpu::max_over_lines(cells.layout().box(), 1, [&](int j, int k) {
    double largest = 1;
    along_line(j, k, [&](double ratio) { largest = std::max(largest, ratio); });
    return largest;
  });
  if (jumps.largest < Jumps::large) return jumps;
  const double count = cpu::sum_over_lines(cells.layout().box(), [&](int j, int k) {
    int found = 0;
    along_line(j, k, [&](double ratio) { found += ratio >= Jumps::large; });
    return static_cast<double>(found);
  });
  jumps.share = count / (static_cast<double>(cells.layout().size()) * (view.n[2] > 1 ? 3 : 2));
  return jumps;
}

}  // namespace poisson
