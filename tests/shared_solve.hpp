#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "grids/levels/sharing.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"
#include "tests/parts.hpp"

/// These functions solve problems on several processes, each of which calls `solve`.
namespace poisson {

struct Case {
  std::string name;
  Problem problem;
  Options options{.method = Method::multigrid};
};
inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

struct Solved {
  std::vector<double> u;  // global, x fastest
  Result result;
  SolutionNorms norms;
  Balance balance;
};

// Solves a case on this process. `beside` forces or forbids the overlap of communication with computation, for boxes of
// any size.
inline Solved solve(const Case& c, const Sharing& sharing, std::vector<double>& all, bool beside = true,
                    Assembly assembly = Assembly::automatic) {
  const auto backend = test_backend();
  backend->set_least_beside(beside ? 1 : 0);
  const Discretization d(*backend, c.problem, assembly, Sampling::automatic, sharing);
  const auto solver = make_solver(d, c.options);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  Solved solved;
  solved.result = solver->solve(false);
  put_part(solver->solution(), all);
  solved.norms = solution_norms(d, solver->solution());
  solved.balance = balance(d, solver->A(), solver->solution(), solver->rhs(), solver->spare());
  return solved;
}

/// Returns the largest difference of two fields; NaN is kept.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    most = difference <= most ? most : difference;
  }
  return most;
}
inline double largest_magnitude(const std::vector<double>& a) {
  double most = 0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace poisson
