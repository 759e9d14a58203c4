// Solves heat conduction in a block that a machine warms from below and air cools from above, without a configuration
// file. The program defines the problem, makes a solver, reads the values as an array, and solves again for another
// load and for another material.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/integrals.hpp"
#include "solver/grid_model.hpp"

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
  GridModel model(*backend, std::move(problem));  // owns the problem from here
  Options options;
  options.tolerance = 1e-9;
  const auto solver = make_solver(model, options);

  model.fill(solver->rhs(), solver->solution());
  const Result first = solver->solve(/*given_guess=*/false);
  const SolutionNorms norms = solution_norms(model.discretization(), solver->solution());
  const Balance heat = balance(model.discretization(), solver->A(), solver->solution(), solver->rhs(), solver->spare());
  std::printf("%d iterations, residual %.1e, %.2f K to %.2f K, %.3f W in, %.3f W out\n", first.iterations,
              first.relative(), norms.min, norms.max, heat.flux.at("z-"), -heat.flux.at("z+"));

  // T contains the temperature at every node, x fastest.
  const Block block = model.discretization().block();
  const std::vector<double> T = gather_values(block, solver->solution()).all();
  const std::array<int, 3> n = file_shape(block);
  const auto hottest = static_cast<int>(std::ranges::max_element(T) - T.begin());
  std::printf("%d x %d x %d values, the largest %.2f K at x = %.3f m, y = %.3f m, z = %.3f m\n", n[0], n[1], n[2],
              T[static_cast<std::size_t>(hottest)], block.axes[0].point(hottest % n[0]),
              block.axes[1].point(hottest / n[0] % n[1]), block.axes[2].point(hottest / (n[0] * n[1])));

  // Solve with another load on the same levels. The current solution is the starting guess.
  const auto load = [](double, double, double z) { return z < 0.01 ? 1e5 : 0.0; };  // W/m³
  model.update({.source = load, .faces = {{/*axis*/ 2, /*lower*/ 0, 1e4}}});
  model.discretization().assemble_rhs(solver->rhs());
  const Result second = solver->solve(/*given_guess=*/true);
  std::printf("%d iterations more, residual %.1e, mean %.2f K\n", second.iterations, second.relative(),
              solution_norms(model.discretization(), solver->solution()).integral / (0.2 * 0.1 * 0.05));

  // Solve for another material. The solver makes its levels again; its fields keep their memory.
  model.update({.coefficient = {200.0}});  // W/(m K), aluminium
  solver->update();
  model.discretization().assemble_rhs(solver->rhs());
  const Result third = solver->solve(/*given_guess=*/true);
  const SolutionNorms aluminium = solution_norms(model.discretization(), solver->solution());
  std::printf("aluminium: residual %.1e, %.2f K to %.2f K\n", third.relative(), aluminium.min, aluminium.max);
  return first.converged() && second.converged() && third.converged() ? 0 : 1;
}
