// These tests solve directly with the modes of the axes for random values, which favour no grid and no mode.

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "solver/direct/axis_modes.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/plan.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::fast_diagonalization_tests {
namespace {

bool separable(const BoxFaces& faces) {
  for (const auto& axis : faces)
    for (const Boundary& face : axis)
      if (face.kind == BoundaryKind::robin && !face.alpha.constant()) return false;
  return true;
}

Problem box_of(const NamedFaces& faces, const NamedGrid& grid, int dimension, std::array<int, 3> cells) {
  Problem p;
  p.dimension = dimension;
  p.boundary = faces.faces;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    const bool closed = faces.faces[d][0].kind == BoundaryKind::periodic;
    p.nodes[d] = nodes_of(grid, d, std::max(cells[d], closed ? 4 : 2));
  }
  for (auto& axis : p.boundary)
    for (Boundary& face : axis)
      if (face.kind == BoundaryKind::robin) face.alpha = *face.alpha.constant() * grid.kappa / grid.length;
  p.coefficient = {0.5 * grid.kappa, 2 * grid.kappa, 1.25 * grid.kappa};
  p.isotropic = false;
  return p;
}

Options directly(SolvePrecision precision = SolvePrecision::double_) {
  Options options;
  options.method = Method::direct;
  options.precision = precision;
  options.tolerance = precision == SolvePrecision::single ? 1e-4 : 1e-9;
  return options;
}

// Returns the distance of the solution of A u = A v from v, in units of the largest value. If A is singular, the means
// are removed from both.
double distance_from_random(Solve& s) {
  const Operator& A = s.solver().A();
  Field v(s.backend(), A.space(), A.precision());
  randomize(v, A.space().part().unknowns());
  if (A.singular()) A.project_solution(v);
  s.backend().fill(s.solution(), 0);
  A.apply(v, s.rhs());
  const Result result = s.run();
  EXPECT_TRUE(result.converged()) << name_of(result.verdict) << " at " << result.relative();
  EXPECT_LE(result.iterations, 3);
  const auto found = values(s.solution()), given = values(v);
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(given[i]));
    const double d = std::abs(found[i] - given[i]);
    most = d <= most ? most : d;  // NaN is kept
  }
  return most / largest;
}

class RoundTrips : public testing::TestWithParam<std::tuple<NamedGrid, int>> {};

