// Times set-up and solve of the own algebraic multigrid and of BoomerAMG-PCG of hypre on the same matrix, in one run:
//
//     mpirun -n 2 --bind-to none rows_against_hypre --cells 100 --repeats 5
//
// Process 0 runs the own solver with as many threads as there are processes, while the others sleep. Then hypre runs on
// all of them. Prints the best times of each as JSON, and the processor time of process 0, which other loads on the
// machine change little: compare it with one process.

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>
#include <omp.h>

#include "backends/hypre/boomer_amg.hpp"
#include "backends/mpi/mpi_processes.hpp"
#include "grids/compact/general_rows.hpp"
#include "solver/rows_model.hpp"

namespace {

using namespace poisson;

// Seven points on n³ unknowns with Dirichlet faces. With `jumps`, κ is 10⁶ in half of the blocks of 8³ cells.
CsrMatrix matrix(int n, bool jumps) {
  RowCollector collector(std::int64_t{n} * n * n);
  const auto kappa = [&](int x, int y, int z) { return jumps && ((x / 8 + y / 8 + z / 8) % 2 != 0) ? 1e6 : 1.0; };
  for_row_chunks(std::int64_t{n} * n * n, [&](std::int64_t first, std::int64_t last) {
    auto& chunk = collector.chunk(first);
    for (std::int64_t row = first; row < last; ++row) {
      const int x = static_cast<int>(row % n), y = static_cast<int>(row / n % n),
                z = static_cast<int>(row / (std::int64_t{n} * n));
      const std::array<std::array<int, 3>, 6> steps{
          {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      double sum = 0;
      std::array<double, 6> a{};
      for (std::size_t s = 0; s < 6; ++s) {
        const int u = x + steps[s][0], v = y + steps[s][1], w = z + steps[s][2];
        const double k = kappa(x, y, z),
                     other = u < 0 || v < 0 || w < 0 || u >= n || v >= n || w >= n ? k : kappa(u, v, w);
        sum += a[s] = 2 / (1 / k + 1 / other);
      }
      for (std::size_t s = 0; s < 6; ++s) {
        if (s == 3) {
          chunk.column.push_back(static_cast<int>(row));
          chunk.value.push_back(sum);
        }
        const int u = x + steps[s][0], v = y + steps[s][1], w = z + steps[s][2];
        if (u < 0 || v < 0 || w < 0 || u >= n || v >= n || w >= n) continue;
        chunk.column.push_back((w * n + v) * n + u);
        chunk.value.push_back(-a[s]);
      }
      chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
    }
  });
  return collector.join(std::int64_t{n} * n * n);
}

double relative_residual(const RowSystem& system, const std::vector<double>& u) {
  double r = 0, b = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    double product = 0;
    for (std::int64_t k = system.A.start[i]; k < system.A.start[i + 1]; ++k)
      product += system.A.value[static_cast<std::size_t>(k)] *
                 u[static_cast<std::size_t>(system.A.column[static_cast<std::size_t>(k)])];
    r += (system.b[i] - product) * (system.b[i] - product);
    b += system.b[i] * system.b[i];
  }
  return std::sqrt(r / b);
}

// Contains seconds of the clock and of the processor.
struct Seconds {
  double clock = std::numeric_limits<double>::max(), processor = clock;
};

class Watch {
 public:
  // Returns the seconds since the last call.
  Seconds lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    return {std::chrono::duration<double>(now - std::exchange(last_, now)).count(),
            static_cast<double>(used - std::exchange(used_, used)) / CLOCKS_PER_SEC};
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::clock_t used_ = std::clock();
};

struct Times {
  Seconds setup, solve;
  double residual = 0;
  int iterations = 0;
  void add(const Seconds& a, const Seconds& b) {
    setup = {std::min(setup.clock, a.clock), std::min(setup.processor, a.processor)};
    solve = {std::min(solve.clock, b.clock), std::min(solve.processor, b.processor)};
  }
};

// Waits for process 0 without using a core.
void wait_asleep() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void run_own(const RowSystem& system, Times& times) {
  const auto backend = make_cpu_backend();
  const RowsModel model(*backend, system);
  Options options;
  options.tolerance = 1e-8;
  Watch watch;
  const auto solver = make_solver(model, options);
  const Seconds setup = watch.lap();
  model.fill(solver->rhs(), solver->solution());
  watch.lap();
  const Result result = solver->solve(false);
  times.add(setup, watch.lap());
  times.iterations = result.iterations;
  times.residual = relative_residual(system, get_rows(solver->solution(), model.rows()));
}

void run_hypre(const Processes& processes, const RowSystem& system, const std::vector<int>& part, Times& times) {
  const RowsView view{system.A.start, system.A.column, system.A.value};
  MPI_Barrier(MPI_COMM_WORLD);
  Watch watch;
  BoomerAmg amg(processes, view, part, {.tolerance = 1e-8});
  MPI_Barrier(MPI_COMM_WORLD);
  const Seconds setup = watch.lap();
  std::vector<double> x;
  times.iterations = amg.solve(system.b, x);
  MPI_Barrier(MPI_COMM_WORLD);
  times.add(setup, watch.lap());
  times.residual = relative_residual(system, x);
}

std::string json(const Times& t) {
  char text[300];
  std::snprintf(text, sizeof text,
                R"({"setup": %.4f, "solve": %.4f, "setup_processor": %.4f, "solve_processor": %.4f, )"
                R"("iterations": %d, "residual": %.3g})",
                t.setup.clock, t.solve.clock, t.setup.processor, t.solve.processor, t.iterations, t.residual);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  int n = 100, repeats = 5;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--cells") n = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "--repeats") repeats = std::atoi(argv[i + 1]);
  }
  const std::shared_ptr<const Processes> processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  const int cores = processes->count();
  std::string text = "{\"rows\": " + std::to_string(std::int64_t{n} * n * n) + ", \"cores\": " + std::to_string(cores) +
                     ", \"cases\": {";
  for (const bool jumps : {false, true}) {
    RowSystem system;
    system.A = matrix(n, jumps);
    system.b.resize(static_cast<std::size_t>(system.A.rows()));
    for (std::size_t i = 0; i < system.b.size(); ++i) system.b[i] = std::sin(0.7 * static_cast<double>(i)) + 0.3;
    const std::vector<int> part = partition_rows(*processes, {system.A.start, system.A.column, system.A.value});
    Times own, other;
    for (int r = 0; r < repeats; ++r) {
      omp_set_num_threads(cores);
      if (processes->first()) run_own(system, own);
      wait_asleep();
      omp_set_num_threads(1);
      run_hypre(*processes, system, part, other);
    }
    text += std::string(jumps ? ", \"jumps of 1e6\"" : "\"constant\"") + ": {\"own\": " + json(own) +
            ", \"hypre\": " + json(other) + "}";
  }
  if (processes->first()) std::printf("%s}}\n", text.c_str());
  return 0;
}
