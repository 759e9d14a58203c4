// With Galerkin coarse operators and conjugate gradients, jumping coefficients must need few iterations, and no more on
// finer grids.

#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "solver/matrix_model.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::jumps_tests {
namespace {

Problem box(int dimension, int n) {
  Problem p;
  p.dimension = dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n);
  return p;
}

Problem sphere(int dimension, int n, double jump) {
  Problem p = box(dimension, n);
  p.coefficient[0] = [=](double x, double y, double z) {
    const double dz = dimension == 3 ? z - 0.5 : 0;
    return (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + dz * dz < 0.09 ? jump : 1.0;
  };
  return p;
}

Problem checkerboard(int dimension, int n) {
  Problem p = box(dimension, n);
  p.coefficient[0] = [=](double x, double y, double z) {
    return (static_cast<int>(x * n / 8) + static_cast<int>(y * n / 8) + static_cast<int>(z * n / 8)) % 2 ? 1e6 : 1.0;
  };
  return p;
}

Problem random_cells(int n) {
  Problem p = box(3, n);
  GridArray cells{Location::cell, {n, n, n}, {}};
  std::mt19937 engine(5);
  for (int c = 0; c < n * n * n; ++c) cells.values.push_back(engine() & 1 ? 1e6 : 1.0);
  p.coefficient[0] = cells;
  return p;
}

Options options(bool full_multigrid = true) {
  Options o;
  o.method = Method::automatic;
  o.full_multigrid = full_multigrid;
  return o;
}

int iterations(const Problem& problem, const Options& given) {
  Solve s(problem, given);
  EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::galerkin);
  EXPECT_EQ(s.solver().options().krylov, Krylov::cg);
  randomize(s.rhs(), s.block().unknowns());
  const Result result = s.run();
  EXPECT_TRUE(result.converged());
  return result.iterations;
}

TEST(Jumps, OfASphereTakeFewIterationsOnEveryGrid) {
  for (const double jump : {1e4, 1e6})
    for (const int n : {32, 64}) EXPECT_LE(iterations(sphere(3, n, jump), options()), 8) << jump << " on " << n;
  Options galerkin = options();
  galerkin.coarse_operator = CoarseOperator::galerkin;
  EXPECT_LE(iterations(sphere(3, 32, 1e2), galerkin), 8);
  EXPECT_LE(iterations(sphere(3, 33, 1e6), options()), 8);
  for (const double jump : {1e2, 1e6})
    for (const int n : {128, 512}) EXPECT_LE(iterations(sphere(2, n, jump), options()), 8) << jump << " on " << n;
}

TEST(Jumps, OfACheckerboardAndOfRandomCellsTakeFewIterations) {
  for (const int n : {32, 64}) {
    EXPECT_LE(iterations(checkerboard(3, n), options()), 8) << n;
    EXPECT_LE(iterations(random_cells(n), options()), 8) << n;
  }
  EXPECT_LE(iterations(checkerboard(2, 256), options()), 8);
}

// Bilinear and trilinear elements have 9 and 27 bands.
TEST(Jumps, OfElementsTakeFewIterations) {
  for (Problem p :
       {sphere(2, 128, 1e6), sphere(3, 32, 1e6), checkerboard(2, 64), checkerboard(3, 32), random_cells(32)}) {
    p.scheme = Scheme::q1;
    EXPECT_LE(iterations(p, options()), 10) << p.dimension;
  }
}

TEST(Jumps, NeedNoFullMultigridStart) {
  EXPECT_LE(iterations(sphere(3, 32, 1e6), options(false)), 8);
}

// Rediscretized levels, which `auto` keeps for jumps up to 10³, need more iterations, which grow more slowly than the
// grid.
TEST(Jumps, OfModerateSizeNeedNoGalerkinOperators) {
  int before = 0;
  for (const int n : {32, 64}) {
    Solve s(sphere(3, n, 1e2), options());
    EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::rediscretized);
    randomize(s.rhs(), s.block().unknowns());
    const int taken = s.run().iterations;
    EXPECT_LE(taken, 16) << n;
    if (before > 0) {
      EXPECT_LE(taken, before + 3) << n;
    }
    before = taken;
  }
}