TEST_P(RoundTrips, RestoreRandomValues) {
  const auto& [grid, dimension] = GetParam();
  for (const NamedFaces& faces : all_faces()) {
    if (!separable(faces.faces)) continue;
    for (const auto& cells : {std::array{9, 12, 7}, std::array{16, 5, 10}})
      for (const double reaction : {0.0, 3.0})
        for (const auto& [centering, scheme] :
             {std::pair{Centering::node, Scheme::fv}, {Centering::cell, Scheme::fv}, {Centering::node, Scheme::q1}}) {
          SCOPED_TRACE(faces.name + ", " + std::to_string(cells[0]) + " cells along x, reaction " +
                       std::to_string(reaction) + (centering == Centering::cell ? ", in cells" : "") +
                       (scheme == Scheme::q1 ? ", elements" : ""));
          Problem p = box_of(faces, grid, dimension, cells);
          p.centering = centering;
          p.scheme = scheme;
          p.reaction = reaction * grid.kappa / (grid.length * grid.length);
          Solve s(p, directly());
          EXPECT_LT(distance_from_random(s), 1e-7);
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, RoundTrips, testing::Combine(testing::ValuesIn(all_grids), testing::Values(2, 3)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::to_string(std::get<1>(test.param)) + "d";
                         });

const NamedFaces& faces_named(const std::string& name) {
  static const auto all = all_faces();
  return *std::ranges::find(all, name, &NamedFaces::name);
}

TEST(FastDiagonalization, SolvesTheCompactScheme) {
  for (const char* faces : {"dirichlet", "periodic_xy", "periodic_xyz"})
    for (const int dimension : {2, 3}) {
      Problem p = box_of(faces_named(faces), all_grids.front(), dimension, {11, 8, 9});
      p.boundary = faces_named(faces).faces;
      for (auto& axis : p.boundary)
        for (Boundary& face : axis)
          if (face.kind != BoundaryKind::periodic) face.kind = BoundaryKind::dirichlet;
      for (auto& nodes : p.nodes)
        if (!nodes.empty())
          nodes = uniform_nodes(0, static_cast<double>(nodes.size() - 1) / 8, static_cast<int>(nodes.size()) - 1);
      p.coefficient = {1.0, 1.0, 1.0};
      p.isotropic = true;
      p.scheme = Scheme::compact4;
      Solve s(p, directly());
      EXPECT_LT(distance_from_random(s), 1e-10) << faces;
    }
}

TEST(FastDiagonalization, SolvesInSinglePrecision) {
  for (const NamedFaces& faces : all_faces()) {
    if (!separable(faces.faces)) continue;
    Problem p = box_of(faces, all_grids.front(), 3, {13, 8, 10});
    p.reaction = 1.0;
    Solve s(p, directly(SolvePrecision::single));
    EXPECT_LT(distance_from_random(s), 1e-3) << faces.name;
  }
}

// Every choice of axes has fast transforms, products and lines: 23 cells have no fast transform, and a Robin face has
// no trigonometric modes. 14 values between Neumann faces have halves of odd length that reach the end of a line's
// memory.
TEST(FastDiagonalization, SolvesWithTransformsBesideProducts) {
  for (const auto& cells :
       {std::array{23, 24, 20}, std::array{24, 23, 20}, std::array{20, 24, 23}, std::array{23, 26, 20},
        std::array{20, 23, 26}, std::array{26, 20, 23}, std::array{13, 29, 11}})
    for (const char* faces : {"mixed", "periodic_xyz", "neumann", "dirichlet", "periodic_xy"})
      for (const Centering centering : {Centering::node, Centering::cell})
        for (const int dimension : {2, 3}) {
          Problem p = box_of(faces_named(faces), all_grids.front(), dimension, cells);
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
            p.nodes[d] = uniform_nodes(0, 1, cells[d]);
          p.centering = centering;
          Solve s(p, directly());
          EXPECT_LT(distance_from_random(s), 1e-8) << faces << " " << cells[0] << " in " << dimension;
        }
}

// Mixed ends along every axis have quarter-wave modes.
TEST(FastDiagonalization, SolvesBetweenDirichletAndNeumannFaces) {
  for (const bool lower : {false, true})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Scheme scheme : {Scheme::fv, Scheme::q1}) {
        if (scheme == Scheme::q1 && centering == Centering::cell) continue;
        Problem p = box_of(faces_named("dirichlet"), all_grids.front(), 3, {9, 12, 20});
        for (auto& axis : p.boundary) axis[lower ? 1 : 0].kind = BoundaryKind::neumann;
        p.centering = centering;
        p.scheme = scheme;
        Solve s(p, directly());
        EXPECT_LT(distance_from_random(s), 1e-8) << lower;
      }
}

// A single unknown between unequal cells is its own mirror image and cannot be folded.
TEST(FastDiagonalization, SolvesAlongAxesOfOneUnknown) {
  for (const auto& cells : {std::array{2, 9, 7}, std::array{9, 2, 7}, std::array{9, 7, 2}, std::array{2, 2, 2}})
    for (const Scheme scheme : {Scheme::fv, Scheme::q1})
      for (const int dimension : {2, 3}) {
        Problem p = box_of(faces_named("dirichlet"), all_grids.front(), dimension, cells);
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
          p.nodes[d] = cells[d] == 2 ? std::vector{0.0, 0.25, 1.0} : uniform_nodes(0, 1, cells[d]);
        p.scheme = scheme;
        Solve s(p, directly());
        EXPECT_LT(distance_from_random(s), 1e-8) << cells[0] << ", " << cells[1] << ", " << cells[2];
      }
}

// The boxes are long in each direction: slabs, segments of lines, and lines along x.
TEST(FastDiagonalization, SolvesLongBoxes) {
  for (const auto& cells :
       {std::array{5, 6, 300}, std::array{6, 300, 5}, std::array{300, 5, 6}, std::array{130, 90, 40}})
    for (const char* faces : {"mixed", "periodic_xyz", "neumann"}) {
      Problem p = box_of(faces_named(faces), all_grids.front(), 3, cells);
      for (std::size_t d = 0; d < 3; ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
      for (auto& axis : p.boundary)
        for (Boundary& face : axis)
          if (face.kind == BoundaryKind::robin) face.alpha = 0.5;
      Solve s(p, directly());
      EXPECT_LT(distance_from_random(s), 1e-8) << faces << " " << cells[0];
    }
}

TEST(FastDiagonalization, GivesTheSameBitsEveryTime) {
  Problem p = box_of(faces_named("mixed"), all_grids.front(), 3, {40, 33, 51});
  std::vector<double> first;
  for (int run = 0; run < 3; ++run) {
    Solve s(p, directly());
    distance_from_random(s);
    const auto u = values(s.solution());
    if (run == 0) first = u;
    EXPECT_EQ(u, first);
  }
}

// If κ varies, the solution for its mean is the preconditioner. The iterations must not depend on the grid or the
// faces.
TEST(FastDiagonalization, PreconditionsModeratelyVaryingKappa) {
  for (const char* faces : {"dirichlet", "mixed", "neumann", "periodic_xy"})
    for (const char* grid : {"equidistant", "geometric", "micro"})
      for (const auto& [centering, scheme] :
           {std::pair{Centering::node, Scheme::fv}, {Centering::cell, Scheme::fv}, {Centering::node, Scheme::q1}}) {
        SCOPED_TRACE(std::string(faces) + ", " + grid + (centering == Centering::cell ? ", in cells" : "") +
                     (scheme == Scheme::q1 ? ", elements" : ""));
        const NamedGrid& named = *std::ranges::find(all_grids, grid, &NamedGrid::name);
        Problem p = box_of(faces_named(faces), named, 3, {16, 21, 12});
        p.centering = centering;
        p.scheme = scheme;
        p.isotropic = true;
        p.coefficient[0] = [&named](double x, double y, double z) {
          const double L = named.length;
          return named.kappa * (1 + 0.5 * std::sin(7 * x / L) * std::cos(5 * y / L) * std::sin(4 * z / L + 1));
        };
        Options options{.method = Method::multigrid};
        options.preconditioner = PreconditionerChoice::direct;
        options.tolerance = 1e-10;
        Solve s(p, options);
        const Operator& A = s.solver().A();
        Field v(s.backend(), A.space(), A.precision());
        randomize(v, A.space().part().unknowns());
        if (A.singular()) A.project_solution(v);
        A.apply(v, s.rhs());
        s.backend().fill(s.solution(), 0);
        const Result result = s.run();
        EXPECT_TRUE(result.converged());
        EXPECT_LE(result.iterations, 30);
        const auto found = values(s.solution()), given = values(v);
        for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], given[i], 1e-5);
      }
}

