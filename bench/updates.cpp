// Times a new coefficient on kept levels: the model's data, the solver's levels, the recording of its work, and the
// solve. The coefficient is given in the cells; it changes at every step by up to 1 % of its value.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/device/arrays.hpp"
#include "backends/device/device.hpp"
#include "bench/solve_problems.hpp"
#include "bench/stopwatch.hpp"
#include "solver/grid_model.hpp"

namespace poisson::bench {
namespace {

// Returns κ = exp(a sin x sin y sin z) at cells, where a depends on the step.
Quantity coefficient(int cells, bool plane, double range, int step) {
  GridArray array{Location::cell, {cells, cells, plane ? 1 : cells}, {}, {}, {}};
  const double a = std::log(range) / 2 * (1 + 0.01 * (step % 7)), turn = 6.3 / cells;
  for (std::int64_t k = 0; k < array.shape[2]; ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        const double z = plane ? 1 : std::sin(turn * (static_cast<double>(k) + 0.5));
        array.values.push_back(std::exp(a * std::sin(turn * (i + 0.5)) * std::sin(turn * (j + 0.5)) * z));
      }
  return Quantity(std::make_shared<const GridArray>(std::move(array)));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void time_updates(const std::string& device, int cells, bool plane, double range, int repeat) {
  const auto backend = make_backend(device);
  Problem problem = two_trig(cells);
  if (plane) {
    problem.dimension = 2;
    problem.nodes[2] = {0};
    problem.source = [](double x, double y, double) { return x * y; };
    problem.exact = {};
  }
  problem.coefficient[0] = coefficient(cells, plane, range, 0);
  GridModel model(*backend, std::move(problem));
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  const auto solver = make_solver(model, options);
  const auto kept_memory = keep_released_memory(*backend);
  std::vector<double> seconds[5];
  int iterations = 0;
  for (int step = 0; step < repeat + 2; ++step) {
    const Quantity kappa = coefficient(cells, plane, range, step);
    const Stopwatch all;
    double before = 0;
    double parts[5] = {};
    const auto lap = [&](int part) {
      backend->value(backend->scalar());  // waits for the device
      parts[part] = all.seconds() - std::exchange(before, all.seconds());
    };
    model.update({.coefficient = {kappa}});
    lap(0);
    solver->update();
    lap(1);
    solver->prepare(step > 0);
    lap(2);
    model.discretization().assemble_rhs(solver->rhs());
    lap(3);
    iterations = solver->solve(step > 0).iterations;
    lap(4);
    for (int part = 0; part < 5; ++part)
      if (step > 1) seconds[part].push_back(parts[part]);
  }
  std::printf(
      "%d cells per axis%s, kappa over a range of %g: data %.2f ms, levels %.2f ms, recording %.2f ms, "
      "right-hand side %.2f ms, solve %.2f ms, %d iterations\n",
      cells, plane ? " in the plane" : "", range, 1e3 * median(seconds[0]), 1e3 * median(seconds[1]),
      1e3 * median(seconds[2]), 1e3 * median(seconds[3]), 1e3 * median(seconds[4]), iterations);
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : "cuda";
  const int cells = argc > 2 ? std::atoi(argv[2]) : 128, repeat = argc > 3 ? std::atoi(argv[3]) : 9;
  for (const double range : {2.0, 1e4}) {
    poisson::bench::time_updates(device, cells, false, range, repeat);
    poisson::bench::time_updates(device, 8 * cells, true, range, repeat);
  }
}
