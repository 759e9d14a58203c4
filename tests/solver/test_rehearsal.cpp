// A rehearsal of set-up must count what set-up allocates, to 1 %.

#include <cmath>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "backends/device/rehearsal.hpp"
#include "backends/spaces/mailbox_layout.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "solver/grid_model.hpp"
#include "tests/measured_memory.hpp"
#include "tests/processes.hpp"
#include "tests/solve.hpp"

namespace poisson::rehearsal_tests {
namespace {

enum class Kappa { constant, smooth, rough };

Quantity kappa_of(Kappa kappa) {
  if (kappa == Kappa::constant) return 2.0;
  if (kappa == Kappa::smooth)
    return Quantity([](double x, double y, double z) { return 1.5 + std::sin(3 * x) * y * (z + 1) / 2; });
  return Quantity([](double x, double y, double z) {  // four decades from cell to cell
    const double random = 43758.5453 * std::sin(127.1 * x + 311.7 * y + 74.7 * z);
    return std::pow(10, 4 * (random - std::floor(random)));
  });
}

struct Case {
  std::string_view name;
  Problem problem;
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};

Problem box(int dimension, int cells) {
  Problem p;
  p.dimension = dimension;
  for (int d = 0; d < 3; ++d)
    p.nodes[static_cast<std::size_t>(d)] = d < dimension ? uniform_nodes(0, 1, cells) : std::vector<double>{};
  p.source = [](double x, double y, double z) { return x * y + z; };
  return p;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int dimension : {2, 3}) {
    const Problem nodes = box(dimension, dimension == 2 ? 220 : 40);
    Problem cells = nodes, elements = nodes, compact = nodes, flat = nodes, faces = nodes;
    cells.centering = Centering::cell;
    elements.scheme = Scheme::q1;
    compact.scheme = Scheme::compact4;
    flat.nodes[1] = uniform_nodes(0, 0.05, 40);
    faces.reaction = [](double x, double, double) { return 1 + x; };
    faces.boundary[0][0] = {BoundaryKind::robin, 1.0, 2.0};
    for (Boundary& face : faces.boundary[1]) face.kind = BoundaryKind::periodic;
    faces.boundary[0][1].kind = BoundaryKind::neumann;
    const bool plane = dimension == 2;
    all.insert(all.end(), {{plane ? "Nodes2" : "Nodes3", nodes},
                           {plane ? "Cells2" : "Cells3", cells},
                           {plane ? "Elements2" : "Elements3", elements},
                           {plane ? "Compact2" : "Compact3", compact},
                           {plane ? "Flat2" : "Flat3", flat},
                           {plane ? "Faces2" : "Faces3", faces}});
  }
  return all;
}

// On a GPU, tables of axes and recorded steps of small grids are counted to a few per cent.
double tolerance() {
  return on_cpu() ? 0.01 : 0.03;
}

// Plans for GPUs include an allowance, which may be unused.
double slack() {
  return on_cpu() ? 0 : 2 * static_cast<double>(Plan::allowance);
}

// Only the values of κ determine the tables of strong clusters. The plan contains a bound of these tables.
bool has_clusters(const Plan& plan, const KappaSummary& kappa) {
  return plan.options.coarse_operator == CoarseOperator::galerkin && kappa.jumps.rough();
}

class Rehearsal : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(Rehearsal, CountsWhatSetUpAllocates) {
  for (const Kappa kappa : {Kappa::constant, Kappa::smooth, Kappa::rough})
    for (const Method method : {Method::automatic, Method::multigrid, Method::cg, Method::jacobi, Method::direct})
      for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single}) {
        Problem problem = GetParam().problem;
        problem.coefficient[0] = kappa_of(kappa);
        if (method == Method::direct && (kappa != Kappa::constant || !problem.reaction.constant())) continue;
        if (problem.scheme == Scheme::compact4 && kappa != Kappa::constant) continue;
        SCOPED_TRACE(testing::Message() << "κ " << static_cast<int>(kappa) << ", method " << static_cast<int>(method)
                                        << ", precision " << static_cast<int>(precision));
        Options options{.method = method};
        options.precision = precision;
        options.tolerance = 0;
        options.max_iterations = 1;
        Solve s(problem, options);
        s.run();
        const auto peak = static_cast<double>(s.backend().memory().peak());
        const KappaSummary found{s.discretization().rows().kappa, s.discretization().jumps()};
        const Plan plan = make_plan(problem, options, Assembly::automatic, !on_cpu(), found);
        const auto most = static_cast<double>(plan.most());
        const bool bounded = has_clusters(plan, found);
        EXPECT_GE(most, (bounded ? 1 : 1 - tolerance()) * peak);
        EXPECT_LE(most, (bounded ? 1.8 : 1 + tolerance()) * peak + slack());
        EXPECT_EQ(plan.levels.size(), static_cast<std::size_t>(s.solver().levels()));
        std::size_t sum = 0;
        for (const Plan::Level& level : plan.levels) sum += level.bytes;
        EXPECT_EQ(sum, plan.bytes);
      }
}

