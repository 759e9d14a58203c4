// Solves the pressure step of pressure_steps.cpp on several processes: −∇·(1/ρ ∇p) = −∇·v/Δt with a density that moves.
// Each process has the arrays of its slab in the memory of its device: of the CPU, or of its GPU with the argument
// cuda.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <poisson/poisson.hpp>

#include "backends/mpi/mpi_processes.hpp"

namespace {

using namespace poisson;

constexpr int n = 32;
constexpr double h = 1.0 / n, dt = 0.01;
constexpr std::size_t plane = std::size_t{n} * n;

// Planes of cells that a process stores, of all n.
struct Slab {
  int first, last;
  std::size_t cells() const { return plane * static_cast<std::size_t>(last - first); }
  std::size_t at(int i, int j, int k) const {
    return plane * static_cast<std::size_t>(k - first) + static_cast<std::size_t>(j * n + i);
  }
};

template <class F>
std::vector<double> values_of(const Slab& slab, const F& f) {
  std::vector<double> values;
  for (int k = slab.first; k < slab.last; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) values.push_back(f(i, j, k));
  return values;
}

// Water with a bubble of air that rises: κ = 1/ρ in m³/kg.
double mobility(int i, int j, int k, int step) {
  const double x = (i + 0.5) * h - 0.5, y = (j + 0.5) * h - 0.5, z = (k + 0.5) * h - 0.3 - 0.05 * step;
  return x * x + y * y + z * z < 0.04 ? 1 / 1.2 : 1 / 1000.0;
}

// The velocity on the upper face of a cell across an axis; walls have none.
double velocity(int axis, int i, int j, int k, int step) {
  const std::array cell{i, j, k};
  const int place = cell[static_cast<std::size_t>(axis)];
  return place < 0 || place == n - 1 ? 0 : std::sin(0.9 * i + 1.7 * j + 0.6 * k + axis + step);
}

double divergence(int i, int j, int k, int step) {
  return (velocity(0, i, j, k, step) - velocity(0, i - 1, j, k, step) + velocity(1, i, j, k, step) -
          velocity(1, i, j - 1, k, step) + velocity(2, i, j, k, step) - velocity(2, i, j, k - 1, step)) /
         h;
}

// The number of this process among those of its machine, which is that of its GPU.
int local_rank() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int rank = 0;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_free(&machine);
  return rank;
}

double over_all(double own, MPI_Op operation) {
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  return all;
}

// Returns κ of a slab. A process needs four planes beyond its own, as the ghost layers of a flow code have them.
Quantity coefficient(const Slab& slab, int step) {
  const Slab wide{std::max(slab.first - 4, 0), std::min(slab.last + 4, n)};
  const auto kappa = [&](int i, int j, int k) { return mobility(i, j, k, step); };
  const std::vector<double> own = values_of(slab, kappa);
  double sum = 0;
  for (const double value : own) sum += value;
  GridArray array{Location::cell, {n, n, n}, values_of(wide, kappa)};
  array.part = GridArray::Part{{0, 0, wide.first},
                               {n, n, wide.last - wide.first},
                               {0, 0, 0},
                               over_all(sum, MPI_SUM) / (n * n * n),
                               over_all(std::ranges::min(own), MPI_MIN),
                               over_all(std::ranges::max(own), MPI_MAX)};
  return array;
}

// Returns the largest divergence of v − Δt/ρ ∇p. Planes of p beyond the slab come from the neighbours.
double largest_divergence(const Slab& slab, const std::vector<double>& p, int step) {
  std::vector<double> below(plane), above(plane);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int lower = slab.first > 0 ? rank - 1 : MPI_PROC_NULL, upper = slab.last < n ? rank + 1 : MPI_PROC_NULL;
  constexpr int count = n * n;
  MPI_Sendrecv(p.data(), count, MPI_DOUBLE, lower, 0, above.data(), count, MPI_DOUBLE, upper, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(p.data() + p.size() - plane, count, MPI_DOUBLE, upper, 1, below.data(), count, MPI_DOUBLE, lower, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const auto at = [&](int i, int j, int k) {
    if (k < slab.first) return below[static_cast<std::size_t>(j * n + i)];
    return k < slab.last ? p[slab.at(i, j, k)] : above[static_cast<std::size_t>(j * n + i)];
  };
  // Returns the corrected velocity on the upper face of a cell.
  const auto corrected = [&](int axis, int i, int j, int k) {
    std::array next{i, j, k};
    const int place = next[static_cast<std::size_t>(axis)]++;
    if (place < 0 || place == n - 1) return 0.0;
    const auto [a, b, c] = next;
    const double on_face = 2 / (1 / mobility(i, j, k, step) + 1 / mobility(a, b, c, step));
    return velocity(axis, i, j, k, step) - dt * on_face * (at(a, b, c) - at(i, j, k)) / h;
  };
  double largest = 0;
  for (int k = slab.first; k < slab.last; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        largest =
            std::max(largest, std::abs(corrected(0, i, j, k) - corrected(0, i - 1, j, k) + corrected(1, i, j, k) -
                                       corrected(1, i, j - 1, k) + corrected(2, i, j, k) - corrected(2, i, j, k - 1)) /
                                  h);
  return over_all(largest, MPI_MAX);
}

int solve_together(const std::string& device) {
  const auto processes = mpi_processes(
      [](Moment, std::span<const LostProcess>) { std::fputs("a process is lost: the run ends\n", stderr); });
  const auto backend = make_backend(device, nullptr, local_rank());
  Problem problem;
  problem.centering = Centering::cell;
  for (auto& nodes : problem.nodes) nodes = uniform_nodes(0, 1, n);
  problem.coefficient.fill(1.0);  // until the first step
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
  Sharing sharing;
  sharing.processes = processes;
  sharing.parts = {1, 1, processes->count()};
  GridModel model(*backend, std::move(problem), Assembly::automatic, Sampling::automatic, sharing);
  Options options;
  options.tolerance = 1e-8;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());

  const Axis& z = model.discretization().block().axes[2];
  const Slab slab{z.origin(), z.origin() + z.size()};
  const Buffer memory = backend->allocate(2 * slab.cells() * sizeof(double));  // of the flow code
  auto* const source = static_cast<double*>(memory.data());
  const std::array shape{n, n, slab.last - slab.first};
  void* const stream = nullptr;  // the cudaStream_t of the flow code
  bool good = true;
  for (int step = 0; step < 3; ++step) {
    model.update({.coefficient = {coefficient(slab, step)}});  // a new κ on the same levels
    solver->update();
    const auto div = values_of(slab, [&](int i, int j, int k) { return divergence(i, j, k, step); });
    backend->write(div.data(), source, slab.cells() * sizeof(double));
    wait_for_stream(*backend, stream);
    import_values({source, Precision::fp64, shape}, -h * h * h / dt * solver->A().scale(), solver->rhs());
    const Result result = solver->solve(/*given_guess=*/step > 0);  // collective, like all calls of the solver
    export_values(solver->solution(), 1, {source + slab.cells(), Precision::fp64, shape});
    make_stream_wait(stream, *backend);
    std::vector<double> p(slab.cells());
    backend->read(source + slab.cells(), p.data(), slab.cells() * sizeof(double));
    const double before = over_all(std::ranges::max(div), MPI_MAX), after = largest_divergence(slab, p, step);
    if (processes->first())
      std::printf("step %d: %d iterations, divergence %.1e, then %.1e\n", step + 1, result.iterations, before, after);
    good = good && result.converged() && after < 1e-4 * before;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  const int status = solve_together(count > 1 ? arguments[1] : "cpu");
  MPI_Finalize();
  return status;
}