// S² times the diagonal of A must equal the diagonal of the constant problem for every scheme.
TEST(DiagonalScaling, BringsOneDiagonalToTheOther) {
  for (const char* faces : {"mixed", "periodic_xy"})
    for (const auto& [centering, scheme] :
         {std::pair{Centering::node, Scheme::fv}, {Centering::cell, Scheme::fv}, {Centering::node, Scheme::q1}})
      for (const int dimension : {2, 3}) {
        SCOPED_TRACE(std::string(faces) + ", " + std::to_string(dimension) + "d" +
                     (centering == Centering::cell ? ", in cells" : "") + (scheme == Scheme::q1 ? ", elements" : ""));
        Problem constant = box_of(faces_named(faces), all_grids.back(), dimension, {9, 12, 7});
        constant.centering = centering;
        constant.scheme = scheme;
        constant.isotropic = true;
        constant.reaction = 0.3;
        const std::array<double, 3> kappa{*constant.coefficient[0].constant(), *constant.coefficient[0].constant(),
                                          *constant.coefficient[0].constant()};
        Problem varying = constant;
        varying.coefficient[0] = [k = kappa[0]](double x, double y, double) { return k * (1 + 0.5 * std::sin(x + y)); };
        const auto backend = test_backend();
        const Discretization of_constant(*backend, std::as_const(constant)),
            of_varying(*backend, std::as_const(varying));
        const auto L = of_constant.make_operator(Precision::fp64), A = of_varying.make_operator(Precision::fp64);
        Field l(*backend, L->space(), Precision::fp64), a(*backend, A->space(), Precision::fp64);
        L->diagonal(l);
        A->diagonal(a);
        const auto S =
            make_diagonal_scaling(tensor_diagonal(constant, of_constant.block(), kappa, of_constant.rows().scale), a);
        S->apply(a);
        S->apply(a);
        const auto scaled = values(a), expected = values(l);
        for (std::size_t i = 0; i < scaled.size(); ++i) ASSERT_NEAR(scaled[i], expected[i], 1e-6 * expected[i]) << i;
      }
}

