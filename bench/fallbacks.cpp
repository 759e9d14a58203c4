// Compares the predicted time and memory of fallbacks with the measured ones (solver/chain/cost.hpp). The coefficient
// is randomly 10⁶ or 1 in each cell:
//
//     poisson-fallbacks --sizes 100x100,1000x1000,22,100 --unknowns cells,elements --most-seconds 60

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/sizes.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/fallbacks/algebraic_multigrid.hpp"
#include "solver/fallbacks/cost.hpp"
#include "solver/fallbacks/dissection.hpp"
#include "solver/fallbacks/factorization.hpp"

namespace poisson::bench {
namespace {

struct Arguments {
  std::vector<std::string> sizes{"100x100", "316x316", "1000x1000", "22", "46", "100"};
  std::vector<std::string> unknowns{"cells"};
  double most_seconds = 60;
};

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Problem random_cells(const Size& size, bool elements) {
  Problem p;
  p.dimension = size.dimension;
  p.centering = elements ? Centering::node : Centering::cell;
  if (elements) p.scheme = Scheme::q1;
  GridArray kappa{Location::cell, {1, 1, 1}, {}};
  std::size_t cells = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, size.cells[d]);
    kappa.shape[d] = size.cells[d];
    cells *= static_cast<std::size_t>(size.cells[d]);
  }
  std::mt19937 bits(7);
  for (std::size_t i = 0; i < cells; ++i) kappa.values.push_back(bits() % 2 == 0 ? 1e6 : 1.0);
  p.coefficient[0] = kappa;
  return p;
}

void print(const std::string& size, const char* what, const FallbackCost& cost, double setup, double iteration) {
  const double measured = setup + cost.iterations * iteration;
  std::printf("%-12s %-14s %10lld %10.3g %10.3g %8.2f %10.3g %10.3g %8.2f %8.2f\n", size.c_str(), what,
              static_cast<long long>(cost.unknowns), cost.setup, setup, cost.setup / setup, cost.iteration, iteration,
              cost.iteration / iteration, cost.seconds() / measured);
  std::fflush(stdout);
}

template <class Make>
void measure(const std::string& size, const char* what, FallbackCost (*cost_of)(const UnknownGrid&, const HostSpeed&),
             const UnknownGrid& grid, double most, const Make& make) {
  const FallbackCost cost = cost_of(grid, measure_host_speed());
  if (cost.seconds() > most) {
    std::printf("%-12s %-14s %10lld %10.3g          not run\n", size.c_str(), what,
                static_cast<long long>(cost.unknowns), cost.seconds());
    return;
  }
  const Clock setup;
  const std::unique_ptr<Preconditioner> made = make();
  const double seconds = setup.seconds();
  made->solve();
  constexpr int solves = 3;
  const Clock solving;
  for (int i = 0; i < solves; ++i) made->solve();
  print(size, what, cost, seconds, solving.seconds() / solves);
}

void run(const Arguments& arguments) {
  const HostSpeed speed = measure_host_speed();
  std::printf("large fronts %.3g flop/s, small ones %.3g, memory %.3g B/s\n", speed.flops, speed.small_flops,
              speed.bytes);
  std::printf("%-12s %-14s %10s %10s %10s %8s %10s %10s %8s %8s\n", "cells", "fallback", "unknowns", "setup",
              "measured", "ratio", "iteration", "measured", "ratio", "all");
  for (const std::string& unknowns : arguments.unknowns)
    for (const std::string& name : arguments.sizes) {
      const Size size = parse_size(name);
      const bool elements = unknowns == "elements";
      const auto backend = make_backend("cpu");
      const Discretization discretization(*backend, random_cells(size, elements));
      const std::shared_ptr<const Operator> A = discretization.make_operator(Precision::fp64);
      const UnknownGrid grid(A->space(), elements);
      measure(name, "factorization", cost_of_factorization, grid, arguments.most_seconds, [&] {
        auto factors = std::make_unique<Factorization>(A);
        factors->factorize();
        return factors;
      });
      measure(name, "multigrid", cost_of_algebraic_multigrid, grid, arguments.most_seconds,
              [&] { return std::make_unique<AlgebraicMultigrid>(A); });
    }
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  poisson::bench::Arguments arguments;
  CLI::App app("Predicted and measured cost of the fallbacks on the host");
  app.add_option("--sizes", arguments.sizes, "cells: 64 for a cube, 300x300 in two dimensions")->delimiter(',');
  app.add_option("--unknowns", arguments.unknowns, "cells, elements")->delimiter(',');
  app.add_option("--most-seconds", arguments.most_seconds, "leave out what is predicted to take longer");
  CLI11_PARSE(app, argc, argv);
  try {
    poisson::bench::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "poisson-fallbacks: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
