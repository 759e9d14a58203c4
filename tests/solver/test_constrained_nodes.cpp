// These tests cover mixed boundary faces for unknowns at nodes: nodes of Dirichlet parts are constrained.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/results/integrals.hpp"
#include "solver/plan.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/convergence.hpp"
#include "tests/oracles/problem_in_parts.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/oracles/reference_elements.hpp"
#include "tests/oracles/same_values.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/solve.hpp"

namespace poisson::constrained_nodes_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
               P = BoundaryKind::periodic;

Options tight() {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-11;
  o.precision = SolvePrecision::double_;
  return o;
}

/// Returns varying κ, σ and data on cells of several widths, constant if elements sample them elsewhere for flows.
Problem nodes_between(const std::array<Boundary, 2>& across_x, Scheme scheme) {
  Problem p;
  p.scheme = scheme;
  p.nodes = {tanh_nodes(0, 1, 12, 1.5, StretchedEnd::both), uniform_nodes(0, 1, 16), uniform_nodes(0, 2, 14)};
  p.coefficient[0] = 1.5;
  p.reaction = 0.5;
  if (scheme == Scheme::fv) {
    p.coefficient[0] = [](double x, double y, double z) { return 1 + x + 0.5 * std::sin(4 * y) * z; };
    p.reaction = [](double x, double, double) { return 0.5 + x; };
  }
  p.source = [](double x, double y, double z) { return 1 + x * y - z; };
  p.boundary = {{across_x, {Boundary{D, 0.25}, Boundary{N, 0.0}}, {Boundary{N, 1.0}, Boundary{R, 1.0, 2.0}}}};
  return p;
}
Boundary given(BoundaryKind kind) {
  return {kind, [](double, double y, double z) { return 1 + y * z; }, [](double, double y, double) { return 1.5 + y; }};
}
Quantity where(const std::function<bool(double, double, double)>& inside) {
  return Quantity([=](double x, double y, double z) { return inside(x, y, z) ? 1.0 : 0.0; });
}
const Quantity lower_half = where([](double, double y, double) { return y < 0.5; });

/// Returns a problem with parts of all kinds on faces that meet each other and Dirichlet and Neumann faces, or with a
/// periodic y.
Problem parts_everywhere(int dimension, Scheme scheme, bool periodic = false) {
  Problem p;
  p.dimension = dimension;
  p.scheme = scheme;
  const std::array n{23, 26, 21};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    p.nodes[d] = uniform_nodes(0, 1, n[d] + (dimension == 2 ? 14 : 0));
  p.coefficient[0] = [](double x, double y, double z) { return 2 + std::sin(3 * x + y) * std::cos(2 * z - y); };
  p.reaction = [](double x, double y, double z) { return x * x + y + z; };
  p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(3 * y + z); };
  const Quantity low = where([](double x, double y, double z) { return x + y + z < 0.8; });
  const Quantity high = where([](double x, double y, double z) { return x + y - z > 1.3; });
  const auto face = [&](double g) {
    return mixed_bc({{given(D), low}, {Boundary{D, g}, high}, {given(R), lower_half}, {Boundary{N, 0.3}}});
  };
  p.boundary = {{{face(1), face(2)}, {face(3), Boundary{N, 1.0}}, {face(4), Boundary{D, 0.5}}}};
  if (periodic) p.boundary[1] = {Boundary{P}, Boundary{P}};
  return p;
}

class ConstrainedNodes : public testing::TestWithParam<Scheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, ConstrainedNodes, testing::Values(Scheme::fv, Scheme::q1),
                         [](const auto& test) { return test.param == Scheme::fv ? "volumes" : "elements"; });

Balance balance_of(Solve& s) {
  return balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
}

