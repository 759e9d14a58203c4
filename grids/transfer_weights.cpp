#include "grids/transfer_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace poisson {
namespace {

// For each fine value the last coarse value at or before it.
std::vector<int> coarse_at_or_before(const Axis& fine, const CoarseAxis& coarse) {
  std::vector<int> left(static_cast<std::size_t>(fine.size()));
  int at = 0;
  for (int i = 0; i < fine.size(); ++i) {
    if (at + 1 < coarse.axis.size() && coarse.fine[static_cast<std::size_t>(at) + 1] == i) ++at;
    left[static_cast<std::size_t>(i)] = at;
  }
  return left;
}

// By how much interpolation may enlarge errors of the coarse values. Equidistant nodes have 1.25, 1.63 next to an end;
// where a wide cell follows one of 1/r of its width, about r/5, and next to an end more.
constexpr double largest_amplification = 30;

double amplification(const std::array<double, 4>& weight) {
  double sum = 0;
  for (const double w : weight) sum += std::abs(w);
  return sum;
}

}  // namespace

LinearWeights linear_weights(const Axis& fine, const CoarseAxis& coarse) {
  LinearWeights w;
  w.left = coarse_at_or_before(fine, coarse);
  w.weight.assign(w.left.size(), 1.0);
  w.centre = coarse.fine;
  const auto coarse_size = static_cast<std::size_t>(coarse.axis.size());
  w.before.assign(coarse_size, 0.0);
  w.after.assign(coarse_size, 0.0);
  for (int i = 0; i < fine.size(); ++i) {
    const auto at = static_cast<std::size_t>(i), left = static_cast<std::size_t>(w.left[at]);
    if (coarse.fine[left] == i) continue;
    w.weight[at] = fine.width(i) / (fine.width(i - 1) + fine.width(i));
    w.after[left] = w.weight[at];
    w.before[(left + 1) % coarse_size] = 1 - w.weight[at];
  }
  return w;
}

CubicWeights cubic_weights(const Axis& fine, const CoarseAxis& coarse) {
  CubicWeights w;
  const Axis& axis = coarse.axis;
  const int n = axis.size();
  const std::vector<int> left = coarse_at_or_before(fine, coarse);
  const double period = axis.nodes().back() - axis.nodes().front();
  const auto coordinate = [&](int I) {  // of coarse values beyond the ends of a periodic axis too
    const int turns = I < 0 ? -1 : I / n;
    return axis.point(I - turns * n) + turns * period;
  };
  for (int i = 0; i < fine.size(); ++i) {
    std::array<int, 4> at{};
    std::array<double, 4> weight{};
    const auto interpolate = [&](int start, int points) {
      const double x = fine.point(i);
      for (int p = 0; p < points; ++p) {
        double product = 1;
        for (int q = 0; q < points; ++q)
          if (q != p) product *= (x - coordinate(start + q)) / (coordinate(start + p) - coordinate(start + q));
        at[static_cast<std::size_t>(p)] = (start + p + n) % n;
        weight[static_cast<std::size_t>(p)] = product;
      }
    };
    const int l = left[static_cast<std::size_t>(i)];
    if (coarse.fine[static_cast<std::size_t>(l)] == i) {
      at.fill(l);
      weight[0] = 1;
    } else {
      const int points = axis.periodic() ? std::min(4, n + 1) : std::min(4, n);
      interpolate(axis.periodic() ? l - (points == 4 ? 1 : 0) : std::clamp(l - 1, 0, n - points), points);
      if (amplification(weight) > largest_amplification) {
        weight = {};
        interpolate(l, 2);
      }
    }
    w.at.push_back(at);
    w.weight.push_back(weight);
  }
  return w;
}

}  // namespace poisson
