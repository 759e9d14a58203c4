// Times set-up, re-use, solution and products of compact rows on a GPU.

#include <cstdio>
#include <cstdlib>
#include <map>
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
      std::printf(", cuSPARSE %.3f ms, ratio %.2f, difference %.1e\n", 1e3 * times.cusparse, times.cusparse / times.own,
                  times.difference);
    else
      std::printf(", no cuSPARSE (%s)\n", why_not.c_str());
  }
}

const std::map<std::string, RowCase>& cases() {
  static const std::map<std::string, RowCase> all{
      {"seven", {}},
      {"neumann", {.neumann = true}},
      {"anisotropic", {.along_z = 1e3}},
      {"jumps", {.jump = 1e6}},
      {"tetrahedra", {.elements = true}},
      {"graded", {.elements = true, .stretching = 1.5}},
      {"checkerboard", {.elements = true, .jump = 1e6}},
      {"slivers", {.elements = true, .shift = 0.3}},
  };
  return all;
}

RowSystem system_of(Backend& backend, const RowCase& of) {
  RowSystem system;
  system.on_device = make_rows(backend, of);
  system.singular = of.neumann;
  system.range = of.jump;
  system.b.resize(static_cast<std::size_t>(system.rows()));
  for (std::size_t i = 0; i < system.b.size(); ++i)
    system.b[i] = static_cast<double>((i * 2654435761u) % 100'003) / 100'003 - 0.5;
  return system;
}

// Prints the iterations of all cases.
void count(Backend& backend, int n) {
  for (const auto& [name, kind] : cases()) {
    RowCase of = kind;
    of.n = n;
    const RowSystem system = system_of(backend, of);
    const RowsModel model(backend, system);
    const Stopwatch setup;
    const auto solver = make_solver(model, Options{});
    const double set_up = setup.seconds();
    model.fill(solver->rhs(), solver->solution());
    const Stopwatch watch;
    const Result result = solver->solve(false);
    std::printf("%-12s %9lld rows: %2d iterations, converged %d, set-up %.4f s, solve %.4f s, complexity %.3f\n",
                name.c_str(), static_cast<long long>(system.rows()), result.iterations, result.converged() ? 1 : 0,
                set_up, watch.seconds(), model.operator_complexity());
    std::fflush(stdout);
  }
}

void run_case(Backend& backend, const std::string& name, int n) {
  RowCase of = cases().at(name);
  of.n = n;
  const RowSystem system = system_of(backend, of);
  const auto rows = static_cast<double>(system.rows());
  std::printf("%s: %.0f rows, %.2f entries a row\n", name.c_str(), rows, static_cast<double>(system.entries()) / rows);
  for (int round = 0; round < 3; ++round) {
    const bool keeps = round == 2;
    const std::size_t before = backend.memory().now();
    const RowsModel model(backend, system, keeps);
    const Stopwatch setup;
    const auto solver = make_solver(model, Options{});
    const double set_up = setup.seconds();
    const double peak = static_cast<double>(backend.memory().peak() - before) / rows;
    model.fill(solver->rhs(), solver->solution());
    double seconds = 0;
    int iterations = 0;
    for (int solve = 0; solve < 2; ++solve) {
      const Stopwatch watch;
      iterations = solver->solve(false).iterations;
      seconds = watch.seconds();
    }
    std::printf(
        "  set-up %.4f s, solve %.4f s, %d iterations, complexity %.3f; bytes a row: %.0f, peak %.0f, given %.0f\n",
        set_up, seconds, iterations, model.operator_complexity(),
        static_cast<double>(backend.memory().now() - before) / rows, peak,
        static_cast<double>(system.on_device->bytes()) / rows);
    for (int again = 0; again < (keeps ? 2 : 0); ++again) {
      const Stopwatch watch;
      solver->update();
      const double update = watch.seconds();
      model.fill(solver->rhs(), solver->solution());
      std::printf("  re-use %.4f s, then %d iterations\n", update, solver->solve(false).iterations);
    }
    std::fflush(stdout);
  }
  if (of.elements) {
    const AssemblyTimes times = time_assembly(backend, of);
    std::printf("  pattern %.4f s, values %.4f s, difference %.1e\n", times.pattern, times.values, times.difference);
  }
  print_stages(backend, *system.on_device);
  print_products(backend, *system.on_device);
  std::fflush(stdout);
}

}  // namespace
}  // namespace poisson::bench

// Usage: poisson-rows CASE N ...; the case "count" prints the iterations of all cases.
int main(int argc, char** argv) {
  const auto backend = poisson::make_backend("cuda");
  std::printf("%s\n", backend->device().c_str());
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k];
    const int n = std::atoi(argv[k + 1]);
    if (name == "count")
      poisson::bench::count(*backend, n);
    else
      poisson::bench::run_case(*backend, name, n);
  }
}
