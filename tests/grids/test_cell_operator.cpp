// Cell-centred finite volumes verb by verb against the oracle: boundary kinds × grids, and in each test coefficients ×
// reactions × dimensions × precisions on awkward sizes.

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/faces.hpp"
#include "tests/oracles/cell_reference.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

Problem cells_with_data(const NamedFaces& faces, const NamedGrid& grid, ProblemChoice choice) {
  choice.centering = Centering::cell;
  return with_data(faces, grid, choice);
}

constexpr std::array choices{
    ProblemChoice{3, {5, 4, 3}, Kappa::constant, Sigma::zero},
    ProblemChoice{3, {3, 7, 4}, Kappa::constant_tensor, Sigma::constant},
    ProblemChoice{3, {4, 5, 6}, Kappa::random, Sigma::zero},
    ProblemChoice{3, {6, 3, 5}, Kappa::random_tensor, Sigma::constant},
    ProblemChoice{3, {2, 5, 3}, Kappa::random, Sigma::varying},
    ProblemChoice{2, {13, 6, 1}, Kappa::constant, Sigma::varying},
    ProblemChoice{2, {7, 12, 1}, Kappa::random_tensor, Sigma::zero},
    ProblemChoice{2, {2, 2, 1}, Kappa::random, Sigma::zero},
};

class Cells : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid>> {
 protected:
  template <class F>
  void each(const F& f) {
    for (const ProblemChoice& choice : choices) {
      SCOPED_TRACE(testing::Message() << &choice - choices.data());
      f(cells_with_data(std::get<0>(GetParam()), std::get<1>(GetParam()), choice));
    }
  }
  /// f(problem, assembly) for what is held as little as possible, and for bands.
  template <class F>
  void each_held(const F& f) {
    for (const Assembly assembly : {Assembly::automatic, Assembly::full}) {
      SCOPED_TRACE(assembly == Assembly::full ? "full" : "auto");
      each([&](const Problem& problem) { f(problem, assembly); });
    }
  }
};

/// The unknowns of a field, as the oracle numbers them.
Vector unknowns(const Field& field) {
  const std::vector<double> all = values(field);
  return {all.begin(), all.end()};
}

void set_unknowns(Field& field, const Vector& v) {
  edit(field, [&](Field& host) {
    dispatch(host.precision(), [&]<class T>(T) {
      const auto view = host.view<T>();
      std::size_t next = 0;
      for_each(host.layout().box(), [&](int i, int j, int k) { view(i, j, k) = static_cast<T>(v[next++]); });
    });
  });
}

TEST_P(Cells, HaveTheRowsOfTheOracle) {
  each_held([](const Problem& problem, Assembly assembly) {
    const auto backend = test_backend();
    const Discretization d(*backend, problem, assembly);
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      const auto A = d.make_operator(precision);
      EXPECT_EQ(A->assembly() == "full", assembly == Assembly::full);
      const auto s = reference::assemble_cells(problem, A->scale());
      const std::size_t n = s.diagonal.size();
      const Real eps = epsilon(precision);
      Field u(*backend, A->layout(), precision), b(*backend, A->layout(), precision),
          out(*backend, A->layout(), precision);
      d.initialize(u);
      d.assemble_rhs(b);
      set_unknowns(u, Random(3).vector(n));
      const Vector uv = unknowns(u), bv = unknowns(b);
      Vector expected(n), bound(n);
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] = s.rhs[i];
        bound[i] = 40 * eps * (std::abs(s.rhs[i]) + s.diagonal[i]);
      }
      EXPECT_TRUE(within(bv, expected, bound)) << "right-hand side";

      A->residual(u, b, out);
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] = bv[i] - s.row(i, uv);
        bound[i] = 12 * eps * (s.magnitude(i, uv) + std::abs(bv[i]));
      }
      EXPECT_TRUE(within(unknowns(out), expected, bound)) << "residual";
      EXPECT_EQ(A->singular(), s.singular);
      EXPECT_EQ(static_cast<std::size_t>(A->unknowns().size()), n);

      // A correction: zero beyond the faces.
      Field e(*backend, A->layout(), precision);
      set_unknowns(e, uv);
      A->apply(e, out);
      for (std::size_t i = 0; i < n; ++i) expected[i] = s.row(i, uv) + s.data[i];
      EXPECT_TRUE(within(unknowns(out), expected, bound)) << "apply";

      A->diagonal(out);
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] = s.diagonal[i];
        bound[i] = 12 * eps * s.diagonal[i];
      }
      EXPECT_TRUE(within(unknowns(out), expected, bound)) << "diagonal";
    }
  });
}

