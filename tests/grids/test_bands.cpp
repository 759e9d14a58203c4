// These tests compare banded operators with dense matrices: random bands on open and periodic grids, all verbs and both
// precisions, colours that separate coupled unknowns, and Galerkin operators with Pᵀ A P.

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/band_probe.hpp"
#include "grids/levels/galerkin.hpp"
#include "grids/operators/band_colours.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"

namespace poisson::bands_tests {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Shape {
  std::string name;
  Layout layout;
  Box unknowns;
  bool wide;  ///< has offsets beyond the halo
  std::vector<Offset> offsets;
  friend std::ostream& operator<<(std::ostream& stream, const Shape& s) { return stream << s.name; }
};

std::vector<Shape> shapes() {
  const Layout open{{7, 5, 6}, {}}, flat{{9, 8, 1}, {}}, line{{23, 1, 1}, {}}, around{{5, 6, 7}, {true, true, true}},
      half{{6, 7, 5}, {false, true, false}}, two{{2, 5, 2}, {true, false, true}};
  const auto inner = [](const Layout& l) {  // Dirichlet nodes at all ends
    Box box = l.box();
    for (std::size_t d = 0; d < 3; ++d)
      if (l.n[d] > 1 && !l.periodic[d]) {
        ++box.first[d];
        --box.last[d];
      }
    return box;
  };
  return {{"Star", open, inner(open), false, star_offsets(open)},
          {"Box", open, open.box(), false, box_offsets(open)},
          {"FlatStar", flat, flat.box(), false, star_offsets(flat)},
          {"FlatBox", flat, inner(flat), false, box_offsets(flat)},
          {"Line", line, line.box(), false, star_offsets(line)},
          {"PeriodicStar", around, around.box(), false, star_offsets(around)},
          {"PeriodicBox", around, around.box(), false, box_offsets(around)},
          {"HalfPeriodic", half, inner(half), false, box_offsets(half)},
          {"PeriodicTwo", two, inner(two), false, box_offsets(two)},
          {"Skew", open, open.box(), false, {{1, 0, 0}, {-1, 1, 0}, {0, 0, 1}, {1, -1, 1}}},
          {"Wide", open, open.box(), true, {{1, 0, 0}, {3, 0, 0}, {-2, 2, 0}, {0, 0, 1}, {4, -1, 3}}},
          {"WideFlat", flat, flat.box(), true, {{1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {-8, 7, 0}}}};
}

std::size_t number(const Layout& l, const Offset& at) {
  return static_cast<std::size_t>(at[0] + l.n[0] * (at[1] + l.n[1] * at[2]));
}
Offset place(const Layout& l, std::size_t i) {
  const int at = static_cast<int>(i);
  return {at % l.n[0], at / l.n[0] % l.n[1], at / l.n[0] / l.n[1]};
}
// Finds the value at an offset, across periodic ends; returns false beyond open ends.
bool neighbour(const Layout& l, Offset at, const Offset& o, std::size_t& there) {
  for (std::size_t d = 0; d < 3; ++d) {
    at[d] += o[d];
    if (l.periodic[d]) at[d] = (at[d] + l.n[d]) % l.n[d];
    if (at[d] < 0 || at[d] >= l.n[d]) return false;
  }
  there = number(l, at);
  return true;
}
bool inside(const Box& box, const Offset& at) {
  for (std::size_t d = 0; d < 3; ++d)
    if (at[d] < box.first[d] || at[d] >= box.last[d]) return false;
  return true;
}

using Matrix = std::vector<Vector>;  // dense, by rows

/// Contains random bands and the equal dense matrix.
struct Random_bands {
  Bands bands;
  Matrix dense;

  Random_bands(Backend& backend, const Shape& shape, bool symmetric) {
    const Layout& l = shape.layout;
    const auto n = static_cast<std::size_t>(l.size());
    dense.assign(n, Vector(n, 0));
    bands.space = Space(l, shape.unknowns);
    bands.symmetric = symmetric;
    bands.offsets = shape.offsets;
    if (!symmetric)
      for (const Offset& o : shape.offsets) bands.offsets.push_back({-o[0], -o[1], -o[2]});
    Random random(17);
    const auto field = [&](const Vector& values) {
      auto f = std::make_shared<Field>(backend, l, Precision::fp64);
      set_values(backend, *f, values);
      backend.exchange(*f);
      return f;
    };
    for (const Offset& o : bands.offsets) {
      Vector entries(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t j = 0;
        if (!neighbour(l, place(l, i), o, j)) continue;
        entries[i] = static_cast<double>(static_cast<float>(1.25 + random()));
        dense[i][j] -= entries[i];
        dense[i][i] += entries[i];
        if (symmetric) {
          dense[j][i] -= entries[i];
          dense[j][j] += entries[i];
        }
      }
      bands.entries.push_back(field(entries));
    }
    Vector sum(n);
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] = static_cast<double>(static_cast<float>(0.5 + 0.25 * random()));
      dense[i][i] += sum[i];
    }
    bands.sum = field(sum);
  }
};

