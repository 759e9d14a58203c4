#pragma once

#include <array>
#include <map>
#include <vector>

#include "grids/problem/media_description.hpp"
#include "grids/results/effective.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Sets the conditions of an effective coefficient along an axis: u is 1 and 0 on the faces across the axis, and
/// nothing flows through the others; or all faces are periodic, and add_rise drives the flow.
void drive_faces(Problem& problem, int axis, bool periodic);

/// Collects the answers of solves along axes. The discretizations have media. All functions are collective.
class EffectiveTally {
 public:
  EffectiveTally(std::vector<int> axes, bool periodic) : effective_{std::move(axes), {}, periodic} {}

  /// Adds the solve along an axis. An axis without a connection has the coefficient 0, whatever the solve found.
  void add(const Discretization& discretization, const Field& u, int axis, bool converged);
  /// Counts an axis that was not solved as failed.
  void fail(int axis) { effective_.failed.push_back(axis); }
  void count(int iterations) { effective_.iterations += iterations; }
  /// Adds the porosity and the mean coefficient, which are those of all axes.
  void add_means(const Discretization& discretization);
  bool percolates(int axis) const { return effective_.percolates[static_cast<std::size_t>(axis)]; }
  /// Returns the answer with its tortuosities.
  Effective finish() const;

 private:
  Effective effective_;
  std::array<double, 3> mean_kappa_{};
};

/// Selects the solves of effective().
struct EffectiveOptions {
  std::vector<int> axes = {};  ///< empty: all
  bool periodic = false;
  double flow_tolerance = 0;  ///< > 0: a solve ends when its flow has settled
  Options solver = {};
};

/// Computes the effective coefficient of a problem with media and without sources, whose faces it sets:
///
///     effective(*backend, image, {{0, 1.0}, {255, 0.0}}, {.flow_tolerance = 1e-4}).tensor[0][0]
///
/// With an image, each voxel is a cell, `coefficients` has the coefficient of each label, and 0 is an insulator. Throws
/// std::invalid_argument for a problem without media, and for labels or axes that do not fit. One process.
Effective effective(Backend& backend, const Problem& problem, const EffectiveOptions& options = {});
Effective effective(Backend& backend, const ByteImage& image, const std::map<int, double>& coefficients,
                    const EffectiveOptions& options = {});

}  // namespace poisson
