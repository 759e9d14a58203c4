#pragma once

#include <array>
#include <limits>
#include <vector>

namespace poisson {

/// Is the difference of u across the domain that drives a flow along an axis.
inline constexpr double driving_rise = -1;

/// Contains the effective coefficient of a domain: tensor[j][a] is the mean flux along j over the mean gradient along
/// a; NaN for axes that were not solved or failed, 0 for axes along which nothing percolates.
struct Effective {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<int> axes, failed;  ///< requested; did not converge
  bool periodic = false;
  int iterations = 0;  ///< of all solves; in a summary, of those after the first
  std::array<std::array<double, 3>, 3> tensor{
      {{unknown, unknown, unknown}, {unknown, unknown, unknown}, {unknown, unknown, unknown}}};
  std::array<double, 3> tortuosity{unknown, unknown, unknown};  ///< mean coefficient over its effective one
  std::array<bool, 3> percolates{};                             ///< whether conducting cells connect both faces
  double porosity = unknown;                                    ///< share of the volume that conducts
};

}  // namespace poisson