class Banded : public testing::TestWithParam<std::tuple<Shape, bool, Precision>> {};

TEST_P(Banded, VerbsAreThoseOfTheDenseMatrix) {
  const auto& [shape, symmetric, precision] = GetParam();
  const auto backend = test_backend();
  const Random_bands random(*backend, shape, symmetric);
  const Matrix& dense = random.dense;
  const auto A = grid_kernels(*backend).make_banded_operator(*backend, random.bands, precision);
  const Layout& l = shape.layout;
  const std::size_t n = dense.size();
  const Real eps = epsilon(precision);
  EXPECT_EQ(A->assembly(), "bands");
  const auto unknown = [&](std::size_t i) { return inside(shape.unknowns, place(l, i)); };
  // D is the sum that the operator computes. On a periodic axis of two values a coupling may return to its own row.
  Vector diagonal(n);
  Real bound = 0;
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = dense[i][i];
    Real row = 0;
    for (std::size_t j = 0; j < n; ++j) row += std::abs(dense[i][j]);
    if (unknown(i)) bound = std::max(bound, row / diagonal[i]);
  }
  EXPECT_GE(A->split()->largest_eigenvalue(), bound * (1 - 4 * eps));
  EXPECT_LE(A->split()->largest_eigenvalue(), bound * (1 + 0.2));

  Field u(*backend, l, precision), b(*backend, l, precision), out(*backend, l, precision);
  Random numbers(5);
  const Vector uv = set_values(*backend, u, numbers.vector(n));
  Vector rhs = numbers.vector(n);
  for (std::size_t i = 0; i < n; ++i)
    if (!unknown(i)) rhs[i] = 0;
  const Vector bv = set_values(*backend, b, rhs);
  const auto product = [&](std::size_t i, const Vector& x) {
    Real sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += dense[i][j] * x[j];
    return sum;
  };
  const Real rounding = 64 * eps * bound;  // per row, in units of its diagonal
  const auto expect = [&](const char* verb, const Field& field, const auto& value, bool everywhere = false) {
    Vector expected(n), bounds(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = everywhere || unknown(i) ? value(i) : -77;
      if (everywhere || unknown(i)) bounds[i] = rounding * std::max(Real{1}, diagonal[i]);
    }
    EXPECT_TRUE(within(values(*backend, field), expected, bounds)) << verb;
    EXPECT_TRUE(open_halo_is_zero(*backend, field)) << verb;
  };
  const auto clear = [&](Field& field) {
    Vector v(n, nan);
    for (std::size_t i = 0; i < n; ++i)
      if (!unknown(i)) v[i] = -77;
    set_values(*backend, field, v);
  };

  clear(out);
  A->apply(u, out);
  expect("apply", out, [&](std::size_t i) { return product(i, uv); });
  set_values(*backend, out, Vector(n, nan));
  A->apply_everywhere(u, out);
  expect(
      "apply everywhere", out, [&](std::size_t i) { return product(i, uv); }, true);
  clear(out);
  A->diagonal(out);
  expect("diagonal", out, [&](std::size_t i) { return diagonal[i]; });
  clear(out);
  A->residual(u, b, out);
  expect("residual", out, [&](std::size_t i) { return bv[i] - product(i, uv); });

  const Scalar scale = backend->scalar(8);
  Scalar norm = backend->scalar();
  clear(out);
  A->residual(u, b, out, scale, norm);
  Real square = 0, raw = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!unknown(i)) continue;
    const Real r = bv[i] - product(i, uv);
    square += r * r / diagonal[i];
    raw += bv[i] * bv[i] / diagonal[i];
    size += diagonal[i] * uv[i] * uv[i];
  }
  {
    Vector expected(n), bounds(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = unknown(i) ? 8 * (bv[i] - product(i, uv)) : -77;
      if (unknown(i)) bounds[i] = 8 * rounding * diagonal[i];
    }
    EXPECT_TRUE(within(values(*backend, out), expected, bounds)) << "scaled residual";
  }
  EXPECT_TRUE(within(backend->value(norm), square, 100 * rounding * (square + 1)));
  A->norm(b, norm);
  EXPECT_TRUE(within(backend->value(norm), raw, 16 * eps * raw));
  A->rounding(u, norm);
  EXPECT_TRUE(within(backend->value(norm), size, 16 * eps * size));

  clear(out);
  A->split()->start(0.75, b, out);
  expect("start", out, [&](std::size_t i) { return Real{0.75} / diagonal[i] * bv[i]; });
  Vector before = numbers.vector(n);
  for (std::size_t i = 0; i < n; ++i)
    if (!unknown(i)) before[i] = -77;
  for (const double beta : {0.0, 0.5}) {
    before = set_values(*backend, out, before);
    if (beta == 0) clear(out);
    A->split()->step({0.75, beta}, u, b, out);
    expect("step", out, [&](std::size_t i) {
      return uv[i] + Real{0.75} / diagonal[i] * (bv[i] - product(i, uv)) + (beta == 0 ? 0 : beta * (uv[i] - before[i]));
    });
  }

  const BandColours colours(l, random.bands.offsets);
  for (const bool reversed : {false, true}) {
    Vector x = set_values(*backend, out, numbers.vector(n));
    const Vector start = x;
    relax_colours(*A, 1.125, reversed, b, out);
    for (int c = 0; c < colours.count(); ++c)
      for (std::size_t i = 0; i < n; ++i) {
        const Offset at = place(l, i);
        if (colours.of(at[0], at[1], at[2]) != (reversed ? colours.count() - 1 - c : c) || !unknown(i)) continue;
        x[i] += Real{1.125} / diagonal[i] * (bv[i] - product(i, x));
      }
    Vector bounds(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      if (unknown(i)) bounds[i] = 10 * rounding;
    EXPECT_TRUE(within(values(*backend, out), x, bounds)) << "gauss-seidel";
  }

  const Vector shifted = set_values(*backend, out, numbers.vector(n));
  Scalar amount = backend->scalar();
  Real total = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (unknown(i)) {
      total += shifted[i];
      count += 1;
    }
  A->project_rhs(out, amount);
  EXPECT_TRUE(within(backend->value(amount), total, 1e-12 * count));
  Vector expected = shifted, bounds(n, 4 * eps);
  for (std::size_t i = 0; i < n; ++i)
    if (unknown(i)) expected[i] -= total / count;
  EXPECT_TRUE(within(values(*backend, out), expected, bounds)) << "project";
}

