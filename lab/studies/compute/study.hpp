#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "backends/field.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// A five-point stencil in two dimensions whose entries cost `steps` fused multiply-adds each:
/// y(i, j) = Σ_d w_d e_d, with e_d the neighbour's value after `steps` times e ← a_d e + b. Beyond the ends x is zero.
struct ExpensiveStencil {
  int steps;
  /// x and y of one two-dimensional layout and of one precision.
  void (*apply)(const Field& x, Field& y);
};
/// From cheap to expensive. Only in builds with CUDA.
std::span<const ExpensiveStencil> expensive_stencils();

/// In the order centre, x−, x+, y−, y+. The factors differ, or neighbours would share entries of one value.
inline constexpr std::array<double, 5> stencil_weights{0.5, 0.125, 0.125, 0.125, 0.125};
inline constexpr std::array<double, 5> entry_factors{0.75, 0.625, 0.5, 0.875, 0.6875};
inline constexpr double entry_shift = 0.25;

/// Operations and least traffic of a point: x read once, y written once.
constexpr double operations_per_point(int steps) {
  return 2.0 * 5 * (steps + 1);
}
constexpr double bytes_per_point(Precision precision) {
  return 2.0 * static_cast<double>(bytes_of(precision));
}

/// The stencil's value where x holds `neighbours`, in the order of the weights.
double expensive_value(const std::array<double, 5>& neighbours, int steps);

/// Seconds that a bandwidth (B/s) and a peak (operations per second) leave at least.
double predicted_seconds(double bytes, double operations, double bandwidth, double peak);

/// Of the panels roofline (operations per byte, GFLOP/s; guides "prediction, fp32" and "prediction, fp64") and time
/// (operations per point, ns per 1000 points).
/// Of the panel "roofline": the stencils over a grid in the cache, and the beginning of the name of its roof.
inline constexpr std::string_view in_cache = "fp32, grid in the cache", cache_roof = "roof of the cache";
/// The solver's own operations as points of the panel "roofline". Only in builds with CUDA.
void measure_verbs(Session& session, Panel& roofline);
inline constexpr std::array verb_names{"y += a x", "x · y", "A u, 7 points", "b - A u, 7 points"};

/// The roof of a precision in the panel "roofline": three points, the ridge in the middle; a null pointer without it.
const Guide* prediction_of(const Panel& panel, std::string_view precision);

std::vector<std::string> conclude_compute(const std::vector<Panel>& panels);

}  // namespace poisson::lab
