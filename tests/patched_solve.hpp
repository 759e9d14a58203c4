#pragma once

// A problem on a grid of any size, and its solution on the whole grid or on patches.

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "solver/patched_model.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson::patched {

struct Kind {
  Scheme scheme;
  Centering centering;
  bool varying;
};

/// Returns a problem with `sizes` values: boxes of different widths unless `equal`, and κ over two orders of magnitude
/// if it varies.
inline Problem problem_of(const Kind& kind, const std::array<bool, 3>& periodic = {}, bool equal = false,
                          const std::array<int, 3>& sizes = {24, 21, 112}) {
  Problem p;
  p.scheme = kind.scheme;
  p.centering = kind.centering;
  p.boundary[0][1] = {BoundaryKind::neumann, 0.3};
  p.boundary[1][0] = {BoundaryKind::dirichlet, 0.5};
  for (std::size_t d = 0; d < 3; ++d) {
    const int cells = kind.centering == Centering::cell || periodic[d] ? sizes[d] : sizes[d] - 1;
    for (int i = 0; i <= cells; ++i) p.nodes[d].push_back(i + (d == 1 && !equal ? 0.1 * std::sin(i) : 0));
    if (periodic[d])
      for (Boundary& face : p.boundary[d]) face = {BoundaryKind::periodic};
  }
  p.source = [](double x, double y, double z) { return std::cos(0.3 * x + 0.2 * y) + std::sin(0.17 * z); };
  if (kind.varying)
    p.coefficient[0] = [](double x, double y, double z) {
      return std::exp(2 * std::sin(0.15 * x) * std::cos(0.1 * y) + std::sin(0.1 * z));
    };
  return p;
}

/// Returns the number of values of the global grid.
inline std::size_t values_of(const Problem& problem) {
  std::size_t values = 1;
  for (const int n : make_block(problem).layout().n) values *= static_cast<std::size_t>(n);
  return values;
}

struct Solution {
  std::vector<double> u;
  std::vector<double> history;
  int iterations = 0, levels = 0;
};

inline Options options_of_tests() {
  Options options{.method = Method::multigrid};
  options.fallback = Fallback::never;
  options.tolerance = 1e-9;
  return options;
}

/// Solves a model, and stores the values of this process's part of the grid. `part` returns the solution on the part.
template <class Part>
Solution solve(const Model& model, const Options& options, const Part& part, std::vector<double>& u) {
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  const Result result = solver->solve(false);
  EXPECT_TRUE(result.converged()) << result.relative();
  const Field& of_part = part(solver->solution());
  const HostRead read(of_part);
  const auto& origin = of_part.space().part().origin();
  const auto& all = of_part.space().part().all();
  const View<const double> v = (*read).view<double>();
  for_each_value(v, false, [&](int i, int j, int k) {
    u[static_cast<std::size_t>(((k + origin[2]) * all[1] + j + origin[1]) * all[0] + i + origin[0])] = v(i, j, k);
  });
  return {{}, result.history, result.iterations, solver->levels()};
}

inline Solution solve_whole(const Problem& problem, const Options& options = options_of_tests()) {
  const auto backend = test_backend();
  std::vector<double> u(values_of(problem));
  Solution found = solve(
      GridModel(*backend, problem), options, [](const Field& solution) -> const Field& { return solution; }, u);
  found.u = u;
  return found;
}

/// Solves the problem on patches of these widths, as one of several processes. `u` gets the values of its part.
/// Collective.
inline Solution solve_part(const Problem& problem, const PatchedModel::Widths& widths, const Options& options,
                           const std::shared_ptr<const Processes>& processes, const std::vector<Orientation>& turns,
                           std::vector<double>& u) {
  const auto backend = test_backend();
  const PatchedModel model(*backend, problem, widths, processes, turns);
  Field part(*backend, model.part().space(), Precision::fp64);
  const auto gather = [&](const Field& solution) -> const Field& {
    backend->run_exchange(model.patches()->to_box, solution, part);
    return part;
  };
  return solve(model, options, gather, u);
}

/// Does the same with threads that act as processes.
inline Solution solve_patches(const Problem& problem, const PatchedModel::Widths& widths, int count,
                              const std::vector<Orientation>& turns = {}, const Options& options = options_of_tests()) {
  std::vector<double> u(values_of(problem));
  Solution found;
  as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
    const Solution own = solve_part(problem, widths, options, processes, turns, u);
    if (processes->first()) found = own;
  });
  found.u = u;
  return found;
}

}  // namespace poisson::patched