INSTANTIATE_TEST_SUITE_P(, Banded,
                         testing::Combine(testing::ValuesIn(shapes()), testing::Bool(),
                                          testing::Values(Precision::fp64, Precision::fp32)),
                         [](const auto& p) {
                           return std::get<0>(p.param).name + (std::get<1>(p.param) ? "Symmetric" : "General") +
                                  (std::get<2>(p.param) == Precision::fp64 ? "64" : "32");
                         });

TEST(BandColours, SeparateCoupledUnknowns) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Layout& l = shape.layout;
    const BandColours colours(l, shape.offsets);
    for (std::size_t i = 0; i < static_cast<std::size_t>(l.size()); ++i) {
      const Offset at = place(l, i);
      const int own = colours.of(at[0], at[1], at[2]);
      ASSERT_TRUE(own >= 0 && own < colours.count());
      for (const Offset& o : shape.offsets) {
        std::size_t j = 0;
        if (!neighbour(l, at, o, j) || j == i) continue;
        const Offset there = place(l, j);
        ASSERT_NE(own, colours.of(there[0], there[1], there[2])) << i << " and " << j;
      }
    }
    // The colour boxes must contain each unknown exactly once, in the box of its colour.
    std::vector<int> met(static_cast<std::size_t>(l.size()), 0);
    for (int c = 0; c < colours.count(); ++c) {
      const ColourBox box = colours.box(c, shape.unknowns);
      for (int tk = 0; tk < box.count(2); ++tk)
        for (int tj = 0; tj < box.count(1); ++tj)
          for (int i = box.start(box.line(1, tj), box.line(2, tk)); i < box.last[0]; i += box.step[0]) {
            const Offset at{i, box.line(1, tj), box.line(2, tk)};
            EXPECT_EQ(colours.of(at[0], at[1], at[2]), c);
            ++met[number(l, at)];
          }
    }
    for (std::size_t i = 0; i < met.size(); ++i) EXPECT_EQ(met[i], inside(shape.unknowns, place(l, i)) ? 1 : 0) << i;
  }
  const Layout open{{9, 9, 9}, {}}, flat{{9, 9, 1}, {}};
  EXPECT_EQ(BandColours(open, star_offsets(open)).count(), 2);
  EXPECT_EQ(BandColours(open, box_offsets(open)).count(), 8);
  EXPECT_EQ(BandColours(flat, box_offsets(flat)).count(), 4);
}

