// Two solvers on one backend must not change each other's memory or recordings.

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/problems.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::shared_backend_tests {
namespace {

struct Task {
  std::string name;
  Problem problem;
  Options options{.method = Method::multigrid};
  friend std::ostream& operator<<(std::ostream& stream, const Task& t) { return stream << t.name; }
};

std::vector<Task> tasks() {
  const std::vector<NamedFaces> faces = all_faces();
  const auto faces_named = [&](const std::string& name) {
    return *std::ranges::find_if(faces, [&](const NamedFaces& f) { return f.name == name; });
  };
  std::vector<Task> all;
  const auto add = [&](const std::string& name, const std::string& on, const NamedGrid& grid,
                       const ProblemChoice& choice, auto change) {
    Options o{.method = Method::multigrid};
    change(o);
    all.push_back({name, with_data(faces_named(on), grid, choice), o});
  };
  add("nodes", "mixed", all_grids[0], {3, {25, 17, 13}, Kappa::constant, Sigma::zero},
      [](Options& o) { o.krylov = Krylov::none; });
  add("cells", "periodic_xyz", all_grids[0], {3, {16, 24, 12}, Kappa::random, Sigma::zero, Centering::cell},
      [](Options& o) { o.krylov = Krylov::cg; });
  add("elements", "dirichlet", all_grids[1],
      {2, {49, 37, 1}, Kappa::random_full, Sigma::zero, Centering::node, Scheme::q1},
      [](Options& o) { o.coarse_operator = CoarseOperator::galerkin; });
  add("planes", "robin", all_grids[1], {3, {13, 12, 11}, Kappa::constant, Sigma::constant},
      [](Options& o) { choose(o.smoother, "plane"); });
  add("gradients", "neumann", all_grids[0], {2, {33, 21, 1}, Kappa::constant, Sigma::constant},
      [](Options& o) { o.method = Method::cg, o.max_iterations = 1000; });
  return all;
}

/// Owns a task's fields and solver on a backend that others may use as well.
class Guest {
 public:
  Guest(Backend& backend, const Task& task) : d_(backend, task.problem), solver_(make_solver(d_, task.options)) {}
  void solve() {
    d_.assemble_rhs(solver_->rhs());
    d_.initialize(solver_->solution());
    const Result result = solver_->solve(false);
    EXPECT_TRUE(result.converged());
    history = result.history;
    u = values(solver_->solution());
  }
  std::vector<double> history, u;

 private:
  Discretization d_;
  std::unique_ptr<Solver> solver_;
};

TEST(SharedBackend, GivesEachSolverItsOwnBits) {
  const std::vector<Task> all = tasks();
  std::vector<std::pair<std::vector<double>, std::vector<double>>> expected;  // computed alone
  for (const Task& task : all) {
    const auto backend = test_backend();
    Guest alone(*backend, task);
    alone.solve();
    expected.emplace_back(alone.history, alone.u);
  }
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a; b < all.size(); ++b) {
      SCOPED_TRACE(all[a].name + " beside " + all[b].name);
      const auto backend = test_backend();
      Guest first(*backend, all[a]);
      auto second = std::make_unique<Guest>(*backend, all[b]);
      const auto expect = [&](Guest& guest, std::size_t task) {
        guest.solve();
        EXPECT_EQ(guest.history, expected[task].first);
        EXPECT_EQ(guest.u, expected[task].second);
      };
      expect(first, a);
      expect(*second, b);
      expect(first, a);  // recorded before the other
      second.reset();
      expect(first, a);
      Guest third(*backend, all[b]);  // reuses the freed memory of the second
      expect(third, b);
      expect(first, a);
    }
}

}  // namespace
}  // namespace poisson::shared_backend_tests