// On stretched axes lines are better than points. Rediscretized levels take 19 iterations at 32³, 33 nodes a side, on
// axes that grow by 100.
TEST(Jumps, OnStretchedGridsRelaxLinesOfGalerkinLevels) {
  Problem p = sphere(3, 16, 1e6);
  p.nodes[2] = geometric_nodes(0, 1, 16, geometric_ratio(1e3, 16, StretchedEnd::lower), StretchedEnd::lower);
  Solve s(p, options());
  EXPECT_GE(s.discretization().jumps().largest, 1e6);
  EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::galerkin);
  EXPECT_EQ(s.solver().options().smoother.extent, RelaxationChoice::lines);
  const Result result = s.run();
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 10);
}

// If κ is rough, Galerkin operators are better than lines.
TEST(Jumps, FromCellToCellTakeGalerkinOperatorsOnStretchedGridsToo) {
  Problem p = random_cells(16);
  p.nodes[2] = geometric_nodes(0, 1, 16, geometric_ratio(10, 16, StretchedEnd::lower), StretchedEnd::lower);
  EXPECT_LE(iterations(p, options()), 20);
}

// A piece of κ that ends on a face must reach it: values beyond must not act as a film along the face.
TEST(Jumps, OnFacesDoNotActAsFilms) {
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Problem p = box(2, 32);
    p.centering = centering;
    p.coefficient[0] = [](double, double y, double) { return y < 0.5 ? 1.0 : y < 1 ? 5.0 : 1e6; };
    for (Boundary& face : p.boundary[1]) face.kind = BoundaryKind::neumann;
    p.boundary[0][1].value = 1.0;
    Solve s(p, options());
    ASSERT_TRUE(s.run().converged());
    const Balance b = balance(s.discretization(), s.solver().A(), s.solution(), s.rhs(), s.solver().spare());
    EXPECT_NEAR(b.flux[1], 3, 1e-6);
  }
}

// Neighbours differ little, but κ has a range of 3000 and reactions jump. Conjugate gradients must be the default.
TEST(Jumps, BetweenDistantCellsTakeFewIterations) {
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const bool reacts : {false, true}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(centering) << ", " << reacts);
      Problem p = box(2, 96);
      p.centering = centering;
      if (reacts)
        p.reaction = [](double x, double, double) { return x < 0.5 ? 1e6 : 0.0; };
      else
        p.coefficient[0] = [](double x, double y, double) { return std::exp(4 * std::sin(6 * x + 6 * y)); };
      p.source = [](double x, double y, double) { return std::sin(7 * x) * std::cos(5 * y); };
      Solve s(p, options());
      const Result result = s.run();
      EXPECT_TRUE(result.converged()) << name_of(result.verdict);
      EXPECT_LE(result.iterations, 14);
    }
}

// The ellipsoid is as flat as its cells. Lines are relaxed if κ does not require Galerkin operators.
TEST(Jumps, InFlatCellsTakeFewIterations) {
  for (const double flatness : {10.0, 100.0})
    for (const Centering centering : {Centering::node, Centering::cell}) {
      Problem p = box(3, 32);
      p.centering = centering;
      for (double& z : p.nodes[2]) z /= flatness;
      p.coefficient[0] = [flatness](double x, double y, double z) {
        const double dx = x - 0.5, dy = y - 0.5, dz = flatness * z - 0.5;
        return dx * dx + dy * dy + dz * dz < 0.09 ? 1e2 : 1.0;
      };
      Solve s(p, options());
      randomize(s.rhs(), s.block().unknowns());
      const Result result = s.run();
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 8) << flatness;  // 7 and 5, cells 8 and 6; points need 16 and 29, cells 9 and 11
    }
}