// ---- Galerkin ----

Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, Vector(columns, 0));
}

/// Returns the columns that a verb computes from unit vectors in the unknowns.
template <class Verb>
Matrix columns_of(Backend& backend, const Layout& from, const Box& unknowns, const Layout& to, Precision precision,
                  const Verb& verb) {
  Field x(backend, from, precision), y(backend, to, precision);
  Matrix matrix = zeros(static_cast<std::size_t>(to.size()), static_cast<std::size_t>(from.size()));
  for (std::size_t j = 0; j < static_cast<std::size_t>(from.size()); ++j) {
    if (!inside(unknowns, place(from, j))) continue;
    Vector unit(static_cast<std::size_t>(from.size()), 0);
    unit[j] = 1;
    set_values(backend, x, unit);
    backend.fill(y, 0);
    verb(x, y);
    const Vector column = values(backend, y);
    for (std::size_t i = 0; i < column.size(); ++i) matrix[i][j] = column[i];
  }
  return matrix;
}

/// Computes Pᵀ A P with sparse loops.
Matrix triple(const Matrix& P, const Matrix& A) {
  const std::size_t fine = P.size(), coarse = P[0].size();
  Matrix AP = zeros(fine, coarse), result = zeros(coarse, coarse);
  for (std::size_t i = 0; i < fine; ++i)
    for (std::size_t j = 0; j < fine; ++j)
      if (A[i][j] != 0)
        for (std::size_t c = 0; c < coarse; ++c) AP[i][c] += A[i][j] * P[j][c];
  for (std::size_t i = 0; i < fine; ++i)
    for (std::size_t r = 0; r < coarse; ++r)
      if (P[i][r] != 0)
        for (std::size_t c = 0; c < coarse; ++c) result[r][c] += P[i][r] * AP[i][c];
  return result;
}

class Galerkin : public testing::TestWithParam<NamedFaces> {};

