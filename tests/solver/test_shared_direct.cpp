// These tests compare direct solutions on several processes with those of one process.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/grid_model.hpp"
#include "solver/plan.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"

namespace poisson::shared_direct_tests {
namespace {

// Solves and writes the local block of u into the global `all`, x fastest.
Result solve(const Problem& problem, const Options& options, const Sharing& sharing, std::vector<double>& all) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(d, options);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  const Result result = solver->solve(false);
  const HostRead read(solver->solution());
  const Space& space = solver->solution().space();
  const auto &o = space.part().origin(), &n = space.part().all();
  dispatch(solver->solution().precision(), [&]<class T>(T) {
    const auto view = (*read).template view<T>();
    for_each_value(view, false, [&](int i, int j, int k) {
      const std::int64_t line = std::int64_t{k + o[2]} * n[1] + j + o[1];
      all[static_cast<std::size_t>(line * n[0] + i + o[0])] = static_cast<double>(view(i, j, k));
    });
  });
  return result;
}

void expect_same(const Problem& problem, const Options& options, const Parts& parts, double tolerance = 1e-12) {
  SCOPED_TRACE("parts " + std::to_string(parts[0]) + " " + std::to_string(parts[1]) + " " + std::to_string(parts[2]));
  const auto values = static_cast<std::size_t>(make_block(problem).layout().size());
  std::vector<double> wanted(values), found(values);
  const Result one = solve(problem, options, {}, wanted);
  as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
    const Result own = solve(problem, options, {processes, parts, 300}, found);
    EXPECT_TRUE(own.converged()) << own.relative();
    EXPECT_LE(std::abs(own.iterations - one.iterations), 1);
  });
  double size = 0, most = 0;
  for (std::size_t i = 0; i < values; ++i) {
    size = std::max(size, std::abs(wanted[i]));
    most = std::max(most, std::abs(found[i] - wanted[i]));
  }
  EXPECT_LE(most, tolerance * size);
}

Problem problem_of(const NamedFaces& faces, const std::string& scheme, bool stretched, int dimension) {
  Problem p;
  p.dimension = dimension;
  p.boundary = faces.faces;
  bool singular = true;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) {
      if (face.kind == BoundaryKind::robin && !face.alpha.constant()) face.alpha = 1.5;
      singular = singular && (face.kind == BoundaryKind::neumann || face.kind == BoundaryKind::periodic);
    }
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    for (Boundary& face : p.boundary[d])
      if (face.kind != BoundaryKind::periodic && !singular)
        face.value = [](double x, double y, double z) { return 1 + x * y - z; };
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    const int n = std::array{23, 26, 28}[d];
    for (int i = 0; i <= n; ++i) {
      const double t = static_cast<double>(i) / n;
      p.nodes[d].push_back(stretched ? t + 0.3 * t * t : t);
    }
  }
  if (scheme == "cells") p.centering = Centering::cell;
  if (scheme == "elements") p.scheme = Scheme::q1;
  p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(3 * y + z); };
  return p;
}

Options directly() {
  Options options;
  options.method = Method::direct;
  options.precision = SolvePrecision::double_;
  options.tolerance = 1e-13;
  options.max_iterations = 4;
  return options;
}

class SharedDirect : public testing::TestWithParam<std::tuple<NamedFaces, std::string, bool, int>> {};

TEST_P(SharedDirect, IsThatOfOneProcess) {
  const auto& [faces, scheme, stretched, dimension] = GetParam();
  // Every axis is cut into every number of parts in some of the cases.
  static int number = 0;
  ++number;
  Parts parts = uncut_axes;
  parts[static_cast<std::size_t>(number % dimension)] = 2 + number / 3 % 3;
  expect_same(problem_of(faces, scheme, stretched, dimension), directly(), parts);
}

const NamedFaces& faces_named(const std::string& name) {
  static const auto all = all_faces();
  return *std::ranges::find(all, name, &NamedFaces::name);
}

