// Heat conduction in a block that a machine warms from below and air cools from above, solved without a configuration:
// a problem is a few quantities, a solver keeps its levels and takes any number of right-hand sides.
#include <cstdio>

#include "grids/discretization.hpp"
#include "grids/integrals.hpp"
#include "grids/stretching.hpp"
#include "solver/solver.hpp"

int main() {
  using namespace poisson;

  Problem problem;
  problem.nodes = {uniform_nodes(0, 0.2, 80), uniform_nodes(0, 0.1, 40),
                   tanh_nodes(0, 0.05, 40, 1.5, StretchedEnd::upper)};
  problem.coefficient[0] = 45.0;  // W/(m K), steel
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;                              // insulated
  problem.boundary[2][0].value = [](double x, double, double) { return x < 0.1 ? 2e4 : 0.0; };  // W/m²
  problem.boundary[2][1] = {BoundaryKind::robin, /*value*/ 25.0 * 293, /*alpha*/ 25.0};         // air at 293 K

  const auto backend = make_cpu_backend();
  const Discretization discretization(*backend, problem);
  Options options;
  options.tolerance = 1e-9;
  const auto solver = make_solver(discretization, options);

  discretization.assemble_rhs(solver->rhs());
  discretization.initialize(solver->solution());
  const Result first = solver->solve(/*given_guess=*/false);
  const SolutionNorms norms = solution_norms(discretization.block(), solver->solution());
  const Balance heat = balance(discretization, solver->A(), solver->solution(), solver->rhs(), solver->spare());
  std::printf("%d cycles, residual %.1e, %.2f K to %.2f K, %.3f W in, %.3f W out\n", first.iterations, first.relative(),
              norms.min, norms.max, heat.flux[4], -heat.flux[5]);

  // Twice the heat on the same levels, from the solution at hand: u was linear in the data but for the air.
  const Scalar two = backend->scalar(2);
  backend->scale(two, solver->rhs(), solver->rhs());
  const Result second = solver->solve(/*given_guess=*/true);
  std::printf("%d cycles more, residual %.1e, mean %.2f K\n", second.iterations, second.relative(),
              solution_norms(discretization.block(), solver->solution()).integral / (0.2 * 0.1 * 0.05));
  return first.converged() && second.converged() ? 0 : 1;
}