TEST_P(Galerkin, OperatorsAreTheTripleProduct) {
  for (const int dimension : {2, 3})
    for (const Kappa kappa : {Kappa::constant, Kappa::random, Kappa::random_tensor})
      for (const Sigma sigma : {Sigma::zero, Sigma::varying}) {
        SCOPED_TRACE(testing::Message() << dimension << " dimensions, kappa " << static_cast<int>(kappa) << ", sigma "
                                        << static_cast<int>(sigma));
        if (dimension == 3 && kappa == Kappa::random_tensor && sigma == Sigma::zero) continue;  // limits the time
        ProblemChoice choice;
        choice.dimension = dimension;
        choice.cells = dimension == 2 ? std::array{9, 8, 1} : std::array{5, 4, 6};
        choice.kappa = kappa;
        choice.sigma = sigma;
        const Problem problem = make_problem(GetParam(), all_grids[0], choice);
        const auto backend = test_backend();
        const Discretization d(*backend, problem);
        auto A = d.make_operator(Precision::fp64);
        const reference::System system = reference::assemble(problem, A->scale());
        const std::size_t n = system.diagonal.size();
        Matrix dense = zeros(n, n);
        for (std::size_t i = 0; i < n; ++i) {
          if (!system.unknown[i]) continue;
          dense[i][i] += system.diagonal[i];
          for (const auto& e : system.neighbours[i])
            if (system.unknown[e.column]) dense[i][e.column] += e.value;
        }

        Bands bands = probe_bands(*A, star_offsets(A->space().part().layout()));
        Block block = d.block();
        for (int level = 0; level < 2; ++level) {
          const LevelChoice next_level = choose_relaxation(block, {1, 1, 1}, RelaxationChoice::points);
          if (next_level.coarsest()) break;
          const CoarseBlock coarse = coarsen(block, next_level.coarsened, Coarsening::pairs);
          const GalerkinLevel next = coarsen_bands(*backend, bands, block, coarse, Precision::fp64);
          const Layout fine = block.layout(), below = coarse.block.layout();
          const Matrix P = columns_of(*backend, below, coarse.block.unknowns(), fine, Precision::fp64,
                                      [&](const Field& x, Field& y) { next.transfer->prolong(x, y); });
          const Matrix R = columns_of(*backend, fine, block.unknowns(), below, Precision::fp64,
                                      [&](const Field& x, Field& y) { next.transfer->restrict_to(x, y); });
          for (std::size_t i = 0; i < P.size(); ++i)
            for (std::size_t c = 0; c < R.size(); ++c) ASSERT_EQ(P[i][c], R[c][i]) << "restriction at " << c;

          // Prolongation must preserve constants, including Dirichlet data.
          Field one(*backend, below, Precision::fp64), all(*backend, fine, Precision::fp64);
          backend->fill(one, 1);
          next.transfer->prolong(one, all);
          const Vector kept = values(*backend, all);
          for (std::size_t i = 0; i < kept.size(); ++i) {
            if (!inside(block.unknowns(), place(fine, i))) continue;
            ASSERT_NEAR(static_cast<double>(kept[i]), 1, 1e-14) << i;
          }

          const auto Ac = grid_kernels(*backend).make_box_operator(*backend, coarse.block, next.bands, Precision::fp64);
          const Matrix expected = triple(P, dense);
          const Matrix actual = columns_of(*backend, below, coarse.block.unknowns(), below, Precision::fp64,
                                           [&](const Field& x, Field& y) { Ac->apply(x, y); });
          Real largest = 0;
          for (std::size_t i = 0; i < expected.size(); ++i) largest = std::max(largest, expected[i][i]);
          for (std::size_t i = 0; i < expected.size(); ++i)
            for (std::size_t j = 0; j < expected.size(); ++j) {
              ASSERT_NEAR(static_cast<double>(actual[i][j]), static_cast<double>(expected[i][j]),
                          static_cast<double>(1e-13 * largest))
                  << "row " << i << " column " << j << " of level " << level + 1;
              ASSERT_NEAR(static_cast<double>(actual[i][j]), static_cast<double>(actual[j][i]),
                          static_cast<double>(1e-15 * largest))
                  << "row " << i << " column " << j << " of level " << level + 1;
            }
          if (A->singular()) {  // exactly
            Field image(*backend, below, Precision::fp64);
            Ac->apply(one, image);
            for (const Real value : values(*backend, image)) ASSERT_EQ(value, 0);
          }
          dense = expected;
          bands = next.bands;
          block = coarse.block;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(, Galerkin, testing::ValuesIn(all_faces()), [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace poisson::bands_tests