// The cases have slabs of products, lines sent in several turns, and more than two processes in a ring.
TEST(SharedDirectly, InSlabsOfManyLines) {
  for (const char* faces : {"mixed", "periodic_xyz"})
    for (const auto& cells : {std::array{430, 331, 9}, std::array{13, 17, 200}}) {
      Problem p = problem_of(faces_named(faces), "cells", false, 3);
      for (std::size_t d = 0; d < 3; ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
      Options options = directly();
      options.tolerance = 1e-10;
      expect_same(p, options, cells[2] == 9 ? Parts{1, 2, 1} : Parts{1, 1, on_cpu() ? 7 : 3}, 1e-10);
    }
}

TEST(SharedDirectly, InSinglePrecision) {
  Options options = directly();
  options.precision = SolvePrecision::single;
  options.tolerance = 1e-5;
  expect_same(problem_of(faces_named("mixed"), "nodes", true, 3), options, {1, 1, 3}, 1e-4);
}

TEST(SharedDirectly, Preconditions) {
  for (const char* scheme : {"nodes", "cells", "elements"})
    for (const bool smooth : {true, false}) {
      Problem p = problem_of(faces_named("periodic_z"), scheme, true, 3);
      p.coefficient[0] = [smooth](double x, double y, double z) {
        return smooth ? 2 + std::sin(3 * x + y) * std::cos(6.283185307179586 * z) : x + y < 0.8 ? 1.0 : 60.0;
      };
      p.reaction = [](double x, double y, double) { return 1 + x * x + y; };
      Options options{.method = Method::multigrid};
      options.preconditioner = PreconditionerChoice::direct;
      options.tolerance = 1e-12;
      expect_same(p, options, {1, 1, 3}, 1e-9);
      if (std::string_view(scheme) == "cells") expect_same(p, options, {2, 1, 1}, 1e-9);
    }
}

// The direct solver is chosen if slabs lie across one axis and it is predicted to be faster; otherwise multigrid, with
// the reason.
TEST(SharedDirectly, IsChosenWhereTheGridIsCutIntoSlabs) {
  Problem p = problem_of(faces_named("dirichlet"), "nodes", false, 3);
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 128);
  Options options;
  options.method = Method::automatic;
  const auto plan = [&](const Parts& parts) {
    return make_plan(p, options, Assembly::automatic, false, {}, {one_process(), parts});
  };
  EXPECT_EQ(plan({1, 1, 4}).options.method, Method::direct);
  EXPECT_EQ(plan({4, 1, 1}).options.method, Method::direct);
  const Plan blocks = plan({1, 2, 2});
  EXPECT_EQ(blocks.options.method, Method::multigrid);
  EXPECT_NE(blocks.choice.find("cut across more than one"), std::string::npos);
  as_processes(4, [&](const std::shared_ptr<const Processes>& processes) {
    const auto backend = make_cpu_backend();
    const Discretization slabs(*backend, std::as_const(p), Assembly::automatic, Sampling::automatic,
                               {processes, {1, 1, 4}});
    EXPECT_EQ(make_solver(slabs, options)->options().method, Method::direct);
    const Discretization blocks_of(*backend, std::as_const(p), Assembly::automatic, Sampling::automatic,
                                   {processes, {1, 2, 2}});
    EXPECT_EQ(make_solver(blocks_of, options)->options().method, Method::multigrid);
    EXPECT_THROW(make_solver(blocks_of, directly()), InputError);
  });
}

TEST(SharedDirectly, CutsTheAxisThatCostsMost) {
  Problem p = problem_of(faces_named("dirichlet"), "nodes", false, 3);
  const auto parts = [&](int processes) { return direct_parts(p, {1, 1, 1}, processes); };
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 64);
  EXPECT_EQ(parts(4), (Parts{1, 1, 4}));
  p.nodes[1] = geometric_nodes(0, 1, 64, 1.1, StretchedEnd::lower);
  EXPECT_EQ(parts(4), (Parts{1, 4, 1}));
  EXPECT_EQ(parts(17), std::nullopt);
  p.nodes[1] = geometric_nodes(0, 1, 5000, 1.001, StretchedEnd::lower);
  EXPECT_EQ(parts(11), (Parts{1, 11, 1}));
  EXPECT_NE(no_direct_preconditioner(p, {1, 1, 4}).find("another axis than y"), std::string::npos);
}

// Each process must allocate its share of the planned memory.
TEST(SharedDirectly, TakesTheMemoryOfItsPlan) {
  const Problem p = [] {
    Problem of = problem_of(faces_named("mixed"), "nodes", true, 3);
    for (std::size_t d = 0; d < 3; ++d) of.nodes[d] = geometric_nodes(0, 1, 80, 1.02, StretchedEnd::lower);
    return of;
  }();
  const Parts parts{1, 1, 2};
  const Plan plan = make_plan(p, directly(), Assembly::automatic, !on_cpu(), {}, {one_process(), parts});
  as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
    const auto backend = test_backend();
    const Discretization d(*backend, p, Assembly::automatic, Sampling::automatic, {processes, parts});
    const auto solver = make_solver(d, directly());
    d.assemble_rhs(solver->rhs());
    solver->solve(false);
    const auto peak = static_cast<double>(backend->memory().peak()), most = static_cast<double>(plan.most());
    EXPECT_LE(peak, 1.01 * most);
    EXPECT_GE(peak, 0.97 * (most - static_cast<double>(plan.mailbox)));  // this process may have the smaller part
  });
}

