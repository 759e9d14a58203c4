// These tests compare transfers between levels of cells with the oracle, for all pairs of faces, grids, shapes and
// coarsening rules.

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/grid_kernels.hpp"
#include "tests/cases/covering.hpp"
#include "tests/oracles/cell_reference.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::cell_transfer_tests {
namespace {

struct Shape {
  int dimension;
  std::array<int, 3> cells;
};
const std::vector<Named<Shape>> shapes{{"5x4x3", {3, {5, 4, 3}}}, {"3x7x4", {3, {3, 7, 4}}}, {"4x5x6", {3, {4, 5, 6}}},
                                       {"6x3x5", {3, {6, 3, 5}}}, {"2x5x3", {3, {2, 5, 3}}}, {"13x6", {2, {13, 6, 1}}},
                                       {"7x12", {2, {7, 12, 1}}}};
struct Rule {
  Coarsening coarsening;
  bool constant;  ///< prolongation
};
const std::vector<Named<Rule>> rules{{"even", {Coarsening::even, false}},
                                     {"pairs", {Coarsening::pairs, false}},
                                     {"pairsConstant", {Coarsening::pairs, true}}};
const std::vector<Named<Precision>> precisions{{"fp32", Precision::fp32}, {"fp64", Precision::fp64}};

class CellTransfer
    : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid, Named<Shape>, Named<Rule>, Named<Precision>>> {
 protected:
  const NamedFaces& faces() const { return std::get<0>(GetParam()); }
  const NamedGrid& grid() const { return std::get<1>(GetParam()); }
  const Shape& shape() const { return std::get<2>(GetParam()).value; }
  const Rule& rule() const { return std::get<3>(GetParam()).value; }
  Precision precision() const { return std::get<4>(GetParam()).value; }
  Problem problem(const std::array<int, 3>& cells) const {
    return with_data(faces(), grid(), {shape().dimension, cells, Kappa::constant, Sigma::zero, Centering::cell});
  }
  Problem problem() const { return problem(shape().cells); }
};

/// Returns the unknowns of a field in the oracle's order.
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

TEST_P(CellTransfer, MovesAsTheOracleDoes) {
  const auto backend = test_backend();
  const Block block = make_block(problem());
  const auto& [coarsening, constant] = rule();
  const auto coarse = coarser(block, coarsening);
  ASSERT_TRUE(coarse);
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
  Field f(*backend, block.layout(), precision()), c(*backend, layout, precision());
  Random random(5);
  const Vector fine = set_values(*backend, f, random.vector(static_cast<std::size_t>(block.layout().size())));
  const Vector wide = set_values(*backend, c, random.vector(static_cast<std::size_t>(layout.size())));
  const Scalar scale = backend->scalar(3);

  Vector up(wide.size(), 0), sums(wide.size(), 0), down(fine.size(), 0);
  reference::for_each_entry(P, [&](std::size_t i, std::size_t I, Real w) {
    up[I] += 3 * w * fine[i];
    down[i] += w * wide[I];
  });
  reference::for_each_entry(shares, [&](std::size_t i, std::size_t I, Real w) { sums[I] += 3 * w * fine[i]; });
  // Centres are rounded like coordinates. The bound is in units of cell widths.
  Real rounding = 64;
  for (const Axis& axis : block.axes)
    for (int i = 0; i < axis.cells(); ++i)
      rounding =
          std::max(rounding, 8 * std::max(std::abs(Real{axis.nodes().front()}), std::abs(Real{axis.nodes().back()})) /
                                 axis.width(i));
  const Vector bound(wide.size(), rounding * 3 * 8 * epsilon(precision()));
  const Vector fine_bound(fine.size(), rounding * epsilon(precision()));
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

/// The start of full multigrid must reproduce polynomials of degree 3 along each axis, and their means over faces.
TEST_P(CellTransfer, ReproducesCubicsAtTheStart) {
  // Beyond the last centre of cells that grow by more than 2, four points may amplify errors too much, so two are used.
  const bool grows = grid().name == "geometric" || grid().name == "micro";
  const Coarsening coarsening = grows ? Coarsening::pairs : rule().coarsening;
  const int dimension = shape().dimension;
  Problem p = problem({9, 11, 8});
  // The polynomial is constant along periodic axes.
  const auto cubic = [&p, n = dimension, L = grid().length](double x, double y, double z) {
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
  const auto coarse = coarser(d.block(), coarsening);
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
  EXPECT_TRUE(within(unknowns(f), half, Vector(half.size(), 1e-12L)));
}

TEST_P(CellTransfer, InjectsMeans) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem());
  const auto coarse = coarser(d.block(), rule().coarsening);
  ASSERT_TRUE(coarse);
  Field f(*backend, d.block().layout(), Precision::fp64), c(*backend, coarse->block.layout(), Precision::fp32);
  d.initialize(f);
  set_unknowns(f, Random(9).vector(static_cast<std::size_t>(f.layout().size())));
  const Scalar scale = backend->scalar(2);
  grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse)->inject(f, c, &scale);
  const HostRead fine(f), wide(c);
  const auto u = (*fine).view<double>();
  const auto U = (*wide).view<float>();
  // Each fine cell has the weight of its overlap with the coarse cell. Beyond Dirichlet ends the given value is used.
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
}

INSTANTIATE_TEST_SUITE_P(, CellTransfer,
                         testing::ValuesIn(every_pair(all_faces(), all_grids, shapes, rules, precisions)),
                         name_of_combination);

}  // namespace
}  // namespace poisson::cell_transfer_tests
