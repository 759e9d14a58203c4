#pragma once

#include <array>
#include <string>
#include <vector>

#include "grids/schemes/discretization.hpp"

namespace poisson {

/// Returns the flow out of each floating body with these values; `u` has the solution. `rise`: of u along periodic
/// axes. Collective.
std::vector<double> floating_flows(const Discretization& discretization, const Field& u,
                                   const std::vector<double>& values, const std::array<double, 3>& rise = {});

/// Contains the answers for a floating body.
struct FloatingResult {
  std::string name;        ///< of its first region
  std::int64_t cells = 0;  ///< whose centres lie in it
  double value = 0;        ///< of u
  double charge = 0;       ///< flow out of the body
  double wanted = 0;       ///< charge that was asked for
  bool held = false;       ///< a Dirichlet face gives the value
};
/// Computes the answers for all floating bodies. Collective.
std::vector<FloatingResult> floating_results(const Discretization& discretization, const Field& u,
                                             const std::array<double, 3>& rise = {});

}  // namespace poisson
