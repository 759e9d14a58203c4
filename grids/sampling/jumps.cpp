#include "grids/sampling/jumps.hpp"

#include <algorithm>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"

namespace poisson {

void Jumps::join(const Jumps& other) {
  largest = std::max(largest, other.largest);
  range = std::max(range, other.range);
  share = std::max(share, other.share);
}

Jumps jumps_between_cells(const Field& cells) {
  const auto view = cells.view<double>();
  const Space& space = cells.space();
  const Processes& processes = space.processes();
  const auto [x, y, z] = space.origin();
  if (!space.whole()) cells.backend().exchange(cells);
  const auto along_line = [&](int j, int k, const auto& f) {
    for (int i = 0; i < view.n[0]; ++i) {
      const double here = view(i, j, k);
      for (const double there : {x + i > 0 ? view(i - 1, j, k) : here, y + j > 0 ? view(i, j - 1, k) : here,
                                 z + k > 0 ? view(i, j, k - 1) : here})
        f(std::max(here / there, there / here));
    }
  };
  Jumps jumps;
  const double own_most = cpu::max_over_lines(cells.layout().box(), 0, [&](int j, int k) {
    return *std::max_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
  const double most = processes.largest(own_most);
  const double own_least = -cpu::max_over_lines(cells.layout().box(), -most, [&](int j, int k) {
    return -*std::min_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
  if (const double least = processes.least(own_least); least > 0) jumps.range = most / least;
  const double own_largest = cpu::max_over_lines(cells.layout().box(), 1, [&](int j, int k) {
    double largest = 1;
    along_line(j, k, [&](double ratio) { largest = std::max(largest, ratio); });
    return largest;
  });
  jumps.largest = processes.largest(own_largest);
  if (jumps.largest < Jumps::large) return jumps;
  const double count = cpu::sum_over_lines(space, cells.layout().box(), [&](int j, int k) {
    int found = 0;
    along_line(j, k, [&](double ratio) { found += ratio >= Jumps::large; });
    return static_cast<double>(found);
  });
  jumps.share = count / (static_cast<double>(space.size()) * (space.all()[2] > 1 ? 3 : 2));
  return jumps;
}

}  // namespace poisson