TEST_P(ConstrainedNodes, OfOneKindAreThatKind) {
  for (const BoundaryKind kind : {D, N, R}) {
    Solve plain(nodes_between({given(kind), Boundary{D, 0.5}}, GetParam()), tight());
    const Boundary face = mixed_bc({{given(kind), lower_half}, {given(kind)}});
    Solve parts(nodes_between({face, Boundary{D, 0.5}}, GetParam()), tight());
    const Result one = plain.run(), several = parts.run();
    ASSERT_TRUE(one.converged());
    ASSERT_TRUE(several.converged());
    EXPECT_LE(several.iterations, one.iterations + 3);
    const std::vector<double> u = values(plain.solution()), v = values(parts.solution());
    for (std::size_t i = 0; i < u.size(); ++i)
      ASSERT_NEAR(u[i], v[i], 1e-9) << "kind " << static_cast<int>(kind) << ", value " << i;
    const Balance a = balance_of(plain), b = balance_of(parts);
    for (std::size_t f = 0; f < a.flux.size(); ++f) EXPECT_NEAR(a.flux[f], b.flux[f], 1e-8) << "face " << f;
  }
}

/// The solution has its data on the parts of four faces, in two and three dimensions.
TEST_P(ConstrainedNodes, KeepTheOrder) {
  for (const int dimension : {2, 3}) {
    const auto problem = [&](int n) {
      // The parts end within cells.
      Problem p = problem_in_parts(dimension, 0.47, n);
      p.scheme = GetParam();
      return p;
    };
    const std::vector<int> cells = dimension == 2 ? std::vector{16, 32, 64, 128} : std::vector{16, 32};
    const auto orders = observed_orders(cells, problem, tight());
    record_least(orders);
    for (const ObservedOrder& order : orders) {
      EXPECT_GE(order.l2(), 1.8) << order;
      EXPECT_GE(order.max(), 1.8) << order;
    }
  }
}

/// The test compares with elimination in the dense matrix of natural boundaries with constrained nodes.
TEST_P(ConstrainedNodes, SolveTheDenseSystem) {
  for (const int dimension : {2, 3}) {
    Problem p;
    p.dimension = dimension;
    p.scheme = GetParam();
    p.nodes = {uniform_nodes(0, 1, 5), {0, 0.3, 0.5, 0.8, 1.4}, {}};
    if (dimension == 3) p.nodes[2] = {0, 0.5, 0.7, 1};
    p.coefficient[0] = 1.5;
    p.reaction = 0.7;
    p.source = 2.0;
    for (auto& axis : p.boundary) axis = {Boundary{N, 0.0}, Boundary{N, 0.0}};
    const reference::System s = GetParam() == Scheme::fv ? reference::assemble(p) : reference::assemble_elements(p);
    // On x+ the cells with centres below y = 0.7 are constrained, and those above receive a flux of 3. In 3-D the cells
    // behind z = 0.4 are insulated.
    p.boundary[0][1] = mixed_bc({{Boundary{N, 0.0}, where([](double, double, double z) { return z > 0.4; })},
                                 {Boundary{D, [](double, double y, double) { return 4 + y; }},
                                  where([](double, double y, double) { return y < 0.7; })},
                                 {Boundary{N, 3.0}}});
    const std::size_t count = s.grid.count();
    std::vector<std::vector<double>> A(count, std::vector<double>(count));
    std::vector<double> b(count), wanted(count);
    std::vector<bool> constrained(count);
    for (std::size_t i = 0; i < count; ++i) {
      A[i][i] = static_cast<double>(s.diagonal[i]);
      for (const auto& entry : s.neighbours[i]) A[i][entry.column] = static_cast<double>(entry.value);
      b[i] = 2 * static_cast<double>(s.mass[i]);
    }
    for (int k = 0; k < std::max(1, s.grid.cells[2]); ++k)
      for (int j = 0; j < s.grid.cells[1]; ++j) {
        const bool cube = dimension == 3, insulated = cube && k >= 1, first = j < 3;  // centres 0.25, 0.6, 0.85
        const double area =
            (p.nodes[1][static_cast<std::size_t>(j) + 1] - p.nodes[1][static_cast<std::size_t>(j)]) *
            (cube ? p.nodes[2][static_cast<std::size_t>(k) + 1] - p.nodes[2][static_cast<std::size_t>(k)] : 1);
        if (insulated) continue;
        for (int c = 0; c < (cube ? 4 : 2); ++c) {
          const std::size_t node = s.grid.number({5, j + c % 2, cube ? k + c / 2 : 0});
          if (first) {
            constrained[node] = true;
            wanted[node] = 4 + p.nodes[1][static_cast<std::size_t>(j + c % 2)];
          } else {
            b[node] += 3 * area / (cube ? 4 : 2);
          }
        }
      }
    for (std::size_t i = 0; i < count; ++i)
      if (constrained[i]) {
        std::ranges::fill(A[i], 0.0);
        A[i][i] = 1;
        b[i] = wanted[i];
      }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t r = i + 1; r < count; ++r) {
        const double factor = A[r][i] / A[i][i];
        for (std::size_t c = i; c < count && factor != 0; ++c) A[r][c] -= factor * A[i][c];
        b[r] -= factor * b[i];
      }
    for (std::size_t i = count; i-- > 0;) {
      for (std::size_t c = i + 1; c < count; ++c) b[i] -= A[i][c] * b[c];
      b[i] /= A[i][i];
    }
    Solve solve(p, tight());
    ASSERT_TRUE(solve.run().converged());
    const std::vector<double> u = values(solve.solution());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_NEAR(u[i], b[i], 1e-9) << dimension << ", node " << i;
      if (constrained[i]) {
        ASSERT_EQ(u[i], wanted[i]) << i;
      }
    }
  }
}

