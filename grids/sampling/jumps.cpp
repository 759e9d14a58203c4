#include "grids/sampling/jumps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"

namespace poisson {

void Jumps::join(const Jumps& other) {
  largest = std::max(largest, other.largest);
  range = std::max(range, other.range);
  share = std::max(share, other.share);
  variation = std::max(variation, other.variation);
  for (std::size_t d = 0; d < 3; ++d) steep_along[d] = std::max(steep_along[d], other.steep_along[d]);
}

namespace {

double is_steep(double here, double there) {
  return here >= Jumps::steep * there || there >= Jumps::steep * here ? 1 : 0;
}
double log_ratio(double here, double there) {
  return std::abs(std::log(here / there));
}

// Returns Σ f(κ of a cell, κ of its lower neighbour along an axis).
template <class F>
double sum_over_neighbours(const Field& cells, std::size_t axis, const F& f) {
  const auto view = cells.view<double>();
  const Space& space = cells.space();
  if (space.all()[axis] == 1) return 0;
  const std::array<int, 3> origin = space.origin(), back{axis == 0, axis == 1, axis == 2};
  Box box = cells.layout().box();
  if (origin[axis] == 0) box.first[axis] = std::min(1, box.last[axis]);
  return cpu::sum_over_lines(space, box, [&](int j, int k) {
    double sum = 0;
    for (int i = box.first[0]; i < box.last[0]; ++i)
      sum += f(view(i, j, k), view(i - back[0], j - back[1], k - back[2]));
    return sum;
  });
}

}  // namespace

Jumps jumps_between_cells(const Field& cells) {
  const auto view = cells.view<double>();
  const Space& space = cells.space();
  const Processes& processes = space.processes();
  const auto [x, y, z] = space.origin();
  if (!space.is_global()) cells.backend().exchange(cells);
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
  const auto all = static_cast<double>(space.size());
  for (std::size_t d = 0; d < 3; ++d) {
    if (jumps.largest >= Jumps::steep)
      jumps.steep_along[d] = sum_over_neighbours(cells, d, is_steep) / all;
    else if (jumps.smooth_and_wide())
      jumps.variation = std::max(jumps.variation, sum_over_neighbours(cells, d, log_ratio) * space.all()[d] / all);
  }
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