INSTANTIATE_TEST_SUITE_P(, Rehearsal, testing::ValuesIn(cases()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(Rehearsals, ComputeNothing) {
  RehearsalBackend backend(BackendKind::cpu);
  EXPECT_TRUE(rehearses(backend));
  EXPECT_FALSE(rehearses(*make_cpu_backend()));
  Layout layout;
  layout.n = {1 << 12, 1 << 12, 1 << 12};
  const std::size_t bytes = static_cast<std::size_t>(layout.allocated(Precision::fp64)) * sizeof(double);
  {
    Field x(backend, layout, Precision::fp64), y(backend, layout, Precision::fp64);
    EXPECT_NE(x.data(), y.data());
    Scalar sum = backend.scalar(3);
    backend.fill(x, 1);
    backend.dot(x, y, sum);
    EXPECT_EQ(backend.value(sum), 0);
    EXPECT_EQ(backend.memory().now(), 2 * bytes + sizeof(double));
    EXPECT_EQ(backend.fields().size(), 1U);
    EXPECT_EQ(backend.fields().begin()->second, 2 * bytes);
  }
  EXPECT_EQ(backend.memory().now(), 0U);
  EXPECT_EQ(backend.memory().peak(), 2 * bytes + sizeof(double));
}

// A plan must not evaluate data: before a run datasets are not read, and large grids have too many values.
TEST(Rehearsals, EvaluateNoData) {
  Problem p = box(3, 20);
  int calls = 0;
  const auto counted = [&calls](double, double, double) {
    ++calls;
    return 1.0;
  };
  p.coefficient[0] = p.reaction = p.source = Quantity(counted);
  p.boundary[0][0] = {BoundaryKind::robin, Quantity(counted), Quantity(counted)};
  p.boundary[1][0].value = Quantity(std::make_shared<const GridArray>());
  p.boundary[1][1] = mixed_bc({{{BoundaryKind::dirichlet, Quantity(counted)}, Quantity(counted)},
                               {{BoundaryKind::neumann, Quantity(counted)}, 1.0}});
  for (const Centering centering : {Centering::node, Centering::cell}) {
    p.centering = centering;
    for (const Parts& parts : {uncut_axes, Parts{1, 1, 2}})
      EXPECT_GT(make_plan(p, Options{.method = Method::multigrid}, Assembly::automatic, false, KappaSummary(),
                          {one_process(), parts})
                    .bytes,
                0U);
  }
  EXPECT_EQ(calls, 0);
}

// The process that is rehearsed need not be the first one, but its errors must be reported.
TEST(Rehearsals, ReportErrors) {
  Problem p = box(3, 20);
  p.coefficient[0] = -1.0;
  for (const Parts& parts : {uncut_axes, Parts{1, 1, 3}})
    EXPECT_THROW(make_plan(p, Options{.method = Method::multigrid}, Assembly::automatic, false, KappaSummary(),
                           {one_process(), parts}),
                 ValueErrors);
}

TEST(Rehearsals, CountTheLargestPart) {
  struct Run {
    std::string name;
    Problem problem;
    Options options{.method = Method::multigrid};
  };
  Options galerkin{.method = Method::multigrid};
  galerkin.coarse_operator = CoarseOperator::galerkin;
  Problem nodes = box(3, 40), cells = nodes, elements = nodes, flat = nodes;
  for (Problem* p : {&nodes, &cells, &elements, &flat}) p->coefficient[0] = kappa_of(Kappa::smooth);
  cells.centering = Centering::cell;
  elements.scheme = Scheme::q1;
  flat.nodes[2] = uniform_nodes(0, 0.01, 40);
  for (const Run& run : {Run{"constant", box(3, 40)}, Run{"nodes", nodes}, Run{"cells", cells},
                         Run{"elements", elements}, Run{"lines", flat}, Run{"Galerkin", nodes, galerkin}})
    for (const Parts& parts : {Parts{1, 1, 2}, Parts{1, 1, 3}, Parts{1, 2, 2}, Parts{1, 1, 5}}) {
      const int count = parts[0] * parts[1] * parts[2];
      SCOPED_TRACE(run.name + ", " + std::to_string(count));
      std::mutex mutex;
      double peak = 0, most = 0, some = 0;
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const MeasuredMemory own = measure_memory(run.problem, run.options, {processes, parts, 3000});
        const std::lock_guard lock(mutex);
        peak = std::max(peak, own.peak);
        most = static_cast<double>(own.plan.most());
        some = static_cast<double>(own.plan.bytes + own.plan.setup);  // the mailbox is the largest of all transports
      });
      EXPECT_GE(most, (1 - tolerance()) * peak);
      EXPECT_LE(some, (1 + tolerance()) * peak + slack());
    }
}

}  // namespace
}  // namespace poisson::rehearsal_tests
