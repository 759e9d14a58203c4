#include "grids/results/integrals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/device/backend.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

SolutionNorms solution_norms(const Discretization& discretization, const Field& u) {
  const Block block = discretization.block().global();
  const Functionals::Moments m = discretization.functionals().moments(u);
  SolutionNorms n{m.low.value, m.high.value, m.first, std::sqrt(m.second), {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    if (block.axes[d].degenerate()) continue;
    n.min_at[d] = block.axes[d].point(m.low.at[d]);
    n.max_at[d] = block.axes[d].point(m.high.at[d]);
  }
  return n;
}

namespace {

DifferenceMoments error_moments(const Discretization& discretization, const Field& u) {
  return discretization.sampler().measure({*discretization.problem().exact, "exact"}, u);
}

// Returns the mean of the difference, which a singular problem leaves undetermined; 0 for other problems.
double mean(const Discretization& discretization, const DifferenceMoments& m) {
  if (!discretization.rows().singular) return 0;
  double volume = 1;
  for (const Axis& axis : discretization.block().global().axes) {
    double length = 0;
    for (int i = 0; i < axis.size(); ++i) length += axis.mass(i);
    volume *= length;
  }
  return m.first / volume;
}

}  // namespace

double mean_error(const Discretization& discretization, const Field& u) {
  return discretization.rows().singular ? mean(discretization, error_moments(discretization, u)) : 0;
}

ErrorNorms error_norms(const Discretization& discretization, const Field& u) {
  const DifferenceMoments m = error_moments(discretization, u);
  const double middle = mean(discretization, m);
  return {std::max(m.high - middle, middle - m.low), std::sqrt(std::max(0.0, m.second - middle * m.first))};
}

double interpolate_at(const Block& part, const Field& u, std::span<const double> point) {
  const Block block = part.global();
  const Space& space = u.space();
  std::array<int, 3> low{};
  std::array<double, 3> t{};
  for (std::size_t d = 0; d < point.size(); ++d) {
    const std::vector<double>& x = block.axes[d].nodes();
    const auto next = std::upper_bound(x.begin() + 1, x.end() - 1, point[d]);
    low[d] = static_cast<int>(next - x.begin()) - 1;
    t[d] = (point[d] - *(next - 1)) / (*next - *(next - 1));
  }
  return dispatch(u.precision(), [&]<class T>(T) {
    const auto at = u.view<T>();
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      std::array<int, 3> i{};
      double weight = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const int up = corner >> d & 1;
        weight *= up ? t[d] : 1 - t[d];
        i[d] = low[d] + up;
        if (block.axes[d].periodic()) i[d] = (i[d] + block.axes[d].size()) % block.axes[d].size();
      }
      if (weight == 0) continue;
      bool here = true;
      for (std::size_t d = 0; d < 3; ++d) {
        i[d] -= space.part().origin()[d];
        here = here && i[d] >= 0 && i[d] < space.part().layout().n[d];
      }
      T value{};
      if (here) u.backend().read(&at(i[0], i[1], i[2]), &value, sizeof value);
      sum += weight * space.processes().sum(static_cast<double>(value));
    }
    return sum;
  });
}

}  // namespace poisson
