#pragma once

#include <functional>
#include <memory>

#include "app/cases/case.hpp"
#include "io/config/config.hpp"
#include "solver/effective.hpp"

namespace poisson {

/// Computes the effective coefficient that output.effective requests, axis by axis. All functions are collective.
class EffectiveAnswer {
 public:
  /// Begins with the first axis, along which `work` has been solved, and with all axes if they are periodic: these
  /// share the levels. `work` keeps its solution and is not needed afterwards. A first axis without a connection counts
  /// as converged. `stopped` is called after every iteration.
  EffectiveAnswer(const Config& config, Case& work, const std::function<bool()>& stopped, Summary& summary);

  /// Solves the problem along each other axis with fixed faces on `backend`, and stores the answer in
  /// summary.effective.
  void finish(Backend& backend, const std::shared_ptr<const Processes>& processes, const std::function<bool()>& stopped,
              Summary& summary);

 private:
  void add_axis(Case& work, int axis, bool converged);

  const Config& config_;
  EffectiveTally tally_;
};

}  // namespace poisson
