#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "backends/device/field.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Describes a five-point stencil in two dimensions whose entries cost `steps` fused multiply-adds each: y(i, j) = Σ_d
/// w_d e_d, with e_d the neighbour's value after `steps` times e ← a_d e + b. Beyond the ends x is zero.
struct ExpensiveStencil {
  int steps;
  /// x and y have the same two-dimensional layout and precision.
  void (*apply)(const Field& x, Field& y);
};
/// Returns the stencils, from cheap to expensive. Exists in builds with CUDA only.
std::span<const ExpensiveStencil> expensive_stencils();

/// The order is centre, x−, x+, y−, y+. The factors differ, so that neighbours cannot share entries of one value.
inline constexpr std::array<double, 5> stencil_weights{0.5, 0.125, 0.125, 0.125, 0.125};
inline constexpr std::array<double, 5> entry_factors{0.75, 0.625, 0.5, 0.875, 0.6875};
inline constexpr double entry_shift = 0.25;

/// Return the operations and the least traffic of a point: x is read once, y is written once.
constexpr double operations_per_point(int steps) {
  return 2.0 * 5 * (steps + 1);
}
constexpr double bytes_per_point(Precision precision) {
  return 2.0 * static_cast<double>(bytes_of(precision));
}

/// Returns the stencil's value if x contains `neighbours`, in the order of the weights.
double expensive_value(const std::array<double, 5>& neighbours, int steps);

/// Returns the lower bound of the time that a bandwidth (B/s) and a peak (operations per second) imply.
double predicted_seconds(double bytes, double operations, double bandwidth, double peak);

/// A variant of the panel "roofline" runs the stencils on a grid in the cache. The name of its roof begins as below.
inline constexpr std::string_view in_cache = "fp32, grid in the cache", cache_roof = "roof of the cache";
/// Adds the solver's own operations as points to the panel "roofline". Exists in builds with CUDA only.
void measure_verbs(Session& session, Panel& roofline);
inline constexpr std::array verb_names{"y += a x", "x · y", "A u, 7 points", "b - A u, 7 points"};

/// Returns the roof of a precision in the panel "roofline", three points with the ridge in the middle, or nullptr.
const Guide* prediction_of(const Panel& panel, std::string_view precision);

/// Derives conclusions from the panels roofline (operations per byte, GFLOP/s; guides "prediction, fp32" and
/// "prediction, fp64") and time (operations per point, ns per 1000 points).
std::vector<std::string> conclude_compute(const std::vector<Panel>& panels);

}  // namespace poisson::lab