TEST_P(ConstrainedNodes, CloseTheBalance) {
  for (const auto& [dimension, periodic] : {std::pair{2, false}, {3, false}, {2, true}, {3, true}}) {
    Solve solve(parts_everywhere(dimension, GetParam(), periodic), tight());
    const std::vector<double> before = values(solve.rhs());
    ASSERT_TRUE(solve.run().converged());
    EXPECT_EQ(values(solve.rhs()), before);
    const Balance b = balance_of(solve);
    double in = b.source - b.reaction;
    for (const double flux : b.flux) in += flux;
    EXPECT_NEAR(in, -b.residual, 1e-12 * throughput(b));
    EXPECT_LE(std::abs(b.residual), 1e-8 * throughput(b));
    const std::vector<double> u = values(solve.solution());
    solve.reset();
    ASSERT_TRUE(solve.run().converged());
    EXPECT_EQ(values(solve.solution()), u);
  }
}

/// All assemblies and solvers must agree.
TEST_P(ConstrainedNodes, AgreeInAllMethods) {
  for (const int dimension : {2, 3}) {
    const Problem p = parts_everywhere(dimension, GetParam());
    Solve plain(p, tight());
    ASSERT_TRUE(plain.run().converged());
    const std::vector<double> wanted = values(plain.solution());
    const auto agrees = [&](const Options& options, Assembly assembly, double tolerance) {
      Solve solve(p, options, assembly);
      const Result result = solve.run();
      EXPECT_TRUE(result.converged()) << name_of(result.verdict);
      const std::vector<double> u = values(solve.solution());
      for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], wanted[i], tolerance) << i;
    };
    Options o = tight();
    agrees(o, Assembly::full, 1e-8);
    if (GetParam() == Scheme::fv) {
      agrees(o, Assembly::partial, 1e-8);
      agrees(o, Assembly::recompute, 1e-8);
    }
    for (const CoarseOperator coarse : {CoarseOperator::galerkin, CoarseOperator::rediscretized}) {
      o.coarse_operator = coarse;
      agrees(o, Assembly::automatic, 1e-8);
    }
    for (const Cycle cycle : {Cycle::w, Cycle::f}) {
      o.cycle = cycle;
      agrees(o, Assembly::automatic, 1e-8);
    }
    for (const char* smoother : {"chebyshev", "jacobi", "red-black"})
      for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
        o = tight();
        o.smoother.kind = &smoother_kind(smoother);
        o.krylov = krylov;
        o.max_iterations = 200;
        agrees(o, Assembly::automatic, 1e-8);
      }
    o = tight();
    o.precision = SolvePrecision::mixed;
    agrees(o, Assembly::automatic, 1e-8);
    o.method = Method::cg;
    o.max_iterations = 2000;
    agrees(o, Assembly::automatic, 1e-8);
    o = {};
    o.precision = SolvePrecision::single;
    o.tolerance = 1e-4;
    agrees(o, Assembly::automatic, 1e-3);
  }
}

