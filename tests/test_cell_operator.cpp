// Cell-centred finite volumes verb by verb against the oracle: boundary kinds × grids, and in each test coefficients ×
// reactions × dimensions × precisions on awkward sizes.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "grids/faces.hpp"
#include "grids/relaxation.hpp"
#include "tests/cell_reference.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

/// A problem with source and data on its faces, all of one size whatever the units.
Problem with_data(const NamedFaces& faces, const NamedGrid& grid, ProblemChoice choice) {
  choice.centering = Centering::cell;
  const double L = grid.length, K = grid.kappa;
  Problem p = make_problem(faces, grid, choice);
  const auto wave = [L](double factor, double phase) {
    return Quantity([=](double x, double y, double z) {
      return factor * (0.3 + std::sin(7 * x / L + phase) * std::cos(5 * y / L - phase) + z / L);
    });
  };
  p.source = wave(K / (L * L), 0.4);
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary& face = p.boundary[d][end];
      if (face.kind == BoundaryKind::periodic) continue;
      face.value = wave(face.kind == BoundaryKind::dirichlet ? 1 : K / L, static_cast<double>(2 * d + end));
    }
  return p;
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
      f(with_data(std::get<0>(GetParam()), std::get<1>(GetParam()), choice));
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

/// The next level under a smoother of points; none under the coarsest.
std::optional<CoarseBlock> coarser(const Block& block, int level) {
  const LevelChoice choice = choose_relaxation(block, {1, 1, 1}, RelaxationChoice::points);
  if (choice.coarsest()) return std::nullopt;
  return coarsen(block, choice.coarsened, level);
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
        const auto A = make_operator(*backend, rows, precision);
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
          const auto lines = make_operator(*backend, along_axis, precision);
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
    for (int level = 0; level < 2; ++level) {
      const auto coarse = coarser(block, level);
      if (!coarse) continue;
      const Layout layout = coarse->block.layout();
      for (const bool constant : {false, true}) {
        const auto transfer = make_transfer(*backend, block, *coarse, constant);
        std::array<reference::Dense, 3> P, children;
        for (std::size_t d = 0; d < 3; ++d) {
          const Axis& axis = block.axes[d];
          const std::array kind{axis.kind(0), axis.kind(1)};
          const std::vector<double> nodes = axis.degenerate() ? std::vector<double>{0, 1} : axis.nodes();
          const std::vector<double> wide =
              axis.degenerate() ? std::vector<double>{0, 1} : coarse->block.axes[d].nodes();
          P[d] = reference::cell_prolongation(nodes, wide, kind, constant);
          children[d] = reference::cell_prolongation(nodes, wide, kind, true);
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
        reference::for_each_entry(children, [&](std::size_t i, std::size_t I, Real w) { sums[I] += 3 * w * fine[i]; });
        const Vector bound(wide.size(), 64 * 3 * 8 * epsilon(Precision::fp64));
        const Vector fine_bound(fine.size(), 64 * epsilon(Precision::fp64));
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
    }
  });
}

