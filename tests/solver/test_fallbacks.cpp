// Fallbacks must announce themselves and be refused if they would need too much time or memory. Their cost must be
// predicted before they start.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "solver/fallbacks/cost.hpp"
#include "solver/fallbacks/dissection.hpp"
#include "solver/fallbacks/factorization.hpp"
#include "solver/fallbacks/offer.hpp"
#include "solver/plan.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/solve.hpp"

namespace poisson::fallbacks_tests {
namespace {

Problem box(std::array<int, 3> cells, Centering centering = Centering::cell) {
  Problem p;
  p.dimension = cells[2] > 0 ? 3 : 2;
  p.centering = centering;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
  p.source = 1.0;
  return p;
}

Problem random_cells(std::array<int, 3> cells) {
  Problem p = box(cells);
  GridArray kappa{Location::cell, {cells[0], cells[1], std::max(cells[2], 1)}, {}};
  std::mt19937 bits(7);
  for (std::int64_t i = 0; i < kappa.shape[0] * kappa.shape[1] * kappa.shape[2]; ++i)
    kappa.values.push_back(bits() % 2 == 0 ? 1e6 : 1.0);
  p.coefficient[0] = kappa;
  return p;
}

Options diverging() {
  Options o;
  o.smoother.kind = &smoother_kind("red-black");
  o.smoother.given["relaxation"] = 2.5;
  o.smoother.pre = o.smoother.post = 2;
  return o;
}

// Provides a solver whose only fallback is refused.
struct Refused {
  Refused(const Problem& problem, const Options& asked, const Offer& offer)
      : backend(test_backend()), discretization(*backend, problem) {
    const KappaSummary kappa{discretization.rows().kappa, discretization.jumps()};
    const Plan plan = make_plan(discretization.problem(), asked, discretization.assembly(), backend->on_gpu(), kappa,
                                discretization.sharing());
    SolverParts parts;
    parts.A = discretization.make_operator(Precision::fp64);
    parts.hierarchy = discretization.make_hierarchy(plan.hierarchy);
    parts.options = plan.options;
    parts.chain = {{"a fallback", [offer] { return offer; },
                    [this]() -> std::unique_ptr<Preconditioner> {
                      ++made;
                      return nullptr;
                    }}};
    solver = std::make_unique<Solver>(std::move(parts));
    solver->on_fallback([this](const std::string& line) { heard.push_back(line); });
    discretization.assemble_rhs(solver->rhs());
    discretization.initialize(solver->solution());
  }
  double residual() {
    const std::shared_ptr<const Operator> A = discretization.make_operator(Precision::fp64);
    Field r(*backend, A->space(), Precision::fp64);
    Scalar one = backend->scalar(1), norm = backend->scalar();
    backend->fill(r, 0);
    A->residual(solver->solution(), solver->rhs(), r, one, norm);
    return std::sqrt(backend->value(norm));
  }