/// One to three axes are stretched, which requires lines and planes.
TEST_P(ConstrainedNodes, KeepTheirValuesUnderLinesAndPlanes) {
  for (int stretched = 1; stretched <= 3; ++stretched) {
    Problem p = parts_everywhere(3, GetParam());
    for (std::size_t d = 0; d < static_cast<std::size_t>(stretched); ++d)
      p.nodes[2 - d] = tanh_nodes(0, 1, 24, 3.5, d == 0 ? StretchedEnd::lower : StretchedEnd::both);
    Options o = tight();
    Solve solve(p, o);
    const Result result = solve.run();
    EXPECT_TRUE(result.converged()) << name_of(result.verdict);
    EXPECT_LE(result.iterations, 22) << stretched;
    o.method = Method::cg;
    o.max_iterations = 5000;
    Solve plain(p, o);
    EXPECT_TRUE(plain.run().converged());
    const std::vector<double> u = values(solve.solution()), v = values(plain.solution());
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], v[i], 1e-7) << stretched << ", " << i;
  }
}

/// Bounds of eigenvalues ignore constrained unknowns; for lines of bands they are estimated. With odd numbers of cells,
/// coarse nodes lie between finer ones, so interpolation into constrained nodes must be set to zero as well.
TEST_P(ConstrainedNodes, KeepTheirValuesUnderLinesInFewCycles) {
  for (const auto& [n, across] : {std::pair{8, 8}, {32, 32}, {32, 29}, {31, 33}}) {
    Problem p;
    p.scheme = GetParam();
    p.coefficient[0] = [](double, double y, double) { return 1 + y; };
    p.nodes = {geometric_nodes(0, 1, n, geometric_ratio(300, n, StretchedEnd::lower), StretchedEnd::lower),
               uniform_nodes(0, 1, across), uniform_nodes(0, 1, across)};
    for (auto& axis : p.boundary) axis = {Boundary{N}, Boundary{N}};
    p.boundary[0] = {mixed_bc({{Boundary{D, 1.0}, lower_half}, {Boundary{N}}}), Boundary{D}};
    Options o{.method = Method::multigrid};
    o.tolerance = 1e-8;
    const Result result = Solve(p, o).run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 10) << n << " x " << across;
  }
}

/// Plain cycles must contract for any number of cells. A coarse function that is not zero in constrained nodes would be
/// overcorrected, which conjugate gradients can hide.
TEST_P(ConstrainedNodes, ContractWithoutConjugateGradients) {
  for (const std::array<int, 2>& n : {std::array{16, 16}, {16, 13}, {15, 14}, {65, 47}}) {
    Problem p;
    p.dimension = 2;
    p.scheme = GetParam();
    for (std::size_t d = 0; d < 2; ++d) p.nodes[d] = uniform_nodes(0, 1, n[d]);
    p.source = [](double x, double y, double) { return std::sin(3 * x) + y; };
    p.boundary = {{{mixed_bc({{Boundary{D}, lower_half}, {Boundary{N}}}), Boundary{N}}, {Boundary{N}, Boundary{N}}}};
    Options o;
    o.method = Method::multigrid;
    o.krylov = Krylov::none;
    o.fallback = Fallback::never;
    const Result result = Solve(p, o).run();
    EXPECT_TRUE(result.converged()) << n[0] << " x " << n[1];
    EXPECT_LE(result.iterations, 40) << n[0] << " x " << n[1];
  }
}

/// There is only one level.
TEST_P(ConstrainedNodes, KeepTheirValuesOnTheCoarsestLevel) {
  Problem p = parts_everywhere(3, GetParam());
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 3);
  for (auto& axis : p.boundary) axis[1] = Boundary{N, 0.0};
  Solve solve(p, tight());
  EXPECT_EQ(solve.solver().levels(), 1);
  const std::vector<double> given = values(solve.solution());
  ASSERT_TRUE(solve.run().converged());
  const Balance b = balance_of(solve);
  EXPECT_LE(std::abs(b.residual), 1e-9 * throughput(b));
  EXPECT_EQ(values(solve.solution())[0], given[0]);
}