/// The values of a polynomial of degree 3 along each axis, and of its means over faces: what full multigrid starts
/// from.
TEST_P(Cells, StartFromCubicsThatInterpolationReproduces) {
  const auto& [faces, grid] = GetParam();
  for (const int dimension : {2, 3}) {
    Problem p = with_data(faces, grid, {dimension, {9, 11, 8}, Kappa::constant, Sigma::zero});
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
    const Discretization d(*backend, p);
    const auto coarse = coarser(d.block(), 0);
    Problem wide = p;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (axis < static_cast<std::size_t>(dimension)) wide.nodes[axis] = coarse->block.axes[axis].nodes();
    const Discretization D(*backend, wide);
    Field f(*backend, d.block().layout(), Precision::fp64), c(*backend, D.block().layout(), Precision::fp64);
    D.initialize(c);
    d.initialize(f);
    const Vector expected = unknowns(f);
    set_unknowns(f, Vector(expected.size(), 0));
    const auto transfer = make_transfer(*backend, d.block(), *coarse);
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
    const auto coarse = coarser(d.block(), 1);
    if (!coarse) return;
    Field f(*backend, d.block().layout(), Precision::fp64), c(*backend, coarse->block.layout(), Precision::fp32);
    d.initialize(f);
    set_unknowns(f, Random(9).vector(static_cast<std::size_t>(f.layout().size())));
    const Scalar scale = backend->scalar(2);
    make_transfer(*backend, d.block(), *coarse)->inject(f, c, &scale);
    const HostRead fine(f), wide(c);
    const auto u = (*fine).view<double>();
    const auto U = (*wide).view<float>();
    // A coarse cell's fine ones lie inside it; past Dirichlet ends stands the value there.
    const auto part = [&](std::size_t axis, int I, int i) -> double {
      const Axis &a = d.block().axes[axis], &A = coarse->block.axes[axis];
      if (a.degenerate()) return 1;
      const int n = a.size(), N = A.size();
      if (I < 0 || I >= N) return (I < 0 ? i == -1 : i == n) ? 1 : 0;
      if (i < 0 || i >= n) return 0;
      const double x = a.point(i), low = A.nodes()[static_cast<std::size_t>(I)],
                   high = A.nodes()[static_cast<std::size_t>(I) + 1];
      return x > low && x < high ? a.width(i) / (high - low) : 0;
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

/// What flows through the cells around a vertex of the coarse grid where a fine face meets it, over what would flow
/// from one side of the face to the other with nothing across, the excess 1.5 times, around an edge 1.7 times: κ(d,
/// cell) is that of the face below a cell, `moves` the cells of a side, as ways from the one at the face.
template <class KappaBelow>
Real gain_of_corner(const reference::CellGrid& g, std::size_t axis, reference::Index face,
                    const std::vector<reference::Index>& moves, const KappaBelow& kappa_below) {
  const auto turned = [&](reference::Index at) {
    for (std::size_t e = 0; e < 3; ++e) at[e] = (at[e] + 2 * g.size[e]) % g.size[e];
    return at;
  };
  const auto at = [&](const reference::Index& move, int side) {
    reference::Index cell = face;
    for (std::size_t e = 0; e < 3; ++e) cell[e] += move[e];
    cell[axis] += side;
    return cell;
  };
  const auto conductance = [&](std::size_t d, reference::Index cell) {
    reference::Index below = cell;
    --below[d];
    cell = turned(cell), below = turned(below);
    Real area = 1;
    for (std::size_t e = 0; e < 3; ++e)
      if (e != d) area *= g.width(e, cell);
    return kappa_below(d, cell) * area * 2 / (g.width(d, cell) + g.width(d, below));
  };
  const std::size_t n = 2 * moves.size();  // unknowns: the cells below the face, then those above
  std::vector<Vector> a(n, Vector(n, 0));
  Vector b(n, 0), to_centre(n, 0), drop(n, 0);
  Real apart = 0;
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const Real through = conductance(axis, at(moves[m], 0));
    const Real low = 1 / conductance(axis, at(moves[m], -1)), high = 1 / conductance(axis, at(moves[m], 1));
    const auto h = [&](int side) { return g.width(axis, turned(at(moves[m], side))) / 2; };
    // In series, the three let through κ of the face over the distance of the coarse centres, which are ends of cells.
    const Real outside = (h(-2) + h(1)) / (h(-1) + h(0)) / through;
    const Real flow = 1 / (outside + 1 / through);
    apart += flow;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t i = side * moves.size() + m, j = (1 - side) * moves.size() + m;
      const Real resistance = outside * (side == 0 ? low : high) / (low + high);
      drop[i] = flow * resistance;
      to_centre[i] = 1 / resistance;
      a[i][i] += to_centre[i] + through;
      a[i][j] -= through;
      if (side == 1) b[i] = to_centre[i];
      for (std::size_t q = 0; q < moves.size(); ++q)
        for (std::size_t e = 0; e < 3; ++e) {
          reference::Index next = moves[m];
          const int way = moves[q][e] - next[e];
          next[e] = moves[q][e];
          if (way == 0 || next != moves[q]) continue;
          const int level = static_cast<int>(side) - 1;
          const Real k = conductance(e, at(way > 0 ? moves[q] : moves[m], level));
          a[i][i] += k;
          a[i][side * moves.size() + q] -= k;
        }
    }
  }
  // Pairs of cells at the same potentials within a hundredth count as uncoupled.
  const auto spread = [&](std::size_t from) {
    const auto [least, most] = std::minmax_element(drop.begin() + static_cast<std::ptrdiff_t>(from),
                                                   drop.begin() + static_cast<std::ptrdiff_t>(from + moves.size()));
    return *most - *least;
  };
  if (spread(0) < 0.01L && spread(moves.size()) < 0.01L) return 1;
  const Vector u = reference::solve(a, b);
  Real together = 0;
  for (std::size_t m = 0; m < moves.size(); ++m) together += to_centre[m] * u[m];
  return 1 + (moves.size() == 2 ? 1.7L : 1.5L) * (together / apart - 1);
}

/// Coarse rows: κ on a coarse face is the mean of the fine faces on it, times what flows in addition around the
/// vertices of the coarse grid; behind Robin faces, mean κ and mean α in series.
TEST_P(Cells, CoarsenFaces) {
  double largest = 1;
  each([&largest](const Problem& problem) {
    const auto backend = test_backend();
    const Discretization d(*backend, problem, Discretization::Assembly::partial);
    const auto coarse = coarser(d.block(), 0);
    if (!coarse) return;
    const auto transfer = make_transfer(*backend, d.block(), *coarse);
    const RowData rows = d.coarsen_rows(d.rows(), *coarse, *transfer);
    const reference::CellGrid g(problem);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem.dimension); ++axis) {
      const HostRead read(*rows.cells[axis]);
      const auto view = (*read).view<double>();
      const Axis& A = coarse->block.axes[axis];
      const auto kappa_along = [&](std::size_t e, reference::Index at) {
        return reference::evaluate(problem.coefficient[problem.isotropic ? 0 : e], g.centre(at), at);
      };
      const auto kappa = [&](reference::Index at) { return kappa_along(axis, at); };
      const auto kappa_below = [&](std::size_t e, reference::Index at) {
        reference::Index below = at;
        below[e] = (at[e] + g.size[e] - 1) % g.size[e];
        const Real h = g.width(e, at), hb = g.width(e, below);
        return (h + hb) / (h / kappa_along(e, at) + hb / kappa_along(e, below));
      };
      const auto of_fine_face = [&](reference::Index at) -> std::array<Real, 2> {  // κ, α
        const int n = g.size[axis];
        if (!g.periodic(axis) && (at[axis] == 0 || at[axis] == n)) {
          const std::size_t end = at[axis] == 0 ? 0 : 1;
          if (end == 1) --at[axis];
          const Boundary& face = problem.boundary[axis][end];
          std::array<double, 3> point = g.centre(at);
          point[axis] = end == 0 ? g.nodes[axis].front() : g.nodes[axis].back();
          return {kappa(at), face.kind == BoundaryKind::robin ? reference::evaluate(face.alpha, point, at) : 0};
        }
        at[axis] %= n;
        return {kappa_below(axis, at), 0};
      };
      const auto merged = [&](std::size_t e, int I) {
        const auto& fine = coarse->axes[e].fine;
        const auto at = static_cast<std::size_t>(I < 0 ? I + static_cast<int>(fine.size()) : I);
        return (at + 1 < fine.size() ? fine[at + 1] : g.size[e]) - fine[at] == 2;
      };
      Box box = coarse->block.layout().box();
      if (!A.periodic()) ++box.last[axis];
      for_each(box, [&](int I, int J, int K) {
        const std::array wide{I, J, K};
        std::array<std::array<int, 2>, 3> range{};
        for (std::size_t e = 0; e < 3; ++e) {
          const auto& fine = coarse->axes[e].fine;
          const auto at = [&](int i) {
            return static_cast<std::size_t>(i) < fine.size() ? fine[static_cast<std::size_t>(i)] : g.size[e];
          };
          range[e] = {at(wide[e]), e == axis ? at(wide[e]) + 1 : at(wide[e] + 1)};
        }
        Real k = 0, a = 0, area = 0;
        for (int z = range[2][0]; z < range[2][1]; ++z)
          for (int y = range[1][0]; y < range[1][1]; ++y)
            for (int x = range[0][0]; x < range[0][1]; ++x) {
              Real w = 1;
              const reference::Index at{x, y, z};
              for (std::size_t e = 0; e < 3; ++e)
                if (e != axis) w *= g.width(e, at);
              const auto [kf, af] = of_fine_face(at);
              std::vector<reference::Index> moves{{0, 0, 0}};
              const bool outer = !A.periodic() && (wide[axis] == 0 || wide[axis] == A.size());
              for (std::size_t e = 0; e < 3 && !outer; ++e) {
                if (e == axis || !merged(e, wide[e])) continue;
                const int step = at[e] == range[e][0] ? -1 : 1, next = at[e] + step;
                if (!g.periodic(e) && (next < 0 || next >= g.size[e])) continue;
                for (std::size_t m = 0, count = moves.size(); m < count; ++m) {
                  moves.push_back(moves[m]);
                  moves.back()[e] = step;
                }
              }
              Real gain = 1;
              if (!outer && moves.size() > 1 && merged(axis, wide[axis] - 1) && merged(axis, wide[axis]))
                gain = gain_of_corner(g, axis, at, moves, kappa_below);
              largest = std::max(largest, static_cast<double>(gain));
              k += w * kf * gain;
              a += w * af;
              area += w;
            }
        Real expected = k / area;
        const int end = wide[axis] == 0 ? 0 : wide[axis] == A.size() ? 1 : -1;
        if (end >= 0 && A.kind(end) == BoundaryKind::robin) {
          const Real half = Real{A.width(end == 0 ? 0 : A.cells() - 1)} / 2;
          expected = a == 0 ? 0 : half / (area / a + half * area / k);
        }
        ASSERT_NEAR(static_cast<double>(view(I, J, K) / std::max(expected, k / area)),
                    static_cast<double>(expected / std::max(expected, k / area)), 1e-12)
            << axis << ": " << I << " " << J << " " << K;
      });
    }
  });
  // With explicit nodes hardly any cells are merged on boxes as small as these.
  if (std::get<1>(GetParam()).name != "explicit") {
    EXPECT_GT(largest, 1.05) << "nothing bends";
  }
}

