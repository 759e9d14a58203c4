// Times several right-hand sides of one problem: one after another on one solver, and by several solvers at once, each
// with a backend and a thread of its own. The solvers share coefficients.

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/device/shared_fields.hpp"
#include "bench/solve_problems.hpp"
#include "bench/stopwatch.hpp"
#include "solver/grid_model.hpp"

namespace poisson::bench {
namespace {

// Is one of the solvers that work at once. It uses the coefficients of the first one.
struct Lane {
  Lane(const std::string& device, const Problem& problem, const Lane* first)
      : backend(shared(make_backend(device), first)), discretization(*backend, problem) {
    Options options{.method = Method::multigrid};
    options.tolerance = 1e-8;
    solver = make_solver(discretization, options);
    solver->prepare(false);
    discretization.assemble_rhs(solver->rhs());
    solve();
  }
  static std::shared_ptr<Backend> shared(std::shared_ptr<Backend> made, const Lane* first) {
    share_fields(made, first ? first->backend.get() : nullptr);
    return made;
  }
  void solve() {
    backend->fill(solver->solution(), 0);
    if (!solver->solve(false).converged()) throw RunError("a solve did not converge");
  }

  std::shared_ptr<Backend> backend;
  Discretization discretization;
  std::unique_ptr<Solver> solver;
};

// Returns the least seconds in which `lanes` solvers solve `count` problems.
double seconds_of(const std::string& device, const Problem& problem, int lanes, int count, int repeat) {
  std::vector<std::unique_ptr<Lane>> all;
  for (int lane = 0; lane < lanes; ++lane)
    all.push_back(std::make_unique<Lane>(device, problem, lane == 0 ? nullptr : all.front().get()));
  double best = 1e30;
  Stopwatch watch;
  const auto restart = [&]() noexcept { watch = Stopwatch(); };
  std::barrier begin(lanes, restart);
  std::barrier end(lanes);
  const auto work = [&](int lane) {
    for (int run = 0; run < repeat; ++run) {
      begin.arrive_and_wait();
      for (int n = lane; n < count; n += lanes) all[static_cast<std::size_t>(lane)]->solve();
      end.arrive_and_wait();
      if (lane == 0) best = std::min(best, watch.seconds());
    }
  };
  std::vector<std::thread> threads;
  for (int lane = 0; lane < lanes; ++lane) threads.emplace_back(work, lane);
  for (std::thread& thread : threads) thread.join();
  return best;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson::bench;
  const std::string device = argc > 1 ? argv[1] : "cuda";
  const int cells = argc > 2 ? std::atoi(argv[2]) : 128, repeat = 9, count = 8;
  for (const bool varies : {false, true}) {
    const poisson::Problem problem = varies ? smooth_coefficient(cells) : two_trig(cells);
    const double one = seconds_of(device, problem, 1, 1, repeat);
    std::printf("%d cells per axis, kappa %s: one right-hand side %.3f ms\n", cells, varies ? "per cell" : "constant",
                1e3 * one);
    std::fflush(stdout);
    for (const int lanes : {1, 2, 4, 8}) {
      const double all = seconds_of(device, problem, lanes, count, repeat);
      std::printf("  %d right-hand sides, %d at once: %.3f ms, %.2f times the time of one\n", count, lanes, 1e3 * all,
                  all / one);
      std::fflush(stdout);
    }
  }
}
