// These tests compare direct solutions with multigrid's: every mix of faces and schemes, lengths with and without fast
// transforms, tiny, odd and very flat boxes, data that jump and incompatible data. They also check where a solve
// begins.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/results/gather.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::direct_solutions_tests {
namespace {

Options by(Method method, double tolerance) {
  Options options;
  options.method = method;
  options.precision = SolvePrecision::double_;
  options.tolerance = tolerance;
  return options;
}

struct Scheming {
  const char* name;
  Centering centering;
  Scheme scheme;
};
constexpr std::array schemes{Scheming{"nodes", Centering::node, Scheme::fv},
                             Scheming{"cells", Centering::cell, Scheme::fv},
                             Scheming{"elements", Centering::node, Scheme::q1}};

struct Shape {
  int dimension;
  std::array<int, 3> cells;
  std::array<double, 3> length;
};
const std::array shapes{
    Shape{2, {2, 3, 1}, {1, 1, 1}},      Shape{2, {64, 5, 1}, {1, 1, 1}},    Shape{2, {23, 31, 1}, {1, 1e3, 1}},
    Shape{2, {27, 25, 1}, {1e-3, 1, 1}}, Shape{3, {2, 2, 2}, {1, 1, 1}},     Shape{3, {3, 2, 5}, {1, 2, 1}},
    Shape{3, {11, 13, 7}, {1, 1, 1}},    Shape{3, {12, 9, 10}, {1, 1, 1e3}}, Shape{3, {5, 17, 16}, {1e3, 1, 1e-2}}};

// Returns a problem with sources and face values that jump. Without `data` all faces are zero.
Problem jumping(const NamedFaces& faces, const Shape& shape, bool data) {
  Problem p;
  p.dimension = shape.dimension;
  p.boundary = faces.faces;
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.dimension); ++d) {
    const bool closed = faces.faces[d][0].kind == BoundaryKind::periodic;
    p.nodes[d] = uniform_nodes(0, shape.length[d], std::max(shape.cells[d], closed ? 4 : 2));
    for (Boundary& face : p.boundary[d])
      if (data && face.kind != BoundaryKind::periodic)
        face.value = [l = shape.length](double x, double y, double) {
          return x > 0.4 * l[0] || y > 0.6 * l[1] ? 2 : -1;
        };
  }
  p.source = [l = shape.length](double x, double y, double z) {
    return x < 0.3 * l[0] ? 1.0 : y < 0.7 * l[1] ? -5.0 : 1 + z / l[2];
  };
  return p;
}

bool constant_alphas(const NamedFaces& faces) {
  for (const auto& axis : faces.faces)
    for (const Boundary& face : axis)
      if (!face.alpha.constant()) return false;
  return true;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    most = d <= most ? most : d;  // NaN is kept
  }
  return most / std::max(largest(a), largest(b));
}

class DirectAndMultigrid : public testing::TestWithParam<Scheming> {};