/// e = B⁻¹ r, with B the diagonal and the entries along an axis, is known by B e = r; where an axis is decoupled, B
/// along another one is what the rows of the oracle have on their diagonals and along that axis.
TEST_P(Cells, RelaxLinesAndPlanes) {
  each_held([](const Problem& problem, Assembly assembly) {
    const auto backend = test_backend();
    const Discretization d(*backend, problem, assembly);
    for (const Precision precision : {Precision::fp64, Precision::fp32})
      for (int decoupled = -1; decoupled < problem.dimension; ++decoupled) {
        RowData rows = d.rows();
        rows.decoupled = decoupled;
        if (decoupled >= 0) rows.singular = false;
        const auto A = grid_kernels(*backend).make_operator(*backend, rows, precision).A;
        const auto s = reference::assemble_cells(problem, A->scale());
        const std::size_t n = s.diagonal.size();
        const Real eps = epsilon(precision);
        Field u(*backend, A->layout(), precision), b(*backend, A->layout(), precision),
            out(*backend, A->layout(), precision);
        set_unknowns(u, Random(5).vector(n));
        set_unknowns(b, Random(6).vector(n));
        const Vector uv = unknowns(u), bv = unknowns(b);
        const auto along = [&](std::size_t i, std::size_t column, int axis) {
          const auto a = static_cast<std::size_t>(axis);
          const reference::Index at = s.grid.index(i), to = s.grid.index(column);
          return at[a] != to[a];
        };
        for (int axis = 0; axis < problem.dimension; ++axis) {
          if (axis == decoupled) continue;
          RowData along_axis = rows;
          along_axis.relaxation = {Extent::line, axis};
          const auto lines = grid_kernels(*backend).make_operator(*backend, along_axis, precision).A;
          for (const bool from_zero : {true, false}) {
            SCOPED_TRACE(testing::Message() << "axis " << axis << ", decoupled " << decoupled << from_zero);
            constexpr double alpha = 0.75, beta = 0.5;
            Vector before(n, 0);
            if (from_zero) {
              lines->line_start(axis, alpha, b, out);
            } else {
              set_unknowns(out, before = Random(7).vector(n));
              before = unknowns(out);
              lines->line_step(axis, {alpha, beta}, u, b, out);
            }
            const Vector next = unknowns(out);
            Vector e(n), size(n);
            for (std::size_t i = 0; i < n; ++i) {
              const Real base = from_zero ? 0 : uv[i] + beta * (uv[i] - before[i]);
              e[i] = (next[i] - base) / alpha;
              size[i] = std::abs(e[i]) + std::abs(next[i]) + (from_zero ? 0 : std::abs(uv[i]) + std::abs(before[i]));
            }
            for (std::size_t i = 0; i < n; ++i) {
              Real product = s.diagonal[i] * e[i], right = bv[i] - (from_zero ? 0 : s.diagonal[i] * uv[i]),
                   bound = s.diagonal[i] * size[i] + std::abs(bv[i]);
              for (const auto& entry : s.neighbours[i]) {
                bound += std::abs(entry.value) * (size[entry.column] + std::abs(uv[entry.column]));
                if (along(i, entry.column, axis)) product -= entry.value * e[entry.column];
                if (!from_zero && !(decoupled >= 0 && along(i, entry.column, decoupled)))
                  right += entry.value * uv[entry.column];
              }
              ASSERT_LE(std::abs(product - right), 100 * eps * bound) << "at " << i;
            }
          }
        }
      }
  });
}