// Varying σ and α enter the preconditioner by their means and by the roots of the diagonals.
TEST(FastDiagonalization, PreconditionsVaryingReactions) {
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Problem p = box_of(faces_named("mixed"), all_grids.front(), 3, {24, 21, 28});
    p.centering = centering;
    for (std::size_t d = 0; d < 2; ++d) {
      const int n = static_cast<int>(p.nodes[d].size()) - 1;
      p.nodes[d] = geometric_nodes(0, 1, n, geometric_ratio(1e4, n, StretchedEnd::lower), StretchedEnd::lower);
    }
    p.isotropic = true;
    p.coefficient[0] = 2.0;
    p.reaction = [](double x, double y, double) { return 30 + 20 * std::sin(4 * x + 5 * y); };
    p.source = 1.0;
    Options options;
    options.method = Method::automatic;
    Solve s(p, options);
    EXPECT_EQ(s.solver().options().preconditioner, PreconditionerChoice::direct);
    Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 12);
    for (auto& axis : p.boundary)
      for (Boundary& face : axis)
        if (face.kind == BoundaryKind::robin)
          face.alpha = [](double x, double y, double z) { return 2 + std::sin(3 * (x + y + z)); };
    options.preconditioner = PreconditionerChoice::direct;
    Solve varying(p, options);
    result = varying.run();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 16);
  }
}

// For smooth κ of any range, and for small jumps, a direct preconditioner with constant κ replaces plane relaxation.
// Its iterations hardly grow with the grid.
TEST(FastDiagonalization, TakesThePlaceOfPlanes) {
  const Quantity moderate = [](double x, double y, double z) {
    return 1 + 0.5 * std::sin(6 * x) * std::sin(5 * y) * std::cos(4 * z);
  };
  const Quantity wide = [](double x, double y, double z) {
    return std::exp(4.6 * std::sin(6 * x) * std::sin(5 * y) * std::cos(4 * z));
  };
  const Quantity sphere = [](double x, double y, double z) {
    return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.3 ? 15 : 1;
  };
  struct Case {
    const char* name;
    Quantity kappa;
    int most;
  };
  for (const auto& [name, kappa, most] :
       {Case{"moderate", moderate, 9}, Case{"wide", wide, 22}, Case{"sphere", sphere, 40}})
    for (const int n : {32, 48}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(n));
      Problem p = box_of(faces_named("dirichlet"), all_grids.front(), 3, {n, n, n});
      for (std::size_t d = 0; d < 2; ++d)
        p.nodes[d] = geometric_nodes(0, 1, n, geometric_ratio(1e4, n, StretchedEnd::lower), StretchedEnd::lower);
      p.nodes[2] = uniform_nodes(0, 1, n);
      p.isotropic = true;
      p.coefficient[0] = kappa;
      p.source = 1.0;
      Options options;
      options.method = Method::automatic;
      Solve s(p, options);
      EXPECT_EQ(s.solver().options().preconditioner, PreconditionerChoice::direct);
      const Result result = s.run();
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, most);
      EXPECT_TRUE(result.steps.empty());
    }
}

