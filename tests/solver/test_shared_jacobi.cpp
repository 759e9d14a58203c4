// method: jacobi on several processes makes as many sweeps per pass as halos are wide, and must have the iterates of
// one process.

#include <array>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/sweep_passes.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"
#include "tests/oracles/same_values.hpp"
#include "tests/parts.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"

namespace poisson::shared_jacobi_tests {
namespace {

struct Run {
  std::vector<double> history;
  int sweeps = 0;             // per pass; 0: no pass
  bool without_pass = false;  // no pass is faster: rows store κ, in 3-D on a GPU
  bool singular = false;
};

// Makes two iterations from the initial guess and writes the local block of the iterate into `all`.
Run iterate(const Problem& problem, SolvePrecision precision, const Sharing& sharing, std::vector<double>& all) {
  Options options;
  options.method = Method::jacobi;
  options.tolerance = 0;
  options.max_iterations = 2;
  options.precision = precision;
  const auto backend = test_backend();
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(d, options);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  Run run;
  const Result result = solver->solve(true);
  for (const double relative : result.history) run.history.push_back(relative * result.reference);
  run.singular = solver->A().singular();
  const bool varies = std::visit([](const auto& rows) { return rows.variable(); }, d.scheme_rows());
  run.without_pass = varies && (backend->on_gpu() || problem.dimension == 3);
  if (const auto pass = make_sweep_pass(*backend, d.scheme_rows(), solver->A().precision()))
    run.sweeps = pass->sweeps();
  put_part(solver->solution(), all);
  return run;
}

void expect_iterates_of_one(const Problem& problem, SolvePrecision precision, const Parts& parts) {
  SCOPED_TRACE("parts " + std::to_string(parts[0]) + " " + std::to_string(parts[1]) + " " + std::to_string(parts[2]));
  const double rounding = precision == SolvePrecision::single ? 1e-5 : 1e-12;
  const auto values = static_cast<std::size_t>(make_block(problem).layout().size());
  std::vector<double> wanted(values), found(values, -1e9);
  const Run one = iterate(problem, precision, {}, wanted);
  as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
    const Run own = iterate(problem, precision, {processes, parts, 300}, found);
    EXPECT_EQ(own.sweeps, own.without_pass ? 0 : cut_halo);
    ASSERT_EQ(own.history.size(), one.history.size());
    for (std::size_t i = 0; i < own.history.size(); ++i)
      EXPECT_NEAR(own.history[i], one.history[i], rounding * one.history[0]);
  });
  if (!one.singular) return expect_same_values(found, wanted, rounding);
  for (std::size_t i = 0; i < values; ++i)  // means are sums of all parts
    ASSERT_NEAR(found[i], wanted[i], rounding * (1 + std::abs(wanted[i])));
}

TEST(SharedJacobi, HasTheIteratesOfOneProcess) {
  const std::array<Parts, 7> bodies{{{1, 1, 2}, {1, 1, 3}, {1, 2, 2}, {2, 1, 1}, {1, 1, 4}, {3, 1, 1}, {2, 2, 1}}};
  const std::array<Parts, 5> planes{{{1, 2, 1}, {3, 1, 1}, {1, 4, 1}, {2, 2, 1}, {1, 3, 1}}};
  std::size_t turn = 0;
  for (const NamedFaces& faces : all_faces())
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const bool flat : {false, true}) {
        const Kappa kappa = std::array{Kappa::constant, Kappa::constant_tensor, Kappa::random}[turn % 3];
        const NamedGrid& grid = all_grids[turn % 4];
        SCOPED_TRACE(faces.name + ", " + grid.name + ", choice " + std::to_string(turn));
        const ProblemChoice choice{.dimension = flat ? 2 : 3,
                                   .cells = flat ? std::array{95, 71, 1} : std::array{25, 22, 27},
                                   .kappa = kappa,
                                   .sigma = turn % 2 == 0 ? Sigma::zero : Sigma::constant,
                                   .centering = centering};
        expect_iterates_of_one(with_data(faces, grid, choice),
                               turn % 5 == 0 ? SolvePrecision::single : SolvePrecision::double_,
                               flat ? planes[turn % planes.size()] : bodies[turn % bodies.size()]);
        ++turn;
      }
}

}  // namespace
}  // namespace poisson::shared_jacobi_tests