/// The verbs whose point formulas other tests hold against oracles: bands feed them the same rows, with the data of
/// faces in the halo of u.
TEST_P(Cells, AreSweptTheSameFromBands) {
  each([](const Problem& problem) {
    const auto backend = test_backend();
    const Discretization held(*backend, problem), banded(*backend, problem, Assembly::full);
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      const auto A = held.make_operator(precision), B = banded.make_operator(precision);
      ASSERT_EQ(A->singular(), B->singular());
      const auto n = static_cast<std::size_t>(A->unknowns().size());
      const Real eps = epsilon(precision);
      const auto expect = [&](const char* verb, const auto& of) {
        std::array<Vector, 2> found;
        std::array<double, 2> number{};
        for (const bool full : {false, true}) {
          Field u(*backend, A->layout(), precision), b(*backend, A->layout(), precision),
              out(*backend, A->layout(), precision);
          held.initialize(u);
          held.assemble_rhs(b);
          set_unknowns(u, Random(3).vector(n));
          set_unknowns(out, Random(4).vector(n));
          Scalar scalar = backend->scalar();
          found[full] = unknowns(of(full ? *B : *A, u, b, out, scalar));
          number[full] = backend->value(scalar);
        }
        Real largest = 1;
        for (const Real x : found[0]) largest = std::max(largest, std::abs(x));
        EXPECT_TRUE(within(found[1], found[0], Vector(n, 100 * eps * largest))) << verb;
        EXPECT_NEAR(number[1], number[0], static_cast<double>(100 * eps) * (1 + std::abs(number[0]))) << verb;
      };
      const Scalar scale = backend->scalar(4);
      expect("scaled residual", [&](const Operator& C, Field& u, Field& b, Field& out, Scalar& norm) -> Field& {
        C.residual(u, b, out, scale, norm);
        return out;
      });
      expect("norm", [&](const Operator& C, Field& u, Field&, Field&, Scalar& norm) -> Field& {
        C.norm(u, norm);
        return u;
      });
      expect("rounding", [&](const Operator& C, Field& u, Field&, Field&, Scalar& norm) -> Field& {
        C.rounding(u, norm);
        return u;
      });
      expect("polynomial start", [&](const Operator& C, Field&, Field& b, Field& out, Scalar&) -> Field& {
        C.polynomial_start(0.75, b, out);
        return out;
      });
      for (const double beta : {0.0, 0.5})
        expect("polynomial step", [&](const Operator& C, Field& u, Field& b, Field& out, Scalar&) -> Field& {
          C.polynomial_step({0.75, beta}, u, b, out);
          return out;
        });
      for (const bool reversed : {false, true})
        expect("gauss-seidel", [&](const Operator& C, Field& u, Field& b, Field&, Scalar&) -> Field& {
          C.gauss_seidel(1.15, reversed, b, u);
          return u;
        });
      if (!A->singular()) continue;
      expect("project rhs", [&](const Operator& C, Field&, Field& b, Field&, Scalar& amount) -> Field& {
        C.project_rhs(b, amount);
        return b;
      });
      expect("project solution", [&](const Operator& C, Field& u, Field&, Field&, Scalar&) -> Field& {
        C.project_solution(u);
        return u;
      });
    }
  });
}

