// A grid that is cut into patches must be solved with the bits of the whole grid if planes are not cut, and otherwise
// to rounding, on any number of processes.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "backends/cpu/visit.hpp"
#include "backends/memory/error.hpp"
#include "solver/patched_model.hpp"
#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace poisson::patched_model_tests {
namespace {

struct Kind {
  Scheme scheme;
  Centering centering;
  bool varying;
};

constexpr std::array<int, 3> values{24, 21, 112};

// Returns a problem with `values` values: boxes of different widths, and κ over two orders of magnitude if it varies.
Problem problem_of(const Kind& kind, bool periodic = false) {
  Problem p;
  p.scheme = kind.scheme;
  p.centering = kind.centering;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool closed = periodic && d == 2;
    const int cells = kind.centering == Centering::cell || closed ? values[d] : values[d] - 1;
    for (int i = 0; i <= cells; ++i) p.nodes[d].push_back(i + (d == 1 ? 0.1 * std::sin(i) : 0));
    if (closed) p.boundary[d][0].kind = p.boundary[d][1].kind = BoundaryKind::periodic;
  }
  p.boundary[0][1] = {BoundaryKind::neumann, 0.3};
  p.boundary[1][0] = {BoundaryKind::dirichlet, 0.5};
  p.source = [](double x, double y, double z) { return std::cos(0.3 * x + 0.2 * y) + std::sin(0.17 * z); };
  if (kind.varying)
    p.coefficient[0] = [](double x, double y, double z) {
      return std::exp(2 * std::sin(0.15 * x) * std::cos(0.1 * y) + std::sin(0.1 * z));
    };
  return p;
}

struct Solution {
  std::vector<double> u;
  std::vector<double> history;
  int iterations = 0;
};

// Solves a model, and stores the values of this process's patches. `first` returns the first value of a patch.
template <class First>
Solution solve(const Model& model, const First& first, std::vector<double>& u) {
  Options options{.method = Method::multigrid};
  options.fallback = Fallback::never;
  options.tolerance = 1e-9;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  const Result result = solver->solve(false);
  EXPECT_TRUE(result.converged()) << result.relative();
  const HostRead read(solver->solution());
  cpu::visit<double>(
      const_cast<Field&>(*read), [&](double& value, const PatchGroup::Patch& patch, int i, int j, int k) {
        const std::array<int, 3> at = first(patch.number);
        u[static_cast<std::size_t>(((k + at[2]) * values[1] + j + at[1]) * values[0] + i + at[0])] = value;
      });
  return {{}, result.history, result.iterations};
}

Solution solve_whole(const Problem& problem) {
  const auto backend = test_backend();
  std::vector<double> u(std::size_t{24} * 21 * 112);
  Solution found = solve(
      GridModel(*backend, problem),
      [](int) {
        return std::array{0, 0, 0};
      },
      u);
  found.u = u;
  return found;
}

// Solves the problem on patches of these widths, on several processes and with levels of patches down to thin ones.
Solution solve_patches(const Problem& problem, const PatchedModel::Widths& widths, int count) {
  std::vector<double> u(std::size_t{24} * 21 * 112);
  Solution found;
  as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
    const auto backend = test_backend();
    const PatchedModel model(*backend, problem, widths, processes, 1000);
    Cuts cuts;
    cuts.n = values;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t p = 0, at = 0; p < widths[d].size(); at += static_cast<std::size_t>(widths[d][p++]))
        if (p > 0) cuts.first[d].push_back(static_cast<int>(at));
    Solution own = solve(
        model, [&](int number) { return cuts.patch(number).first; }, u);
    if (processes->first()) found = own;
  });
  found.u = u;
  return found;
}

const std::vector<std::vector<int>> splits{{56, 56}, {38, 37, 37}, {17, 64, 31}, {16, 16, 16, 16, 16, 16, 16}};

TEST(PatchedModel, HasTheBitsOfTheWholeGrid) {
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const bool varying : {false, true}) {
      const Problem problem = problem_of({Scheme::fv, centering, varying});
      const Solution whole = solve_whole(problem);
      for (const std::vector<int>& widths : splits)
        for (const int count : {1, 2, 4}) {
          const bool shares = count == 1 || varying == (centering == Centering::cell);  // half of the kinds
          if (std::ssize(widths) < count || !shares) continue;
          SCOPED_TRACE(testing::Message() << widths.size() << " patches on " << count << " processes, cells "
                                          << (centering == Centering::cell) << ", varying " << varying);
          const Solution cut = solve_patches(problem, {{{}, {}, widths}}, count);
          EXPECT_EQ(cut.history, whole.history);
          EXPECT_EQ(cut.u, whole.u);
        }
    }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(PatchedModel, AgreesForCutsAcrossAllAxes) {
  const PatchedModel::Widths widths{{{10, 14}, {7, 8, 6}, {62, 50}}};
  for (const Scheme scheme : {Scheme::fv, Scheme::q1}) {
    const Problem problem = problem_of({scheme, Centering::node, true});
    const Solution whole = solve_whole(problem), cut = solve_patches(problem, widths, 1);
    EXPECT_NEAR(cut.iterations, whole.iterations, 1);
    double size = 0;
    for (const double value : whole.u) size = std::max(size, std::abs(value));
    EXPECT_LE(largest_difference(cut.u, whole.u), 1e-8 * size);
  }
}

TEST(PatchedModel, SolvesPeriodicAndSingularProblems) {
  Problem problem = problem_of({Scheme::fv, Centering::cell, true}, true);
  for (std::size_t d = 0; d < 2; ++d) problem.boundary[d][0] = problem.boundary[d][1] = {BoundaryKind::neumann, 0.0};
  const Solution whole = solve_whole(problem), cut = solve_patches(problem, {{{}, {}, {17, 64, 31}}}, 1);
  EXPECT_EQ(cut.history, whole.history);
  EXPECT_EQ(cut.u, whole.u);
}

TEST(PatchedModel, RefusesWhatPatchesDoNotSupport) {
  const auto backend = test_backend();
  const Problem problem = problem_of({Scheme::fv, Centering::node, false});
  const auto message = [&](const auto& f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] {
              PatchedModel(*backend, problem, {{{}, {}, {60, 50}}});
            }),
            "the parts along z have 110 values, and the grid has 112");
  EXPECT_EQ(message([&] {
              PatchedModel(*backend, problem, {{{}, {}, {3, 109}}});
            }),
            "the parts along z have at least 4 values each");
  const PatchedModel model(*backend, problem, {{{}, {}, {60, 52}}});
  EXPECT_EQ(message([&] { make_solver(model, Options{.method = Method::direct}); }),
            "several patches have no direct solution: use multigrid");
}

}  // namespace
}  // namespace poisson::patched_model_tests
