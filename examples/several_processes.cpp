// Shows how a program that uses MPI itself solves a problem on all of its processes. The problem is −Δu = 3π² sin πx
// sin πy sin πz in the unit cube. Each process stores a sub-block of the grid and its values of the solution.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "backends/mpi/mpi_processes.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"

namespace {

// Every process calls this between MPI_Init_thread and MPI_Finalize.
int solve_together() {
  using namespace poisson;
  constexpr double pi = std::numbers::pi;

  // A thread of each process watches the other processes. It calls this function once before it ends a run that has
  // lost a process.
  const auto processes = mpi_processes(
      [](Moment, std::span<const LostProcess>) { std::fputs("a process is lost: the run ends\n", stderr); });

  Problem problem;
  for (auto& axis : problem.nodes) axis = uniform_nodes(0, 1, 64);
  const auto wave = [](double x, double y, double z) { return std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z); };
  problem.exact = wave;
  problem.source = [wave](double x, double y, double z) { return 3 * pi * pi * wave(x, y, z); };

  // choose_parts returns the number of parts along each axis: slabs of at least four values, or blocks.
  Sharing sharing;
  sharing.processes = processes;
  sharing.parts = choose_parts(make_block(problem), processes->count());

  const auto backend = make_cpu_backend();
  const Discretization discretization(*backend, std::move(problem), Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(discretization, {});
  discretization.assemble_rhs(solver->rhs());
  discretization.initialize(solver->solution());
  const Result result = solver->solve(/*given_guess=*/false);  // collective, like all calls above

  // Sums and norms cover all processes. The values are those of this process, x fastest, starting at index `first`.
  const double error = error_norms(discretization, solver->solution()).max;
  const Pieces own = gather_values(discretization.block(), solver->solution());
  const std::vector<double> u = own.all();
  const double largest = *std::ranges::max_element(u);
  double of_all = 0;
  MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  std::printf("process %d of %d: %d x %d x %d values from z index %d on, the largest %.6f\n", processes->rank(),
              processes->count(), own.shape[0], own.shape[1], own.shape[2], own.first[2], largest);
  if (processes->first())
    std::printf("%d iterations, residual %.1e, largest u %.6f, error %.1e\n", result.iterations, result.relative(),
                of_all, error);
  return result.converged() && error < 3e-4 && of_all > 0.999 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int status = solve_together();
  MPI_Finalize();
  return status;
}