TEST_P(Cells, MoveBetweenLevelsAsTheOracleDoes) {
  each([](const Problem& problem) {
    const auto backend = test_backend();
    const Block block = make_block(problem);
    for (const auto& [rule, constant] :
         {std::pair{Coarsening::even, false}, {Coarsening::pairs, false}, {Coarsening::pairs, true}}) {
      const auto coarse = coarser(block, rule);
      if (!coarse) continue;
      const Layout layout = coarse->block.layout();
      const auto transfer = grid_kernels(*backend).make_transfer(*backend, block, *coarse, constant);
      std::array<reference::Dense, 3> P, shares;
      for (std::size_t d = 0; d < 3; ++d) {
        const Axis& axis = block.axes[d];
        const std::array kind{axis.kind(0), axis.kind(1)};
        const std::vector<double> nodes = axis.degenerate() ? std::vector<double>{0, 1} : axis.nodes();
        const std::vector<double> wide = axis.degenerate() ? std::vector<double>{0, 1} : coarse->block.axes[d].nodes();
        P[d] = reference::cell_prolongation(nodes, wide, kind, constant);
        shares[d] = reference::shares(nodes, wide);
      }
      Field f(*backend, block.layout(), Precision::fp64), c(*backend, layout, Precision::fp64);
      Random random(5);
      const Vector fine = random.vector(static_cast<std::size_t>(block.layout().size()));
      const Vector wide = random.vector(static_cast<std::size_t>(layout.size()));
      const Scalar scale = backend->scalar(3);

      Vector up(wide.size(), 0), sums(wide.size(), 0), down(fine.size(), 0);
      reference::for_each_entry(P, [&](std::size_t i, std::size_t I, Real w) {
        up[I] += 3 * w * fine[i];
        down[i] += w * wide[I];
      });
      reference::for_each_entry(shares, [&](std::size_t i, std::size_t I, Real w) { sums[I] += 3 * w * fine[i]; });
      // Centres are rounded as coordinates are: what that is worth in the widths of cells.
      Real rounding = 64;
      for (const Axis& axis : block.axes)
        for (int i = 0; i < axis.cells(); ++i)
          rounding = std::max(
              rounding,
              8 * std::max(std::abs(Real{axis.nodes().front()}), std::abs(Real{axis.nodes().back()})) / axis.width(i));
      const Vector bound(wide.size(), rounding * 3 * 8 * epsilon(Precision::fp64));
      const Vector fine_bound(fine.size(), rounding * epsilon(Precision::fp64));
      set_values(*backend, f, fine);
      transfer->restrict_to(f, c, &scale);
      EXPECT_TRUE(within(unknowns(c), up, bound)) << "restrict_to";
      set_values(*backend, f, fine);
      transfer->restrict_data(f, c, &scale);
      EXPECT_TRUE(within(unknowns(c), sums, bound)) << "restrict_data";

      set_values(*backend, c, wide);
      transfer->prolong(c, f);
      EXPECT_TRUE(within(unknowns(f), down, fine_bound)) << "prolong";
      set_values(*backend, f, fine);
      set_values(*backend, c, wide);
      transfer->prolong_add(c, f);
      for (std::size_t i = 0; i < fine.size(); ++i) down[i] += fine[i];
      EXPECT_TRUE(within(unknowns(f), down, fine_bound)) << "prolong_add";
      EXPECT_TRUE(open_halo_is_zero(*backend, f));
      EXPECT_TRUE(open_halo_is_zero(*backend, c));
    }
  });
}

