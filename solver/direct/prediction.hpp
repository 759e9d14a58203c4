#pragma once

#include <array>

#include "solver/plan.hpp"

namespace poisson {

/// Seconds that a direct solution will take, by what it moves and computes, with the loading of its libraries and the
/// making of the modes; on one core or one GPU of a kind (assembly.hpp), or on one for each part.
double predicted_direct_seconds(const Problem& problem, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts = uncut_axes);
/// Those of multigrid as it is planned.
double predicted_multigrid_seconds(const Plan& plan, bool gpu, const Parts& parts = uncut_axes);

/// The choice between both.
struct MethodPrediction {
  double direct, multigrid;  ///< seconds on the processes at hand
  bool takes_direct;         ///< where it is clearly faster
  bool as_one;               ///< the processes choose as one would, though the other method is predicted to be faster
};
/// Several processes choose as one would, so that a problem is solved alike however it is cut, unless that costs them
/// much. `plan`: of multigrid.
MethodPrediction predict_method(const Problem& problem, const Plan& plan, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts);

}  // namespace poisson
