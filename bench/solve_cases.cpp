#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/cases.hpp"
#include "bench/solve_problems.hpp"
#include "bench/stopwatch.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"

namespace poisson::bench {

struct SolveCase {
  Problem (*problem)(int cells);
  double tolerance = 1e-8;
  SolvePrecision precision = SolvePrecision::mixed;
  Krylov krylov = Krylov::none;
  /// Limits the relative error of a correct answer, in multiples of the tolerance and of h².
  double error_of_tolerance = 100, error_of_h2 = 0;
};

namespace {

const SolveCase constant{two_trig};
const SolveCase tight{two_trig, 1e-10};
const SolveCase wide{two_trig, 1e-8, SolvePrecision::double_};
const SolveCase smooth{smooth_coefficient, 1e-8, SolvePrecision::mixed, Krylov::none, 100, 100};
// The error is that of the largest cells, up to 12 times as wide as equal ones.
const SolveCase stretched_1e3{
    [](int n) { return stretched(n, 1e3, 1); }, 1e-8, SolvePrecision::mixed, Krylov::none, 100, 60};
const SolveCase stretched_1e5{
    [](int n) { return stretched(n, 1e5, 1); }, 1e-8, SolvePrecision::mixed, Krylov::none, 100, 60};
const SolveCase stretched_yz{
    [](int n) { return stretched(n, 1e3, 2); }, 1e-8, SolvePrecision::mixed, Krylov::none, 100, 60};
const SolveCase jump{jumping_coefficient, 1e-8, SolvePrecision::mixed, Krylov::cg};

constexpr std::array table{
    Case{"solve", "constant coefficient to 1e-8, mixed precision", nullptr, &constant},
    Case{"solve-1e-10", "the same to 1e-10", nullptr, &tight},
    Case{"solve-double", "the same to 1e-8 in fp64", nullptr, &wide},
    Case{"smooth", "smoothly varying coefficient", nullptr, &smooth},
    Case{"stretched-1e3", "cells that grow by 1e3 along z", nullptr, &stretched_1e3},
    Case{"stretched-1e5", "cells that grow by 1e5 along z", nullptr, &stretched_1e5},
    Case{"stretched-yz-1e3", "cells that grow by 1e3 along y and z", nullptr, &stretched_yz},
    Case{"jump", "coefficient 1e6 in a sphere, conjugate gradients", nullptr, &jump},
};

[[noreturn]] void refuse(const Case& which, const std::string& problem, const std::string& reason) {
  throw RunError("the answer of " + std::string(which.name) + " is wrong (" + problem + "; " + reason +
                 "): no time of a wrong solve is worth printing; run the tests");
}

}  // namespace

std::span<const Case> solve_cases() {
  return table;
}

Measurement measure_solve(const Case& which, int cells, const Setting& setting) {
  const SolveCase& c = *which.solve;
  Options options{.method = Method::multigrid};
  options.tolerance = c.tolerance;
  options.precision = c.precision;
  options.krylov = c.krylov;
  Measurement m;
  m.name = which.name;
  m.cells = cells;

  const auto backend = make_backend(setting.device);
  Scalar norm = backend->scalar();
  const Scalar one = backend->scalar(1);
  const Problem problem = c.problem(cells);
  const Stopwatch setup;
  const Discretization d(*backend, problem);
  const auto solver = make_solver(d, options);
  solver->prepare(false);
  backend->value(one);  // waits
  m.setup = setup.seconds() - d.sampling_seconds();
  m.unknowns = d.unknowns();
  d.assemble_rhs(solver->rhs());

  Result result;
  std::vector<double> seconds;
  for (int run = 0; run <= setting.repeat; ++run) {
    backend->fill(solver->solution(), 0);
    backend->value(one);
    const Stopwatch watch;
    result = solver->solve(false);
    if (run == 0)
      m.first = watch.seconds();
    else
      seconds.push_back(watch.seconds());
  }
  summarize(seconds, m);
  m.cycles = result.iterations;
  m.bytes_per_unknown = static_cast<double>(backend->memory().peak()) / static_cast<double>(m.unknowns);

  if (!result.converged()) refuse(which, "it did not converge", std::string(name_of(result.verdict)));
  solver->A().residual(solver->solution(), solver->rhs(), solver->spare(), one, norm);
  m.residual = std::sqrt(backend->value(norm)) / result.reference;
  if (!(*m.residual <= 1.02 * c.tolerance)) refuse(which, "its true residual", std::to_string(*m.residual));
  if (problem.exact) {
    m.error = error_norms(d, solver->solution()).max;  // the exact solution's maximum is near 1
    const double bound = c.error_of_tolerance * c.tolerance + c.error_of_h2 / cells / cells;
    if (!(*m.error <= bound)) refuse(which, "its error", std::to_string(*m.error));
  }
  return m;
}

}  // namespace poisson::bench