/// The values of a polynomial of degree 3 along each axis, and of its means over faces: what full multigrid starts
/// from.
TEST_P(Cells, StartFromCubicsThatInterpolationReproduces) {
  const auto& [faces, grid] = GetParam();
  // Four points may enlarge errors too much past the last centre of cells that grow by more than 2: then two have to
  // do.
  const bool grows = grid.name == "geometric" || grid.name == "micro";
  for (const auto& [dimension, rule] :
       {std::pair{2, Coarsening::even}, {3, Coarsening::even}, {2, Coarsening::pairs}, {3, Coarsening::pairs}}) {
    if (grows && rule == Coarsening::even) continue;
    Problem p = cells_with_data(faces, grid, {dimension, {9, 11, 8}, Kappa::constant, Sigma::zero});
    // Constant along periodic axes.
    const auto cubic = [&p, n = dimension, L = grid.length](double x, double y, double z) {
      const std::array at{x / L, y / L, z / L};
      double product = 1;
      for (std::size_t d = 0; d < static_cast<std::size_t>(n); ++d)
        if (p.boundary[d][0].kind != BoundaryKind::periodic)
          product *= 1 + at[d] * (0.5 - at[d] * (0.25 + 0.125 * at[d]));
      return product;
    };
    for (auto& axis : p.boundary)
      for (Boundary& face : axis)
        if (face.kind == BoundaryKind::dirichlet) face.value = cubic;
    p.initial = cubic;
    const auto backend = test_backend();
    const Discretization d(*backend, std::as_const(p));
    const auto coarse = coarser(d.block(), rule);
    Problem wide = p;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (axis < static_cast<std::size_t>(dimension)) wide.nodes[axis] = coarse->block.axes[axis].nodes();
    const Discretization D(*backend, std::as_const(wide));
    Field f(*backend, d.block().layout(), Precision::fp64), c(*backend, D.block().layout(), Precision::fp64);
    D.initialize(c);
    d.initialize(f);
    const Vector expected = unknowns(f);
    set_unknowns(f, Vector(expected.size(), 0));
    const auto transfer = grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse);
    const Scalar scale = backend->scalar(0.5);
    transfer->interpolate(c, f, &scale);
    Vector half = expected;
    for (Real& v : half) v /= 2;
    EXPECT_TRUE(within(unknowns(f), half, Vector(half.size(), 1e-12L))) << dimension;
  }
}

TEST_P(Cells, InjectMeans) {
  each([](const Problem& problem) {
    const auto backend = test_backend();
    const Discretization d(*backend, problem);
    const auto coarse = coarser(d.block());
    if (!coarse) return;
    Field f(*backend, d.block().layout(), Precision::fp64), c(*backend, coarse->block.layout(), Precision::fp32);
    d.initialize(f);
    set_unknowns(f, Random(9).vector(static_cast<std::size_t>(f.layout().size())));
    const Scalar scale = backend->scalar(2);
    grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse)->inject(f, c, &scale);
    const HostRead fine(f), wide(c);
    const auto u = (*fine).view<double>();
    const auto U = (*wide).view<float>();
    // Each fine cell counts by the part of it in the coarse one; past Dirichlet ends stands the value there.
    const auto part = [&](std::size_t axis, int I, int i) -> double {
      const Axis &a = d.block().axes[axis], &A = coarse->block.axes[axis];
      if (a.degenerate()) return 1;
      const int n = a.size(), N = A.size();
      if (I < 0 || I >= N) return (I < 0 ? i == -1 : i == n) ? 1 : 0;
      if (i < 0 || i >= n) return 0;
      const auto at = static_cast<std::size_t>(i), AT = static_cast<std::size_t>(I);
      const double low = std::max(a.nodes()[at], A.nodes()[AT]), high = std::min(a.nodes()[at + 1], A.nodes()[AT + 1]);
      return std::max(0.0, high - low) / (A.nodes()[AT + 1] - A.nodes()[AT]);
    };
    const auto range = [&](const Block& b) {
      Box box = b.layout().box();
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(b.dimension()); ++axis) {
        for (const BoundaryKind kind : {BoundaryKind::dirichlet, BoundaryKind::robin}) {
          if (b.axes[axis].kind(0) == kind) --box.first[axis];
          if (b.axes[axis].kind(1) == kind) ++box.last[axis];
        }
      }
      return box;
    };
    for_each(range(coarse->block), [&](int I, int J, int K) {
      double mean = 0;
      for_each(range(d.block()), [&](int i, int j, int k) {
        const double w = part(0, I, i) * part(1, J, j) * part(2, K, k);
        if (w != 0) mean += w * u(i, j, k);
      });
      ASSERT_NEAR(static_cast<double>(U(I, J, K)), 2 * mean, 1e-6) << I << " " << J << " " << K;
    });
  });
}

INSTANTIATE_TEST_SUITE_P(All, Cells, testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace poisson