/// κ on the coarse faces of a box of equal cells.
std::vector<double> coarse_faces(const std::array<int, 3>& cells, const Quantity& kappa, std::size_t axis) {
  Problem p;
  p.centering = Centering::cell;
  p.dimension = cells[2] > 1 ? 3 : 2;
  p.coefficient[0] = kappa;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
  const auto backend = test_backend();
  const Discretization d(*backend, p);
  const auto coarse = coarser(d.block(), 0);
  return values(*d.coarsen_rows(d.rows(), *coarse, *make_transfer(*backend, d.block(), *coarse)).cells[axis]);
}

/// Blocks of 2 cells a side: every fine face on a coarse one meets a corner, and is between a rich cell and a poor one,
/// κ = 2. A poor cell there has equal couplings to a rich cell across the face, to one (in space two) beside it and to
/// the centre of its own coarse cell: 4/3 (3/2) of what flows through the face alone, the excess counting half as much
/// again.
TEST(CoarseFaces, OfCheckerboardsLetTheCurrentBend) {
  const auto board = [](double x, double y, double z) {
    return (static_cast<int>(4 * x) + static_cast<int>(4 * y) + static_cast<int>(4 * z)) % 2 ? 1e9 : 1.0;
  };
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::vector<double> kappa = coarse_faces({8, 8, 1}, board, axis);
    for (int J = 1; J < 3; ++J)
      for (int I = 1; I < 3; ++I)
        EXPECT_NEAR(kappa[static_cast<std::size_t>(I + 4 * J)], 2 * (1 + 1.7 / 3), 1e-7)
            << axis << ": " << I << " " << J;
  }
  const std::vector<double> kappa = coarse_faces({8, 8, 8}, board, 2);
  EXPECT_NEAR(kappa[1 + 4 * (1 + 4 * 1)], 3.5, 1e-7);
}

/// Where κ depends on one direction, nothing bends.
TEST(CoarseFaces, OfLayersAreMeans) {
  const auto layers = [](double x, double, double) { return static_cast<int>(8 * x) % 2 ? 1e6 : 1.0; };
  const double harmonic = 2 / (1 + 1e-6), mean = 0.5 * (1 + 1e6);
  for (const std::array<int, 3>& cells : {std::array{8, 8, 1}, std::array{8, 8, 8}}) {
    EXPECT_NEAR(coarse_faces(cells, layers, 0)[1 + 4 * 1] / harmonic, 1, 1e-12);
    EXPECT_NEAR(coarse_faces(cells, layers, 1)[1 + 4 * 1] / mean, 1, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cells, testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace poisson
