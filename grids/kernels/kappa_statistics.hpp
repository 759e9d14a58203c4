#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/device/backend.hpp"
#include "grids/sampling/cell_tensor.hpp"
#include "grids/sampling/sampler.hpp"

/// Statistics of κ on any device. Functors compute one term for each cell; a device adds the terms or finds the
/// largest.
namespace poisson::kappa_statistics {

template <class X>
struct Magnitude {
  View<const X> x;
  constexpr double operator()(int i, int j, int k) const {
    const auto value = static_cast<double>(x(i, j, k));
    return value < 0 ? -value : value;
  }
};

/// Calls f(ratio ≥ 1) for each lower neighbour of a cell. Cells at the grid's lower ends have no lower neighbour.
struct LowerNeighbours {
  View<const double> cells;
  int origin[3];

  template <class F>
  constexpr void operator()(int i, int j, int k, const F& f) const {
    const double here = cells(i, j, k);
    const auto compare = [&](double there) { f(here < there ? there / here : here / there); };
    if (origin[0] + i > 0) compare(cells(i - 1, j, k));
    if (origin[1] + j > 0) compare(cells(i, j - 1, k));
    if (origin[2] + k > 0) compare(cells(i, j, k - 1));
  }
};
struct LargestRatio {
  LowerNeighbours neighbours;
  constexpr double operator()(int i, int j, int k) const {
    double largest = 1;
    neighbours(i, j, k, [&](double ratio) { largest = ratio > largest ? ratio : largest; });
    return largest;
  }
};
struct LargeRatios {
  LowerNeighbours neighbours;
  constexpr double operator()(int i, int j, int k) const {
    double count = 0;
    neighbours(i, j, k, [&](double ratio) { count += ratio >= Jumps::large; });
    return count;
  }
};

struct IsSteep {
  constexpr double operator()(double here, double there) const {
    return here >= Jumps::steep * there || there >= Jumps::steep * here ? 1 : 0;
  }
};
struct LogRatio {
  constexpr double operator()(double here, double there) const { return std::abs(std::log(here / there)); }
};
/// Computes f(κ of a cell, κ of its lower neighbour along an axis).
template <class F>
struct OfNeighbour {
  View<const double> cells;
  int axis;
  constexpr double operator()(int i, int j, int k) const {
    return F{}(cells(i, j, k), cells(i - (axis == 0), j - (axis == 1), k - (axis == 2)));
  }
};

/// Computes 1 for a tensor that is not positive definite.
struct Indefinite {
  View<const double> diagonal[3]{}, offdiagonal[3]{};  ///< have no data for components that are missing

  explicit Indefinite(const CellTensors& kappa) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (kappa.diagonal[d]) diagonal[d] = kappa.diagonal[d]->view<double>();
      if (kappa.offdiagonal[d]) offdiagonal[d] = kappa.offdiagonal[d]->view<double>();
    }
  }
  constexpr double operator()(int i, int j, int k) const {
    double d[3] = {1, 1, 1}, m[3] = {};
    for (int n = 0; n < 3; ++n) {
      if (diagonal[n].data) d[n] = diagonal[n](i, j, k);
      if (offdiagonal[n].data) m[n] = offdiagonal[n](i, j, k);
    }
    return is_definite(d[0], d[1], d[2], m[0], m[1], m[2]) ? 0 : 1;
  }
};

/// Measures the jumps of κ between neighbouring cells. `own` are the extremes of this process. `Device` has two
/// functions: largest(box, functor) of the terms ≥ 0 of this process, and sum(box, functor) over all processes.
/// Collective.
template <class Device>
Jumps measure_jumps(const Field& cells, const Extremes& own, const Device& device) {
  const Space& space = cells.space();
  const Processes& processes = space.processes();
  if (!space.is_global()) cells.backend().exchange(cells);
  const View<const double> kappa = cells.view<double>();
  const Box all = cells.layout().box();
  const std::array<int, 3> origin = space.part().origin();
  const LowerNeighbours neighbours{kappa, {origin[0], origin[1], origin[2]}};
  Jumps jumps;
  const double largest = processes.largest(own.largest);
  if (const double least = processes.least(own.least); least > 0) jumps.range = largest / least;
  jumps.largest = std::max(1.0, processes.largest(device.largest(all, LargestRatio{neighbours})));
  const auto count = static_cast<double>(space.size());
  const auto sum_along = [&](std::size_t d, const auto& of) {
    if (space.part().all()[d] == 1) return 0.0;
    Box box = all;
    if (origin[d] == 0) box.first[d] = std::min(1, box.last[d]);
    return device.sum(box, OfNeighbour<std::decay_t<decltype(of)>>{kappa, static_cast<int>(d)});
  };
  for (std::size_t d = 0; d < 3; ++d) {
    if (jumps.largest >= Jumps::steep)
      jumps.steep_along[d] = sum_along(d, IsSteep()) / count;
    else if (jumps.smooth_and_wide())
      jumps.variation = std::max(jumps.variation, sum_along(d, LogRatio()) * space.part().all()[d] / count);
  }
  if (jumps.largest >= Jumps::large)
    jumps.share = device.sum(all, LargeRatios{neighbours}) / (count * (space.part().all()[2] > 1 ? 3 : 2));
  return jumps;
}

}  // namespace poisson::kappa_statistics