// Multigrid must be chosen if it is faster than loading a library, if it was configured explicitly, and if the problem
// is not separable.
TEST(FastDiagonalization, IsChosenWhereItIsFaster) {
  const auto chosen = [](const Problem& p, Options options, bool gpu) {
    options.method = Method::automatic;
    const Plan plan = make_plan(p, options, Assembly::automatic, gpu);
    EXPECT_EQ(plan.levels.size() == 1, plan.options.method == Method::direct);
    return plan.options.method;
  };
  // 23 cells have no fast transform.
  Problem p = box_of(faces_named("dirichlet"), all_grids.front(), 3, {23, 23, 23});
  for (const bool gpu : {false, true}) EXPECT_EQ(chosen(p, {}, gpu), Method::multigrid);
  p = box_of(faces_named("dirichlet"), all_grids.front(), 3, {24, 24, 24});
  for (const bool gpu : {false, true}) EXPECT_EQ(chosen(p, {}, gpu), Method::direct);
  for (std::size_t d = 0; d < 3; ++d)
    p.nodes[d] = geometric_nodes(0, 1, 160, geometric_ratio(1e4, 160, StretchedEnd::lower), StretchedEnd::lower);
  for (const bool gpu : {false, true}) EXPECT_EQ(chosen(p, {}, gpu), Method::direct);
  Options told{.method = Method::multigrid};
  told.cycle = Cycle::w;
  EXPECT_EQ(chosen(p, told, true), Method::multigrid);
  p.isotropic = true;
  p.coefficient[0] = [](double x, double, double) { return 1 + x; };
  EXPECT_EQ(chosen(p, {}, true), Method::multigrid);
  // If κ is known to vary little, its mean must precondition.
  KappaSummary kappa;
  kappa.jumps.largest = 1.1;
  kappa.jumps.range = 2;
  Options automatic;
  automatic.method = Method::automatic;
  EXPECT_EQ(make_plan(p, automatic, Assembly::automatic, true, kappa).options.preconditioner,
            PreconditionerChoice::direct);
}