// Between open faces regions of small κ are as flat as the box: Galerkin operators with point relaxation need 60 to 80
// iterations.
TEST(Jumps, InFlatCellsBetweenOpenFacesTakeLines) {
  for (const Scheme scheme : {Scheme::fv, Scheme::q1}) {
    Problem p = box(3, 16);
    p.scheme = scheme;
    for (double& x : p.nodes[0]) x *= 1e-2;
    for (Boundary& face : p.boundary[0]) face.kind = BoundaryKind::neumann;
    p.coefficient[0] = [](double, double y, double) { return y < 0.5 ? 1e-4 : 1.0; };
    Solve s(p, options());
    EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::galerkin);
    EXPECT_EQ(s.solver().options().smoother.extent, RelaxationChoice::lines);
    randomize(s.rhs(), s.block().unknowns());
    const Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 12);
  }
}

// The one unknown is common to 2 × 2 coarse cells. Each adds κ to the diagonal, or (κ_xx + κ_yy)/3 as an element.
TEST(CoarseOperator, DiscretizedAgainTakesTheMeanOfRootsButPlainOnesOfTensors) {
  constexpr double small = 1, large = 64;
  const auto diagonal = [](bool full_tensor) {
    Problem p = box(2, 4);
    p.coefficient[0] = [](double x, double, double) { return static_cast<int>(4 * x) % 2 ? large : small; };
    if (full_tensor) {
      p.scheme = Scheme::q1;
      p.isotropic = false;
      p.full_tensor = true;
      p.coefficient[1] = p.coefficient[0];
    }
    Solve s(p, options());
    const Hierarchy levels = s.discretization().make_hierarchy(Precision::fp64, RelaxationChoice::points);
    EXPECT_EQ(levels.operators.size(), 2U);
    const Operator& A = *levels.operators[1];
    Field d(s.backend(), A.space().part().layout(), Precision::fp64);
    A.diagonal(d);
    return values(d).at(4) / A.scale();  // middle of 3 × 3
  };
  const double root = (std::sqrt(small) + std::sqrt(large)) / 2;
  EXPECT_NEAR(diagonal(false), 4 * root * root, 1e-12 * large);
  EXPECT_NEAR(diagonal(true), 4 * 2 * (small + large) / 2 / 3, 1e-12 * large);
}

TEST(CoarseOperator, OfGalerkinRequiresPointRelaxation) {
  Options o;
  o.coarse_operator = CoarseOperator::galerkin;
  EXPECT_EQ(o.choose(1).smoother.extent, RelaxationChoice::points);
  choose(o.smoother, "plane");
  try {
    o.choose(1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "Galerkin coarse operators support point and line smoothers only (planes were requested): "
                 "rediscretize the coarse levels, or smooth lines");
  }
  o.coarse_operator = CoarseOperator::automatic;
  EXPECT_EQ(o.choose(1e6).coarse_operator, CoarseOperator::rediscretized);
}

// A few regions in cells cost less on rediscretized levels.
TEST(Jumps, OfAFewBodiesInCellsAreDiscretizedAgain) {
  Problem p = sphere(2, 16, 1e6);
  p.centering = Centering::cell;
  for (const std::string_view type : {"auto", "red-black", "chebyshev"}) {
    Options o = options();
    o.coarse_operator = CoarseOperator::automatic;
    choose(o.smoother, type);
    Solve s(p, o);
    EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::rediscretized);
    EXPECT_TRUE(s.run().converged());
  }
}

TEST(Jumps, AreNoneWhereKappaIsSmooth) {
  Problem p = box(3, 16);
  p.coefficient[0] = [](double x, double y, double) { return 1 + 0.5 * x * y; };
  Solve s(p, options());
  EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::rediscretized);
}

TEST(Jumps, SelectConjugateGradientsByDefault) {
  const auto krylov = [](const Problem& p, const Options& o) { return Solve(p, o).solver().options().krylov; };
  Options none;
  none.krylov = Krylov::none;
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Problem p = sphere(3, 16, 100);
    p.centering = centering;
    EXPECT_EQ(krylov(p, Options{}), Krylov::cg);
    EXPECT_EQ(krylov(p, options()), Krylov::cg);
    EXPECT_EQ(krylov(p, none), Krylov::none);
    none.method = Method::automatic;
    EXPECT_EQ(krylov(p, none), Krylov::none);
    p = sphere(3, 16, 3);
    p.centering = centering;
    EXPECT_EQ(krylov(p, Options{}), Krylov::none);
  }
  Solve s(sphere(3, 16, 100), Options{});
  randomize(s.rhs(), s.block().unknowns());
  EXPECT_LE(s.run().iterations, 12);
}