  std::unique_ptr<Backend> backend;
  Discretization discretization;
  std::unique_ptr<Solver> solver;
  std::vector<std::string> heard;
  int made = 0;
};

const Offer too_slow{Offer::Kind::refused, "13824 unknowns, predicted 2 h and 1 GiB", "that is more than 60 s"};

TEST(Fallbacks, AreNotMadeForDataThatAreNotFinite) {
  Options options;
  options.method = Method::multigrid;
  Refused s(box({8, 8, 8}), options, {});
  s.backend->fill(s.solver->rhs(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(s.solver->solve(false).verdict, Verdict::not_finite);
  EXPECT_EQ(s.made, 0);
  EXPECT_TRUE(s.heard.empty());
}

TEST(Fallbacks, PredictTheCostOfADissection) {
  for (const std::array<int, 3> cells :
       {std::array{5, 4, 0}, std::array{37, 52, 0}, std::array{100, 3, 0}, std::array{7, 9, 11}, std::array{23, 8, 14},
        std::array{2, 2, 40}, std::array{17, 17, 17}})
    for (int periodic = 0; periodic < 8; ++periodic) {
      Problem p = box(cells);
      for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
        if (periodic >> d & 1) p.boundary[d][0].kind = p.boundary[d][1].kind = BoundaryKind::periodic;
      if (p.dimension == 2 && periodic > 3) continue;
      p.reaction = 1.0;
      Solve s(p, {});
      const std::shared_ptr<const Operator> A = s.discretization().make_operator(Precision::fp64);
      const UnknownGrid grid(A->space(), false);
      const DissectionCost predicted = predict_dissection(grid.n, grid.periodic);
      const Factorization::Cost counted = Factorization(A).cost();
      EXPECT_NEAR(predicted.flops, counted.flops, 1e-9 * counted.flops) << cells[0] << " " << periodic;
      EXPECT_EQ(predicted.bytes, counted.bytes) << cells[0] << " " << periodic;
      EXPECT_LE(predicted.small_flops, predicted.flops);
      EXPECT_LT(predicted.factors, predicted.bytes);
    }
}

TEST(Fallbacks, PredictionsGrowWithTheGrid) {
  const HostSpeed speed;
  for (const auto cost_of : {cost_of_factorization, cost_of_algebraic_multigrid})
    for (const int dimension : {2, 3}) {
      FallbackCost last;
      for (const int n : {20, 60, 200, 600, 1200}) {
        Layout layout;
        layout.n = {n, n, dimension == 3 ? n : 1};
        const FallbackCost cost = cost_of(UnknownGrid(Space(layout), false), speed);
        EXPECT_GT(cost.setup, last.setup);
        EXPECT_GT(cost.iteration, last.iteration);
        EXPECT_GT(cost.bytes, last.bytes);
        if (n == 20) {
          EXPECT_LT(cost.seconds(), 1);
        }
        if (n == 1200 && dimension == 3) {
          EXPECT_GT(cost.seconds(), 600);
        }
        last = cost;
      }
    }
}

TEST(Fallbacks, AreRefusedIfTheyNeedTooMuchTimeOrMemory) {
  FallbackCost cost;
  cost.unknowns = 1000000;
  cost.setup = 50;
  cost.iteration = 1;
  cost.iterations = 9;
  cost.bytes = std::size_t{3} << 30;
  const double room = 4e9;
  EXPECT_EQ(judge(cost, Fallback::automatic, room, 1).kind, Offer::Kind::accepted);
  EXPECT_EQ(judge(cost, Fallback::automatic, room, 1).cost, "1000000 unknowns, predicted 59 s and 3 GiB");
  cost.iterations = 11;
  const Offer slow = judge(cost, Fallback::automatic, room, 1);
  EXPECT_EQ(slow.kind, Offer::Kind::refused);
  for (const char* remedy : {"more than 60 s", "solver.fallback: always", "solver.smoother", "solver.tolerance"})
    EXPECT_NE(slow.refusal.find(remedy), std::string::npos) << slow.refusal;
  EXPECT_EQ(judge(cost, Fallback::always, room, 1).kind, Offer::Kind::accepted);
  const Offer large = judge(cost, Fallback::always, 2e9, 2);
  EXPECT_EQ(large.kind, Offer::Kind::refused);
  EXPECT_NE(large.refusal.find("1.86 GiB of the host's memory in each process"), std::string::npos) << large.refusal;
}

TEST(Fallbacks, AnnounceThemselvesBeforeTheirWork) {
  Options options;
  options.coarse_operator = CoarseOperator::rediscretized;
  Solve s(random_cells({40, 40, 0}), options);
  std::vector<std::string> heard;
  int iterations = -1, at = -1;
  s.solver().on_fallback([&](const std::string& line) {
    heard.push_back(line);
    at = iterations;
  });
  const Result result = s.run(false, [&](const Solver::Progress& p) {
    iterations = p.iteration;
    return true;
  });
  ASSERT_TRUE(result.converged());
  ASSERT_EQ(result.steps.size(), 1u);
  EXPECT_EQ(heard, result.steps);
  EXPECT_LT(at, result.iterations);
  EXPECT_TRUE(result.refused.empty());
  for (const char* part : {"after ", "factorization", "on the host", "1600 unknowns, predicted 0.0", " s and ", "iB"})
    EXPECT_NE(heard[0].find(part), std::string::npos) << heard[0];
}

TEST(Fallbacks, RefusalEndsADivergedIterationWithItsBestIterate) {
  Refused s(box({24, 24, 24}, Centering::node), diverging(), too_slow);
  const Result result = s.solver->solve(false);
  EXPECT_EQ(result.verdict, Verdict::stagnated);
  EXPECT_EQ(s.made, 0);
  ASSERT_EQ(s.heard.size(), 1u);
  EXPECT_EQ(s.heard, result.steps);
  EXPECT_EQ(result.refused, s.heard[0]);
  for (const char* part : {"(the residual grew by 10⁶): a fallback", "predicted 2 h", "not started", "60 s"})
    EXPECT_NE(result.refused.find(part), std::string::npos) << result.refused;
  EXPECT_LE(result.relative(), (1 + 1e-9) * result.history.front());
  EXPECT_NEAR(s.residual(), result.final, 1e-6 * result.final);
}

TEST(Fallbacks, ResumeTheSlowIterationIfAllAreRefused) {
  Options o;
  o.max_iterations = 80;
  o.coarse_operator = CoarseOperator::rediscretized;
  Refused s(random_cells({64, 64, 0}), o, too_slow);
  const Result result = s.solver->solve(false);
  ASSERT_EQ(s.heard.size(), 1u);
  EXPECT_GT(result.iterations, 40);
  EXPECT_FALSE(result.refused.empty());
  EXPECT_NEAR(s.residual(), result.final, 1e-6 * result.final);
}

TEST(Fallbacks, ReportMemoryThatRunsOut) {
  Refused s(box({24, 24, 24}, Centering::node), diverging(), {Offer::Kind::accepted, "13824 unknowns", {}});
  const Result result = s.solver->solve(false);
  EXPECT_EQ(s.made, 1);
  ASSERT_EQ(result.steps.size(), 2u);
  EXPECT_NE(result.refused.find("memory ran out"), std::string::npos) << result.refused;
  EXPECT_EQ(result.verdict, Verdict::stagnated);
}

// Cycles that break down immediately have stored no iterate; the fallback must keep the data of Dirichlet nodes.
TEST(Fallbacks, KeepDirichletDataWhereCyclesBreakDownAtOnce) {
  Problem p = box({8, 12, 0}, Centering::node);
  for (std::size_t d = 0; d < 2; ++d)
    p.nodes[d] = geometric_nodes(0, 1, d == 0 ? 8 : 12, geometric_ratio(1e8, d == 0 ? 8 : 12, StretchedEnd::upper),
                                 StretchedEnd::upper);
  p.isotropic = false;
  p.coefficient = {1e-3, 1e3, 1.0};
  p.source = 0.0;
  p.exact = [](double, double y, double) { return 1 + y; };
  p.boundary[0] = {Boundary{BoundaryKind::dirichlet, *p.exact}, Boundary{BoundaryKind::neumann, 0.0}};
  p.boundary[1] = {Boundary{BoundaryKind::dirichlet, 1.0}, Boundary{BoundaryKind::neumann, 1e3}};
  Options o;
  o.method = Method::multigrid;
  Solve s(p, o);
  for (int again = 0; again < 2; ++again) {
    s.reset();
    const Result r = s.run();
    ASSERT_FALSE(r.steps.empty());
    const auto begins = [&](const char* reason) { return r.steps[0].find(reason) != std::string::npos; };
    EXPECT_TRUE(begins("not a finite number") || begins("the residual grew")) << r.steps[0];
    EXPECT_TRUE(r.converged());
    EXPECT_LT(error_norms(s.discretization(), s.solution()).max, 1e-6);
  }
}

}  // namespace
}  // namespace poisson::fallbacks_tests
