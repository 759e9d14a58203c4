// Patches of several processes on a grid with periodic axes: programs of moves agree on some processes only, and each
// table of them is made by all processes.

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#ifdef POISSON_HAVE_MPI
#include "tests/launched.hpp"
#endif
#include "tests/patched_solve.hpp"

namespace poisson::patched_processes_tests {
namespace {

using namespace poisson::patched;

struct Case {
  std::array<bool, 3> periodic;
  PatchedModel::Widths widths;
  bool same_bits;  // planes are not cut
};
const std::vector<int> sevenths{16, 16, 16, 16, 16, 16, 16};
const std::vector<Case> cases{{{true, true, false}, {{{}, {}, sevenths}}, true},
                              {{true, true, true}, {{{}, {}, {17, 40, 24, 31}}}, true},
                              {{true, true, true}, {{{10, 14}, {}, sevenths}}, false},
                              {{false, true, false}, {{{}, {7, 8, 6}, {28, 28, 28, 28}}}, false}};

Problem problem_of(const Case& c, const Kind& kind) {
  Problem problem = patched::problem_of(kind, c.periodic);
  problem.reaction = 0.01;  // without open faces the solution would have a free constant
  return problem;
}

// Compares the values that this process computed. Those of other processes are zero.
void expect_part_of(const std::vector<double>& part, const Solution& own, const Solution& whole, bool same_bits) {
  EXPECT_EQ(own.levels, whole.levels);
  if (same_bits)
    EXPECT_EQ(own.history, whole.history);
  else
    EXPECT_NEAR(own.iterations, whole.iterations, 1);
  double size = 0, largest = 0;
  std::size_t values = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    size = std::max(size, std::abs(whole.u[i]));
    if (part[i] == 0) continue;
    ++values;
    largest = std::max(largest, std::abs(part[i] - whole.u[i]));
  }
  EXPECT_GT(values, 0u);
  EXPECT_LE(largest, same_bits ? 0 : 1e-8 * size);
}

TEST(PatchedProcesses, AgreeOverPeriodicAxes) {
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, false}, Kind{Scheme::fv, Centering::cell, true}})
    for (std::size_t c = 0; c < cases.size(); ++c)
      for (const int count : {3, 4}) {
        SCOPED_TRACE(testing::Message() << "case " << c << " on " << count << " processes, varying " << kind.varying);
        const Problem problem = problem_of(cases[c], kind);
        const Solution whole = solve_whole(problem);
        const Solution cut = solve_patches(problem, cases[c].widths, count);
        expect_part_of(cut.u, cut, whole, cases[c].same_bits);
      }
}

#ifdef POISSON_HAVE_MPI
/// Processes were started by mpirun, on one GPU or several.
TEST(PatchedProcesses, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, false}, Kind{Scheme::fv, Centering::cell, true}})
    for (std::size_t c = 0; c < cases.size(); ++c) {
      SCOPED_TRACE(testing::Message() << "case " << c << ", varying " << kind.varying);
      const Problem problem = problem_of(cases[c], kind);
      std::vector<double> u(values_of(problem));
      const Solution own = solve_part(problem, cases[c].widths, options_of_tests(), launched(), {}, u);
      expect_part_of(u, own, solve_whole(problem), cases[c].same_bits);
    }
}
#endif

}  // namespace
}  // namespace poisson::patched_processes_tests
