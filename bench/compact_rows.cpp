// Times set-up, re-use, solution and products of compact rows on a GPU.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "backends/device/device.hpp"
#include "bench/row_cases.hpp"
#include "bench/stopwatch.hpp"
#include "solver/rows_model.hpp"

namespace poisson::bench {
namespace {

void print_products(Backend& backend, const DeviceMatrix& A) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    std::string why_not;
    const ProductTimes times = time_products(backend, A, precision, why_not);
    std::printf("  product %s: %.3f ms", precision == Precision::fp32 ? "fp32" : "fp64", 1e3 * times.own);
    if (times.cusparse > 0)
      std::printf(", cuSPARSE %.3f ms, ratio %.2f, difference %.1e\n", 1e3 * times.cusparse,
                  times.cusparse / times.own, times.difference);
    else
      std::printf(", no cuSPARSE (%s)\n", why_not.c_str());
  }
}

void run_case(Backend& backend, const std::string& name, int n) {
  RowSystem system;
  system.on_device = name == "seven" ? seven_points(backend, n) : tetrahedra(backend, n);
  const auto rows = static_cast<double>(system.rows());
  std::printf("%s: %.0f rows, %.2f entries a row\n", name.c_str(), rows, static_cast<double>(system.entries()) / rows);
  system.b.resize(static_cast<std::size_t>(system.rows()));
  for (std::size_t i = 0; i < system.b.size(); ++i)
    system.b[i] = static_cast<double>((i * 2654435761u) % 100'003) / 100'003 - 0.5;
  print_products(backend, *system.on_device);
  std::fflush(stdout);
  for (int round = 0; round < 2; ++round) {
    const std::size_t before = backend.memory().now();
    const RowsModel model(backend, system, round == 1);
    const Stopwatch setup;
    const auto solver = make_solver(model, Options{});
    const double set_up = setup.seconds();
    const double peak = static_cast<double>(backend.memory().peak() - before) / rows;
    model.fill(solver->rhs(), solver->solution());
    for (int solve = 0; solve < 2; ++solve) {
      const Stopwatch watch;
      const Result result = solver->solve(false);
      const double seconds = watch.seconds();
      std::printf("  set-up %.4f s, solve %.4f s, %d iterations, converged %d, complexity %.3f\n", set_up, seconds,
                  result.iterations, result.converged() ? 1 : 0, model.operator_complexity());
    }
    std::printf("  bytes a row: %.0f, at the peak %.0f, and %.0f of the given matrix\n",
                static_cast<double>(backend.memory().now() - before) / rows, peak,
                static_cast<double>(system.on_device->bytes()) / rows);
    if (round == 1)
      for (int again = 0; again < 2; ++again) {
        const Stopwatch watch;
        solver->update();
        std::printf("  re-use %.4f s\n", watch.seconds());
        model.fill(solver->rhs(), solver->solution());
        std::printf("  solve: %d iterations\n", solver->solve(false).iterations);
      }
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace poisson::bench

// Usage: compact_rows [seven|tetrahedra N] ...
int main(int argc, char** argv) {
  const auto backend = poisson::make_backend("cuda");
  std::printf("%s\n", backend->device().c_str());
  for (int k = 1; k + 1 < argc; k += 2) poisson::bench::run_case(*backend, argv[k], std::atoi(argv[k + 1]));
}
