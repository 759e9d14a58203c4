// Times an iteration with a multigrid cycle on a box in relation to one on as many values in patches.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "backends/device/device.hpp"
#include "bench/stopwatch.hpp"
#include "solver/grid_model.hpp"
#include "solver/patched_model.hpp"

namespace poisson::bench {
namespace {

// Returns −Δu = 1 with u = 0 on all faces, with unknowns at n³ nodes.
Problem cube_of_nodes(int n) {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i < n; ++i) nodes.push_back(static_cast<double>(i) / (n - 1));
  p.source = 1.0;
  return p;
}

struct Time {
  double seconds = 0;  // of an iteration, the least of several solves
  int iterations = 0;
};

Time time_of(Backend& backend, const Model& model, int repeat) {
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  options.fallback = Fallback::never;
  const auto solver = make_solver(model, options);
  solver->prepare(false);
  Time best{1e30, 0};
  for (int run = 0; run < repeat; ++run) {
    model.fill(solver->rhs(), solver->solution());
    backend.value(backend.scalar());  // waits
    const Stopwatch watch;
    best.iterations = solver->solve(false).iterations;
    best.seconds = std::min(best.seconds, watch.seconds() / std::max(1, best.iterations));
  }
  return best;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson;
  using namespace poisson::bench;
  const std::string device = argc > 1 ? argv[1] : "auto";
  const int n = argc > 2 ? std::atoi(argv[2]) : 64, parts = argc > 3 ? std::atoi(argv[3]) : 4, repeat = 3;
  const Problem problem = cube_of_nodes(parts * n);
  const auto backend = make_backend(device);
  std::printf("%s\n", backend->device().c_str());
  const Time box = time_of(*backend, GridModel(*backend, problem), repeat);
  std::printf("box of %d^3: %.3f ms an iteration, %d iterations\n", parts * n, 1e3 * box.seconds, box.iterations);
  const std::vector<int> widths(static_cast<std::size_t>(parts), n);
  const auto compare = [&](const char* how, int patches, const PatchedModel::Widths& cut,
                           const std::vector<Orientation>& turns) {
    const auto own = make_backend(device);
    const Time time = time_of(*own, PatchedModel(*own, problem, cut, one_process(), turns), repeat);
    std::printf("%d patches%s: %.3f ms an iteration, %d iterations, %.2f times the box\n", patches, how,
                1e3 * time.seconds, time.iterations, time.seconds / box.seconds);
  };
  const int all = parts * parts * parts;
  compare("", parts, {{{}, {}, widths}}, {});
  compare("", all, {{widths, widths, widths}}, {});
  // With orientations, verbs move values to the part that the patches tile.
  compare(", gathered by each verb", all, {{widths, widths, widths}},
          std::vector<Orientation>(static_cast<std::size_t>(all)));
}