TEST(CoarseOperator, GalerkinSolvesSmoothProblemsToo) {
  using enum Assembly;
  for (const auto& [scheme, assembly] : {std::pair{Scheme::fv, automatic}, std::pair{Scheme::fv, full},
                                         std::pair{Scheme::q1, automatic}, std::pair{Scheme::q1, full}})
    for (const auto kind : {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::periodic}) {
      Problem p = box(3, 20);
      p.scheme = scheme;
      for (auto& axis : p.boundary)
        for (Boundary& face : axis) face.kind = kind;
      Options o;
      o.coarse_operator = CoarseOperator::galerkin;
      o.krylov = Krylov::cg;
      Solve s(p, o, assembly);
      randomize(s.rhs(), s.block().unknowns());
      const Result result = s.run();
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 10) << static_cast<int>(scheme) << ", " << static_cast<int>(kind);
    }
}

// ---- Matrices ----

/// Returns a matrix of unsteady diffusion on an index grid with 5, 7 or 9 points, and 10⁴ times stronger couplings
/// across a column.
BandedMatrix example(const std::array<int, 3>& shape, std::vector<Offset> forward, double row_sum) {
  BandedMatrix m;
  m.shape = shape;
  m.offsets = {{0, 0, 0}};
  for (const Offset& o : forward) {
    m.offsets.push_back(o);
    m.offsets.push_back({-o[0], -o[1], -o[2]});
  }
  const std::size_t n =
      static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  m.entries.assign(m.offsets.size(), std::vector<double>(n, 0.0));
  const auto at = [&](int x, int y, int z) { return static_cast<std::size_t>(x + shape[0] * (y + shape[1] * z)); };
  for (int z = 0; z < shape[2]; ++z)
    for (int y = 0; y < shape[1]; ++y)
      for (int x = 0; x < shape[0]; ++x) {
        m.entries[0][at(x, y, z)] += row_sum;
        for (std::size_t b = 1; b < m.offsets.size(); b += 2) {
          const Offset& o = m.offsets[b];
          const int i = x + o[0], j = y + o[1], k = z + o[2];
          if (i < 0 || i >= shape[0] || j < 0 || j >= shape[1] || k < 0 || k >= shape[2]) continue;
          const double a = x > shape[0] / 3 && i <= 2 * shape[0] / 3 ? 1e4 : 1.0;
          m.entries[b][at(x, y, z)] = m.entries[b + 1][at(i, j, k)] = -a;
          m.entries[0][at(x, y, z)] += a;
          m.entries[0][at(i, j, k)] += a;
        }
      }
  measure(m);
  return m;
}

const std::vector<Offset> star2{{1, 0, 0}, {0, 1, 0}}, star3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    box2{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {-1, 1, 0}}, line{{1, 0, 0}},
    wide{{1, 0, 0}, {0, 1, 0}, {3, 0, 0}, {-2, 2, 0}};

int solve(const BandedMatrix& m, const Options& o) {
  const auto backend = test_backend();
  const MatrixModel model(*backend, m);
  const auto solver = make_solver(model, o);
  randomize(solver->rhs(), solver->A().space().part().unknowns());
  const std::vector<double> given = values(solver->rhs());
  const Result result = solver->solve(false);
  EXPECT_TRUE(result.converged());
  if (o.precision == SolvePrecision::single) return result.iterations;
  // The test computes b − A u with the entries of the file, in the norm of D⁻¹.
  const std::vector<double> u = values(solver->solution()), b = values(solver->rhs());
  const double scale = solver->A().scale();
  double residual = 0, size = 0;
  const auto [nx, ny, nz] = m.shape;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const auto i = static_cast<std::size_t>(x + nx * (y + ny * z));
        double r = b[i] / scale;
        for (std::size_t k = 0; k < m.offsets.size(); ++k)
          if (m.entries[k][i] != 0)
            r -= m.entries[k][i] * u[static_cast<std::size_t>(x + m.offsets[k][0] +
                                                              nx * (y + m.offsets[k][1] + ny * (z + m.offsets[k][2])))];
        residual += r * r / m.entries[0][i];
        size += given[i] / scale * given[i] / scale / m.entries[0][i];
      }
  EXPECT_LE(std::sqrt(residual / size), 2e-8);
  return result.iterations;
}