TEST_P(DirectAndMultigrid, GiveTheSameSolution) {
  for (const NamedFaces& faces : all_faces()) {
    if (!constant_alphas(faces)) continue;
    for (const Shape& shape : shapes)
      for (const bool data : {false, true}) {
        SCOPED_TRACE(faces.name + ", " + std::to_string(shape.cells[0]) + " × " + std::to_string(shape.cells[1]) +
                     " × " + std::to_string(shape.cells[2]) + (data ? ", data on the faces" : ""));
        Problem p = jumping(faces, shape, data);
        p.centering = GetParam().centering;
        p.scheme = GetParam().scheme;
        Solve direct(p, by(Method::direct, 1e-10)), multigrid(p, by(Method::multigrid, 1e-10));
        const Result at_once = direct.run(), cycles = multigrid.run();
        // On very flat boxes rounding ends both solves, because u is large relative to its variation.
        const auto ends = [](const Result& r) { return r.converged() || r.at_rounding_floor(); };
        EXPECT_TRUE(ends(at_once)) << name_of(at_once.verdict) << " at " << at_once.relative();
        EXPECT_TRUE(ends(cycles)) << name_of(cycles.verdict) << " at " << cycles.relative();
        EXPECT_LE(at_once.iterations, 6);  // the last steps show that u no longer moves
        EXPECT_NEAR(at_once.projected, cycles.projected, 1e-12 * std::abs(cycles.reference) + 1e-14);
        EXPECT_LT(distance(values(direct.solution()), values(multigrid.solution())), 1e-6);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, DirectAndMultigrid, testing::ValuesIn(schemes),
                         [](const auto& test) { return std::string(test.param.name); });

// If no data are stored in u, the solver solves for b without reading the unknowns. Solutions of a singular problem
// have no mean.
TEST(DirectSolutions, DoNotDependOnFormerUnknowns) {
  for (const NamedFaces& faces : all_faces()) {
    if (!constant_alphas(faces)) continue;
    for (const Shape& shape :
         {Shape{3, {12, 9, 10}, {1, 1, 1}}, Shape{3, {11, 12, 13}, {1, 1, 1}}, Shape{2, {24, 11, 1}, {1, 1, 1}}})
      for (const Scheming& scheme : schemes) {
        SCOPED_TRACE(faces.name + ", " + scheme.name + ", " + std::to_string(shape.cells[0]));
        Problem p = jumping(faces, shape, false);
        p.centering = scheme.centering;
        p.scheme = scheme.scheme;
        Solve from_zero(p, by(Method::direct, 1e-10)), from_anything(p, by(Method::direct, 1e-10));
        randomize(from_anything.solution(), from_anything.solver().A().space().part().unknowns());
        const Result first = from_zero.run(), second = from_anything.run();
        EXPECT_EQ(first.history, second.history);
        const auto u = values(from_zero.solution());
        EXPECT_EQ(u, values(from_anything.solution()));
        if (!from_zero.solver().A().singular()) continue;
        Field centred(from_zero.backend(), from_zero.solver().A().space(), Precision::fp64);
        from_zero.backend().copy(from_zero.solution(), centred);
        from_zero.solver().A().project_solution(centred);
        EXPECT_LT(distance(u, values(centred)), 1e-13);
      }
  }
}

TEST(DirectSolutions, FollowDataThatAreReplaced) {
  const auto backend = test_backend();
  NamedFaces faces = all_faces().front();
  const Shape shape{3, {12, 8, 11}, {1, 1, 1}};
  for (const Scheming& scheme : schemes) {
    SCOPED_TRACE(scheme.name);
    Problem p = jumping(faces, shape, false);
    p.centering = scheme.centering;
    p.scheme = scheme.scheme;
    Discretization d(*backend, std::as_const(p));
    const auto solver = make_solver(d, by(Method::direct, 1e-10));
    solver->prepare(false);
    const auto solve = [](const Discretization& on, Solver& with) {
      on.assemble_rhs(with.rhs());
      on.initialize(with.solution());
      EXPECT_TRUE(with.solve(false).converged());
      return gather_values(on.block(), with.solution()).all();
    };
    const auto zero = solve(d, *solver);
    d.set_boundary_value(1, 1, p.boundary[1][1].value = 7.0);
    const auto seven = solve(d, *solver);
    const Discretization fresh(*backend, std::as_const(p));
    EXPECT_EQ(seven, solve(fresh, *make_solver(fresh, by(Method::direct, 1e-10))));
    EXPECT_GT(distance(zero, seven), 0.1);
    d.set_boundary_value(1, 1, 0.0);
    EXPECT_EQ(zero, solve(d, *solver));
  }
}

TEST(DirectSolutions, AreZeroForZeroData) {
  for (const char* name : {"dirichlet", "neumann", "periodic_xyz"}) {
    const auto all = all_faces();
    Problem p =
        jumping(*std::ranges::find(all, std::string(name), &NamedFaces::name), {3, {8, 9, 11}, {1, 1, 1}}, false);
    p.source = 0.0;
    Solve s(p, by(Method::direct, 1e-10));
    const Result result = s.run();
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(largest(values(s.solution())), 0);
  }
}

// A solve must overwrite the padding between values and between halves of odd length.
TEST(DirectSolutions, RecoverFromNaNInTheData) {
  for (const NamedFaces& faces : all_faces()) {
    if (!constant_alphas(faces)) continue;
    for (const Shape& shape : {Shape{3, {13, 29, 11}, {1, 1, 1}}, Shape{3, {11, 13, 23}, {1, 1, 1}}}) {
      SCOPED_TRACE(faces.name + ", " + std::to_string(shape.cells[0]));
      const Problem p = jumping(faces, shape, false);
      Solve fresh(p, by(Method::direct, 1e-10)), s(p, by(Method::direct, 1e-10));
      s.backend().fill(s.rhs(), std::nan(""));
      EXPECT_EQ(s.solver().solve(false).verdict, Verdict::not_finite);
      s.reset();
      EXPECT_TRUE(s.run().converged());
      EXPECT_TRUE(fresh.run().converged());
      EXPECT_EQ(values(s.solution()), values(fresh.solution()));
    }
  }
}

}  // namespace
}  // namespace poisson::direct_solutions_tests