TEST_P(ConstrainedNodes, AreSolvedForByAnyNumberOfProcesses) {
  for (const auto& [dimension, periodic] : {std::pair{2, false}, {3, false}, {3, true}}) {
    Case c{"parts", parts_everywhere(dimension, GetParam(), periodic), tight()};
    c.options.tolerance = 1e-9;
    const auto count = static_cast<std::size_t>(make_block(c.problem).layout().size());
    std::vector<double> wanted(count);
    const Solved one = solve(c, {}, wanted);
    ASSERT_TRUE(one.result.converged());
    for (std::array parts : {std::array{1, 1, 2}, std::array{1, 2, 2}, std::array{2, 1, 1}, std::array{1, 1, 3}}) {
      if (dimension == 2) std::swap(parts[1], parts[2]), parts[2] = 1;
      std::vector<double> found(count);
      as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
        const Solved own = solve(c, Sharing{processes, parts, 300}, found);
        EXPECT_EQ(own.result.iterations, one.result.iterations);
        EXPECT_NEAR(own.balance.residual, one.balance.residual, 1e-11);
        for (std::size_t f = 0; f < one.balance.flux.size(); ++f)
          EXPECT_NEAR(own.balance.flux[f], one.balance.flux[f], 1e-10) << f;
      });
      EXPECT_LE(largest_difference(found, wanted), 1e-11 * largest_magnitude(wanted))
          << parts[0] << parts[1] << parts[2];
    }
  }
}

TEST_P(ConstrainedNodes, HaveTheSameFluxesInAnyNumberOfSlabs) {
  for (const auto& [dimension, periodic] : {std::pair{2, false}, {3, false}, {3, true}}) {
    Case c{"parts", parts_everywhere(dimension, GetParam(), periodic), tight()};
    c.options.tolerance = 1e-9;
    const auto numbers = [&](const Sharing& sharing) {
      std::vector<double> u(static_cast<std::size_t>(make_block(c.problem).layout().size()));
      const Solved s = solve(c, sharing, u);
      std::vector<double> all{s.balance.residual, s.balance.source, s.balance.reaction, s.norms.integral, s.norms.l2};
      all.insert(all.end(), s.balance.flux.begin(), s.balance.flux.end());
      return all;
    };
    const std::vector<double> wanted = numbers({});
    for (const int count : {2, 3, 4})
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const Parts parts = c.problem.dimension == 2 ? Parts{1, count, 1} : Parts{1, 1, count};
        expect_same_values(numbers({processes, parts, 300}), wanted, 1e-11);
      });
  }
}

/// Half a face is constrained, or electrodes lie on an insulated face. The iterations must be about as few as with
/// uniform faces on any grid.
TEST_P(ConstrainedNodes, TakeFewCycles) {
  const Quantity lower = where([](double, double y, double z) { return y < 0.5 && z < 0.7; });
  const auto electrode = [](double from, double to) {
    return where([=](double, double y, double z) { return y > from && y < to && (z == 0 || (z > 0.25 && z < 0.75)); });
  };
  for (const std::array<int, 3>& n :
       {std::array{47, 61, 0}, {128, 128, 0}, {251, 97, 0}, {16, 16, 16}, {17, 31, 23}, {32, 32, 32}}) {
    Problem p;
    p.dimension = n[2] == 0 ? 2 : 3;
    p.scheme = GetParam();
    p.source = [](double x, double y, double z) { return std::sin(20 * x * y) + z; };
    p.coefficient[0] = [](double x, double y, double z) { return 1.2 + std::sin(5 * x + 3 * y - z); };
    for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n[d]);
    for (auto& axis : p.boundary) axis = {Boundary{N}, Boundary{N}};
    Options options{.method = Method::multigrid};
    options.tolerance = 1e-8;
    options.krylov = Krylov::cg;
    options.full_multigrid = false;
    const auto iterations = [&](const Boundary& face) {
      p.boundary[0][0] = face;
      Solve solve(p, options);
      const Result result = solve.run();
      EXPECT_TRUE(result.converged());
      return result.iterations;
    };
    const Boundary of_half = mixed_bc({{Boundary{D, 1.0}, lower}, {Boundary{N, 0.0}}});
    options.full_multigrid = true;
    const int started = iterations(of_half), whole_started = iterations({D, 1.0});
    options.full_multigrid = false;
    const int whole = iterations({D, 1.0});
    const int half = iterations(of_half);
    const int electrodes = iterations(mixed_bc({{Boundary{D, 1.0}, electrode(0.125, 0.375)},
                                                {Boundary{D, -1.0}, electrode(0.625, 0.875)},
                                                {Boundary{N, 0.0}}}));
    const int thin = iterations(mixed_bc({{Boundary{D, 1.0}, electrode(0.49, 0.49 + 1.0 / n[1])}, {Boundary{N, 0.0}}}));
    SCOPED_TRACE(testing::Message() << n[0] << " x " << n[1] << " x " << n[2] << ": " << whole << ", half " << half
                                    << ", electrodes " << electrodes << ", thin " << thin << "; started "
                                    << whole_started << ", half " << started);
    EXPECT_LE(half, whole + 3);
    EXPECT_LE(electrodes, whole + 4);
    EXPECT_LE(thin, whole + 4);
    EXPECT_LE(started, half);
    EXPECT_LE(started, whole_started + 5);
  }
}

