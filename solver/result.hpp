#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/device/monitor.hpp"

namespace poisson {

std::string_view name_of(Verdict verdict);

/// Reports how a solve ended.
struct Result {
  Verdict verdict = Verdict::running;  ///< running: the iteration limit came first
  int iterations = 0;
  double initial = 0;           ///< ‖b − Au₀‖ before full multigrid
  double reference = 0;         ///< max(‖b‖, ‖b − A·data‖); data: u with zero unknowns
  double final = 0;             ///< ‖b − Au‖
  std::vector<double> history;  ///< relative residuals, start first
  double estimated_error = 0;   ///< ‖u − A⁻¹b‖/‖u‖ in L2
  double rounding_floor = 0;    ///< rounding hides progress below this relative residual
  double rounding_limit = 4;    ///< a final residual below this multiple of the floor is limited by rounding
  double projected = 0;  ///< 1ᵀb that was removed from the data of a singular problem, in the units of the scaled b
  double extrapolated = 0;         ///< 1ᵀ(b that extrapolation added), in the same units
  bool settled = false;            ///< a stage of Solver::Stages ended the solve before the tolerance
  bool start_given_up = false;     ///< full multigrid diverged, and the iteration began at zero instead
  std::vector<std::string> steps;  ///< one line per fallback: reason, name, predicted cost, and whether it started
  std::string refused;             ///< line of the first fallback that was refused, else empty

  bool converged() const { return verdict == Verdict::converged; }
  double relative() const { return reference > 0 ? final / reference : 0; }
  /// Returns whether rounding limits the final residual.
  bool at_rounding_floor() const;
};

}  // namespace poisson
