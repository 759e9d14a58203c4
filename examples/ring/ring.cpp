#include "examples/ring/ring.hpp"

#include <cstdio>

#include "backends/cpu/visit.hpp"
#include "solver/solver.hpp"

int main() {
  using namespace poisson;
  const auto backend = make_cpu_backend();
  const Space space = ring::make_space(24, 20, {17, 64, 31}, one_process());
  Field kappa(*backend, space, Precision::fp64);
  backend->fill(kappa, 3);
  SolverParts parts;
  parts.hierarchy.operators = {parts.A = std::make_shared<const ring::Diffusion>(std::move(kappa))};
  parts.options.method = Method::cg;
  parts.options.precision = SolvePrecision::double_;
  parts.options = parts.options.choose(1);
  Solver solver(std::move(parts));
  cpu::visit<double>(solver.rhs(), [](double& b, auto& patch, int i, int, int) { b = patch.number == 1 ? i : 0; });
  const Result result = solver.solve(false);
  std::printf("%d iterations, residual %.1e\n", result.iterations, result.relative());
  return result.converged() ? 0 : 1;
}
