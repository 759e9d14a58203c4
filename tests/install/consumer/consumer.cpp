// This external program uses only the installed library: −Δu = 3π² sin πx sin πy sin πz in the unit cube.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include <poisson/poisson.hpp>

int main() {
  constexpr double pi = std::numbers::pi;
  poisson::Problem problem;
  for (auto& axis : problem.nodes) axis = poisson::uniform_nodes(0, 1, 32);
  const auto wave = [](double x, double y, double z) { return std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z); };
  problem.exact = wave;
  problem.source = [wave](double x, double y, double z) { return 3 * pi * pi * wave(x, y, z); };
  const auto backend = poisson::make_cpu_backend();
  const poisson::Discretization discretization(*backend, std::move(problem));
  const auto solver = poisson::make_solver(discretization, {});
  discretization.assemble_rhs(solver->rhs());
  discretization.initialize(solver->solution());
  const poisson::Result result = solver->solve(false);
  const double error = poisson::error_norms(discretization, solver->solution()).max;
  std::printf("%d iterations, error %.2e\n", result.iterations, error);
  return result.converged() && error < 1e-3 ? 0 : 1;
}