// The problems are so small that the predictions for parts and for one process differ.
TEST(SharedDirectly, IsChosenAsByOneProcess) {
  int direct = 0, multigrid = 0;
  for (const bool stretched : {false, true})
    for (const int n : {13, 20, 23, 24, 31, 40, 53, 64})
      for (const int across : {20, 37, 48})
        for (const char* const faces : {"dirichlet", "neumann"}) {
          Problem p = problem_of(faces_named(faces), "nodes", false, 3);
          p.reaction = 1.0;
          p.nodes = {uniform_nodes(0, 1, n), uniform_nodes(0, 1, n), uniform_nodes(0, 1, across)};
          if (stretched) p.nodes[0] = tanh_nodes(0, 1, n, 2, StretchedEnd::lower);
          const auto chosen = [&](const Parts& parts) {
            return make_plan(p, {}, Assembly::automatic, false, {}, {one_process(), parts}).options.method;
          };
          const Method one = chosen(uncut_axes);
          ++(one == Method::direct ? direct : multigrid);
          for (const int count : {2, 3, 5})
            EXPECT_EQ(chosen({1, 1, count}), one)
                << n << " x " << n << " x " << across << " on " << count << ", " << faces;
        }
  EXPECT_GT(direct, 10);
  EXPECT_GT(multigrid, 10);
}

// Checks the share of each process relative to the memory of one process. It includes halos, the line data that
// processes exchange at a time, and exchange buffers between GPUs. `by_all`: bytes replicated on each process.
void expect_shares(int cells, int count, bool gpu, double most, std::size_t by_all = 0) {
  Problem p;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, cells);
  const auto plan = [&](const Sharing& sharing) {
    return make_plan(p, directly(), Assembly::automatic, gpu, {}, sharing);
  };
  const auto whole = static_cast<double>(plan({}).bytes);
  as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
    const Sharing sharing{processes, {1, 1, count}};
    const Plan of_process = plan(sharing);
    EXPECT_EQ(of_process.mailbox > 0, gpu);
    EXPECT_GE(of_process.most(), of_process.bytes + of_process.mailbox);
    const auto own = static_cast<double>(of_process.bytes + of_process.mailbox);
    EXPECT_LE(own, most * whole / count + static_cast<double>(by_all)) << cells << " on " << count;
    EXPECT_GE(own, whole / count) << cells << " on " << count;
  });
}

TEST(SharedDirectly, TakesLittleMoreThanItsShare) {
  expect_shares(160, 2, false, 1.08);
  expect_shares(160, 4, false, 1.13);
}

// Products need memory for modes and for cuBLAS.
TEST(SharedDirectly, TakesLittleMoreThanItsShareOfGpus) {
  constexpr std::size_t of_products = std::size_t{34} << 20;
  for (const auto& [count, most_512, most_1024] :
       {std::tuple{2, 1.10, 1.06}, std::tuple{4, 1.14, 1.09}, std::tuple{8, 1.23, 1.13}}) {
    expect_shares(512, count, true, most_512);
    expect_shares(1024, count, true, most_1024);
    expect_shares(509, count, true, most_512, of_products);
  }
}

// Any number of slabs across the last axis must have the same bits.
TEST(SharedDirectly, ProjectsDataByPlanes) {
  for (const int dimension : {2, 3}) {
    const Problem p = problem_of(faces_named("neumann"), "nodes", true, dimension);
    std::vector<double> of_one;
    for (const int count : {1, 2, 3})
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const auto backend = test_backend();
        Parts parts = uncut_axes;
        parts[static_cast<std::size_t>(dimension) - 1] = count;
        const Discretization d(*backend, p, Assembly::automatic, Sampling::automatic, {processes, parts});
        const auto solver = make_solver(d, directly());
        d.assemble_rhs(solver->rhs());
        Scalar amount = backend->scalar(), before = backend->scalar(), after = backend->scalar();
        solver->A().project_rhs(solver->rhs(), amount, before, after);
        const std::vector sums{backend->value(amount), backend->value(before), backend->value(after)};
        EXPECT_NE(sums[0], 0);
        if (count == 1) of_one = sums;
        for (std::size_t i = 0; i < sums.size(); ++i)  // b of a GPU agrees to a rounding or two
          EXPECT_NEAR(sums[i], of_one[i], on_cpu() ? 0 : 1e-9 * std::abs(of_one[i])) << i << " on " << count;
      });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedDirect,
                         testing::Combine(testing::ValuesIn(all_faces()), testing::Values("nodes", "cells", "elements"),
                                          testing::Bool(), testing::Values(2, 3)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param) +
                                  (std::get<2>(test.param) ? "_stretched_" : "_equidistant_") +
                                  std::to_string(std::get<3>(test.param));
                         });

}  // namespace
}  // namespace poisson::shared_direct_tests
