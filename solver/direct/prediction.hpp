#pragma once

#include <array>

#include "solver/plan.hpp"

namespace poisson {

/// Predicts the seconds of a direct solution from its traffic and operations. If it is the only one, they include the
/// loading of libraries and the computation of modes. The prediction is for one core or GPU (assembly.hpp), or for one
/// per part.
double predicted_direct_seconds(const Problem& problem, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts = uncut_axes, bool only = true);
/// Predicts the seconds of multigrid for a plan.
double predicted_multigrid_seconds(const Plan& plan, bool gpu, const Parts& parts = uncut_axes);

/// Reports the choice between a direct solution and multigrid.
struct MethodPrediction {
  double direct, multigrid;  ///< seconds on the given processes
  bool takes_direct;         ///< the direct solver is clearly faster
  bool as_one;               ///< processes follow the choice of one process against the prediction
};
/// Predicts both times and chooses. Several processes choose as one process would, so that the partition does not
/// change the method, unless that costs much time. `plan` is a multigrid plan.
MethodPrediction predict_method(const Problem& problem, const Plan& plan, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts);

}  // namespace poisson