TEST_P(ConstrainedNodes, AreCounted) {
  Problem p = parts_everywhere(3, GetParam());
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 40);
  for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single})
    for (const Method method : {Method::multigrid, Method::cg}) {
      Options o;
      o.method = method;
      o.precision = precision;
      o.tolerance = 0;
      o.max_iterations = 1;
      const Plan plan = make_plan(p, o, Assembly::automatic, !on_cpu());
      Solve s(p, o);
      s.run();
      balance_of(s);
      const auto peak = static_cast<double>(s.backend().memory().peak());
      EXPECT_GE(static_cast<double>(plan.most()), peak) << static_cast<int>(precision) << static_cast<int>(method);
      EXPECT_LE(static_cast<double>(plan.most()), (on_cpu() ? 1.01 : 1.2) * peak)
          << static_cast<int>(precision) << static_cast<int>(method);
    }
}

TEST(ConstrainedNodesAre, GivenTheMeanWhereFacesMeet) {
  Problem p;
  p.dimension = 2;
  for (std::size_t d = 0; d < 2; ++d) p.nodes[d] = uniform_nodes(0, 1, 4);
  const Quantity low = where([](double x, double y, double) { return x + y < 0.5; });
  p.boundary = {{{mixed_bc({{Boundary{D, 1.0}, low}, {Boundary{N}}}), Boundary{N}},
                 {mixed_bc({{Boundary{D, 4.0}, low}, {Boundary{N}}}), Boundary{D, 7.0}},
                 {}}};
  p.initial.emplace(9.0);
  Solve solve(p, {.method = Method::multigrid});
  const std::vector<double> u = values(solve.solution());
  EXPECT_EQ(u[0], 2.5);
  EXPECT_EQ(u[1], 4);  // only the corner cells are in these parts; the next centre is 0.375
  EXPECT_EQ(u[5], 1);
  EXPECT_EQ(u[2], 4);
  EXPECT_EQ(u[3], 9);
  EXPECT_EQ(u[10], 1);
  EXPECT_EQ(u[20], 7);
}

TEST(ConstrainedNodesAre, RefusedWhereNothingHoldsThem) {
  const auto backend = test_backend();
  const Boundary face = mixed_bc({{Boundary{D}, lower_half}, {Boundary{N}}});
  const auto discretize = [&](Scheme scheme, Assembly assembly) {
    Discretization(*backend, nodes_between({face, Boundary{D}}, scheme), assembly);
  };
  EXPECT_THROW(discretize(Scheme::q1, Assembly::partial), std::invalid_argument);
  EXPECT_THROW(discretize(Scheme::q1, Assembly::recompute), std::invalid_argument);
  EXPECT_THROW(discretize(Scheme::compact4, Assembly::automatic), InputError);
  const Discretization volumes(*backend, nodes_between({face, Boundary{D}}, Scheme::fv));
  const Discretization elements(*backend, nodes_between({face, Boundary{D}}, Scheme::q1));
  Options o;
  o.coarse_operator = CoarseOperator::rediscretized;
  o.method = Method::multigrid;
  EXPECT_NO_THROW(make_solver(elements, o));
  o = {};
  o.method = Method::direct;
  EXPECT_THROW(make_solver(volumes, o), InputError);
  o = {};
  o.preconditioner = PreconditionerChoice::direct;
  EXPECT_THROW(make_solver(volumes, o), InputError);
  o = {};
  o.extrapolate = true;
  EXPECT_THROW(make_solver(volumes, o), InputError);
}

}  // namespace
}  // namespace poisson::constrained_nodes_tests