// Modes must diagonalize both matrices, however they are computed.
TEST(AxisModes, DiagonalizeThePencil) {
  for (const auto& [lower, upper] : {std::pair{BoundaryKind::dirichlet, BoundaryKind::dirichlet},
                                     {BoundaryKind::dirichlet, BoundaryKind::neumann},
                                     {BoundaryKind::neumann, BoundaryKind::dirichlet},
                                     {BoundaryKind::neumann, BoundaryKind::neumann},
                                     {BoundaryKind::robin, BoundaryKind::neumann},
                                     {BoundaryKind::periodic, BoundaryKind::periodic}})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const bool elements : {false, true})
        for (const bool stretched : {false, true})
          for (const int n : {4, 5, 17, 24}) {
            if (elements && centering == Centering::cell) continue;
            const Axis axis(stretched ? tanh_nodes(0, 1, n, 2, StretchedEnd::lower) : uniform_nodes(0, 1, n), lower,
                            upper, {2, 0}, centering);
            const ElementMass mass = element_mass(Scheme::q1);
            const AxisPencil p = axis_pencil(axis, 1.5, 1, 1, elements ? &mass : nullptr);
            const AxisBasis basis = axis_modes(axis, p);
            const std::size_t size = p.size();
            // The columns contain all values.
            std::vector<std::vector<double>> v;
            const auto half = static_cast<std::size_t>(basis.first_half(static_cast<int>(size)));
            const double* next = basis.modes.data();
            for (std::size_t part = 0; part < 2; ++part) {
              const std::size_t rows = part == 0 ? half : size - half, first = part == 0 ? 0 : half;
              for (std::size_t m = 0; m < rows; ++m, next += rows) {
                std::vector<double> column(size);
                for (std::size_t r = 0; r < rows; ++r) {
                  const std::size_t i = first + r, image = size - 1 - i;
                  const double value = next[r] * (basis.folded ? std::sqrt(0.5) : 1);
                  column[i] = value;
                  if (basis.folded && image != i) column[image] = part == 0 ? value : -value;
                }
                v.push_back(column);
              }
            }
            const auto times = [&](const std::vector<double>& x, bool stiffness) {
              std::vector<double> y(size);
              for (std::size_t i = 0; i < size; ++i) {
                y[i] += (stiffness ? p.sum[i] : p.mass[i]) * x[i];
                if (i + 1 == size && !p.closed) continue;
                const std::size_t k = (i + 1) % size;
                if (stiffness) {
                  y[i] += p.coupling[i] * (x[i] - x[k]);
                  y[k] += p.coupling[i] * (x[k] - x[i]);
                } else {
                  y[i] += p.mass_off[i] * x[k];
                  y[k] += p.mass_off[i] * x[i];
                }
              }
              return y;
            };
            const double scale = *std::ranges::max_element(basis.eigenvalues);
            for (std::size_t a = 0; a < size; ++a) {
              const auto Kv = times(v[a], true), Mv = times(v[a], false);
              for (std::size_t b = 0; b < size; ++b) {
                double stiffness = 0, overlap = 0;
                for (std::size_t i = 0; i < size; ++i) {
                  stiffness += v[b][i] * Kv[i];
                  overlap += v[b][i] * Mv[i];
                }
                EXPECT_NEAR(overlap, a == b ? 1 : 0, 1e-12);
                EXPECT_NEAR(stiffness / scale, a == b ? basis.eigenvalues[a] / scale : 0, 1e-12);
              }
            }
          }
}

TEST(FastDiagonalization, ExplainsUnsupportedProblems) {
  Problem p = box_of(faces_named("mixed"), all_grids.front(), 3, {8, 8, 8});
  EXPECT_EQ(no_direct_solution(p), "");
  p.coefficient[0] = [](double x, double, double) { return 1 + x * x; };
  EXPECT_NE(no_direct_solution(p).find("varies"), std::string::npos);
  EXPECT_EQ(no_direct_preconditioner(p), "");
  p.boundary[2][0].alpha = [](double x, double, double) { return 1 + x * x; };
  p.reaction = [](double x, double, double) { return 1 + x; };
  EXPECT_EQ(no_direct_preconditioner(p), "");
  const auto backend = make_cpu_backend();
  const auto expect_refusal = [&backend](const Problem& refused) {
    const Discretization d(*backend, refused);
    EXPECT_THROW(make_solver(d, directly()), InputError);
  };
  expect_refusal(p);
  const auto lengthen = [](Problem& longer) {
    for (std::size_t d = 0; d < 2; ++d) longer.nodes[d] = geometric_nodes(0, 1, 4700, 1.001, StretchedEnd::lower);
  };
  lengthen(p);
  EXPECT_NE(no_direct_preconditioner(p).find("more than one axis"), std::string::npos);
  Problem constant = box_of(faces_named("mixed"), all_grids.front(), 3, {8, 8, 8});  // large fields are not sampled
  lengthen(constant);
  EXPECT_NE(no_direct_solution(constant).find("more than one axis"), std::string::npos);
  expect_refusal(constant);
}

}  // namespace
}  // namespace poisson::fast_diagonalization_tests