TEST(Matrix, IsSolvedByEveryMethod) {
  Options multigrid, cg, jacobi;
  multigrid.krylov = Krylov::cg;
  cg.method = Method::cg;
  cg.max_iterations = 5000;
  jacobi.method = Method::jacobi;
  jacobi.max_iterations = 100000;
  const std::vector<std::pair<BandedMatrix, int>> matrices{{example({33, 20, 1}, star2, 0.01), 10},
                                                           {example({14, 17, 11}, star3, 0.01), 10},
                                                           {example({40, 31, 1}, box2, 0.01), 12},
                                                           {example({100, 1, 1}, line, 0.01), 10},
                                                           {example({33, 1, 20}, {{1, 0, 0}, {0, 0, 1}}, 0.01), 10},
                                                           {example({20, 20, 1}, star2, 0), 10}};
  for (const auto& [matrix, most] : matrices) {
    SCOPED_TRACE(testing::Message() << matrix.shape[0] << " x " << matrix.shape[1] << " x " << matrix.shape[2] << ", "
                                    << matrix.offsets.size() << " bands");
    EXPECT_LE(solve(matrix, multigrid), most);
    EXPECT_GT(solve(matrix, cg), most);
  }
  solve(example({10, 9, 1}, wide, 0.1), cg);
  solve(example({10, 9, 1}, star2, 100), jacobi);
}

TEST(Matrix, MethodFollowsItsBands) {
  Options o;
  o.method = Method::automatic;
  EXPECT_EQ(resolve_options(o, example({8, 8, 1}, star2, 1)).method, Method::multigrid);
  EXPECT_EQ(resolve_options(o, example({8, 8, 1}, wide, 1)).method, Method::cg);
  BandedMatrix skew = example({8, 8, 1}, star2, 1);
  skew.entries[1][3] *= 2;
  measure(skew);
  EXPECT_FALSE(skew.symmetric());
  EXPECT_EQ(resolve_options(o, skew).method, Method::jacobi);
}

TEST(Matrix, MemoryIsPlanned) {
  const std::vector<Offset> star_xz{{1, 0, 0}, {0, 0, 1}};  // bands of 27 points, mostly zero
  for (const BandedMatrix& m : {example({70, 61, 40}, star3, 0.1), example({900, 1, 700}, star_xz, 0.1)})
    for (const Method method : {Method::multigrid, Method::cg, Method::jacobi})
      for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single}) {
        SCOPED_TRACE(testing::Message() << m.shape[0] << ", " << static_cast<int>(method) << " "
                                        << static_cast<int>(precision));
        Options o;
        o.method = method;
        o.precision = precision;
        o.tolerance = 0;
        o.max_iterations = 1;
        const Plan plan = make_plan(m, o, !on_cpu());
        const auto backend = test_backend();
        const MatrixModel model(*backend, m);
        const auto solver = make_solver(model, o);
        const std::size_t peak = backend->memory().peak();
        EXPECT_GE(plan.most(), peak);
        // With multigrid the plan bounds the tables of strong clusters, of which this matrix has few.
        EXPECT_LE(static_cast<double>(plan.most() - (on_cpu() ? 0 : Plan::allowance)),
                  (plan.levels.size() > 1 ? on_cpu() ? 1.5 : 1.7 : 1.01) * static_cast<double>(peak));
        EXPECT_EQ(plan.levels.size(), static_cast<std::size_t>(std::max(1, solver->levels())));
      }
}

}  // namespace
}  // namespace poisson::jumps_tests
