// The example of a family of patches must give the bits of one patch, however the ring is cut and on any number of
// processes.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "backends/cpu/visit.hpp"
#include "examples/ring/ring.hpp"
#include "solver/solver.hpp"
#include "tests/processes.hpp"

namespace poisson::ring_tests {
namespace {

// Calls f(value, i, j, k) for all values of a field, where k counts planes along the ring.
template <class F>
void visit(Field& field, const F& f) {
  cpu::visit<double>(field, [&](double& value, const PatchGroup::Patch& patch, int i, int j, int k) {
    f(value, i, j, patch.first_plane + k);
  });
}

constexpr int nx = 9, ny = 21, planes = 112;

// Solves twice on one solver, and stores the second solution in `u`, of which each process fills its planes. Returns
// the history of residuals.
std::vector<double> solve_ring(const Space& space, bool varying, std::vector<double>& u) {
  const auto backend = make_cpu_backend();
  Field kappa(*backend, space, Precision::fp64);
  visit(kappa, [&](double& value, int i, int j, int k) {
    value = varying ? std::exp(2 * std::sin(0.4 * i * j + 0.3 * k)) : 1;
  });
  SolverParts parts;
  parts.hierarchy.operators = {parts.A = std::make_shared<const ring::Diffusion>(std::move(kappa))};
  parts.options.method = Method::cg;
  parts.options.precision = SolvePrecision::double_;
  parts.options.tolerance = 1e-10;
  parts.options = parts.options.choose(1);
  Solver solver(std::move(parts));
  std::vector<double> history;
  for (const double load : {1, 2}) {
    visit(solver.rhs(),
          [&](double& value, int i, int j, int k) { value = std::cos(0.2 * i * load - 0.1 * j + 0.7 * k); });
    const Result result = solver.solve(false);
    EXPECT_TRUE(result.converged());
    EXPECT_GT(result.iterations, 5);
    history = result.history;
  }
  visit(solver.solution(),
        [&](const double& value, int i, int j, int k) { u[static_cast<std::size_t>((k * ny + j) * nx + i)] = value; });
  return history;
}

TEST(Ring, HasTheBitsOfOnePatch) {
  for (const bool varying : {false, true}) {
    // A box that is periodic along z is the same ring.
    std::vector<double> whole(std::size_t{nx} * ny * planes);
    const Space box(Layout{{nx, ny, planes}, {false, false, true}});
    const std::vector<double> wanted = solve_ring(box, varying, whole);
    for (const std::vector<int>& thickness :
         {std::vector{112}, {60, 52}, {40, 32, 40}, {17, 64, 31}, {2, 30, 2, 40, 18, 18, 2}})
      for (const int count : {1, 2, 3}) {
        if (std::ssize(thickness) < count) continue;
        SCOPED_TRACE(testing::Message() << thickness.size() << " slices, " << count << " processes, " << varying);
        std::vector<double> u(whole.size());
        as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
          EXPECT_EQ(solve_ring(ring::make_space(nx, ny, thickness, processes), varying, u), wanted);
        });
        EXPECT_EQ(u, whole);
      }
  }
}

}  // namespace
}  // namespace poisson::ring_tests
