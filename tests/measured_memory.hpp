#pragma once

#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"

namespace poisson {

/// Contains the largest memory of one process during a solve, in bytes, and the plan of that solve.
struct MeasuredMemory {
  double peak;
  KappaSummary kappa;
  Plan plan;
};

/// Runs one iteration on the device of the tests. Collective.
inline MeasuredMemory measure_memory(const Problem& problem, Options options, const Sharing& sharing) {
  const auto backend = test_backend();
  options.tolerance = 0;
  options.max_iterations = 1;
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(d, options);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  solver->solve(false);
  const KappaSummary kappa{d.rows().kappa, d.jumps()};
  return {static_cast<double>(backend->memory().peak()), kappa,
          make_plan(problem, options, Assembly::automatic, !on_cpu(), kappa, sharing)};
}

}  // namespace poisson
