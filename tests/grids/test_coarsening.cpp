// These tests check the rules by which axes and blocks coarsen, and the coarse operators and cells that result.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/problems.hpp"

namespace poisson::coarsening_tests {
namespace {

std::vector<double> pairs_of(const std::vector<double>& nodes, BoundaryKind kind) {
  return coarsen(Axis(nodes, kind, kind), Coarsening::pairs).place;
}

TEST(Coarsening, LeavesTheOddCellAtAlternatingEnds) {
  const auto nodes = uniform_nodes(0, 7, 7);
  for (const BoundaryKind kind : {BoundaryKind::neumann, BoundaryKind::periodic}) {
    EXPECT_EQ(pairs_of(nodes, kind), (std::vector<double>{0, 2, 4, 6, 7}));
    EXPECT_EQ(pairs_of({0, 2, 4, 6, 7}, kind), (std::vector<double>{0, 2, 4}));
    EXPECT_EQ(pairs_of({0, 2, 4, 6, 8, 9}, kind), (std::vector<double>{0, 1, 3, 5}));
  }
  EXPECT_EQ(pairs_of(uniform_nodes(0, 8, 8), BoundaryKind::dirichlet), (std::vector<double>{0, 2, 4, 6, 8}));

  Block block;
  for (Axis& axis : block.axes) axis = Axis(nodes, BoundaryKind::robin, BoundaryKind::neumann, {3, 0});
  for (const Axis& axis : coarsen(block, {true, true, true}, Coarsening::pairs).block.axes) {
    EXPECT_EQ(axis.width(0), 2);
    EXPECT_EQ(axis.width(3), 1);
    EXPECT_FALSE(axis.equidistant());
    EXPECT_EQ(axis.kind(0), BoundaryKind::robin);
    EXPECT_EQ(axis.kind(1), BoundaryKind::neumann);
    EXPECT_EQ(axis.alpha(0), 3);
  }
}

// Cells that grow slowly must do so on every level, for odd and even numbers of cells, and halve until few are left.
TEST(Coarsening, LeavesNoCellBehindWhereCellsGrow) {
  for (const StretchedEnd end : {StretchedEnd::lower, StretchedEnd::upper, StretchedEnd::both})
    for (const int n : {31, 33, 61, 97, 125, 127, 201, 250, 377, 751, 1001, 1501, 3001, 4095, 4097}) {
      SCOPED_TRACE(testing::Message() << n << " cells, end " << static_cast<int>(end));
      const double expansion = std::min(1000.0, std::pow(1.2, n));
      Axis axis(geometric_nodes(0, 1, n, geometric_ratio(expansion, n, end), end), BoundaryKind::dirichlet,
                BoundaryKind::neumann);
      for (int cells = n; cells > 24; cells = axis.cells()) {
        ASSERT_FALSE(axis.steep());
        axis = coarsen(axis, Coarsening::even).axis;
        ASSERT_EQ(axis.cells(), (cells + 1) / 2);
      }
    }
}

TEST(Coarsening, TakesTheAxesOfAtLeastHalfTheStrength) {
  const auto coarsened = [](std::array<int, 3> cells, std::array<double, 3> kappa, std::array<double, 3> length) {
    Block block;
    for (std::size_t d = 0; d < 3; ++d)
      block.axes[d] = Axis(uniform_nodes(0, length[d], cells[d]), BoundaryKind::neumann, BoundaryKind::dirichlet);
    return choose_relaxation(block, kappa, RelaxationChoice::points).coarsened;
  };
  using Flags = std::array<bool, 3>;
  EXPECT_EQ(coarsened({8, 8, 8}, {1, 1, 1}, {1, 1, 1}), (Flags{true, true, true}));
  EXPECT_EQ(coarsened({8, 8, 8}, {1, 0.5, 0.49}, {1, 1, 1}), (Flags{true, true, false}));
  EXPECT_EQ(coarsened({8, 8, 8}, {1, 2, 2.01}, {1, 1, 1}), (Flags{false, true, true}));
  EXPECT_EQ(coarsened({8, 8, 8}, {1, 1, 4}, {1, 1, 2}), (Flags{true, true, true}));
  EXPECT_EQ(coarsened({8, 8, 8}, {1, 1, 1}, {1, 1, 2}), (Flags{true, true, false}));
  // Exhausted axes are not coarsened, and the comparison ignores their strength.
  EXPECT_EQ(coarsened({3, 8, 8}, {1e6, 1, 1}, {1, 1, 1}), (Flags{false, true, true}));
  EXPECT_EQ(coarsened({4, 2, 3}, {1, 1e6, 1e6}, {1, 1, 1}), (Flags{true, false, false}));
  EXPECT_EQ(coarsened({3, 2, 3}, {1, 1, 1}, {1, 1, 1}), (Flags{false, false, false}));
  EXPECT_EQ(coarsened({2, 3, 2}, {1, 1, 1}, {1, 1, 1}), (Flags{false, false, false}));
}

/// Coarse coefficients are volume means over the overlaps of fine cells with a coarse one.
TEST(Coarsening, CarriesTheOperatorDown) {
  for (const NamedFaces& faces : all_faces())
    for (const Kappa kappa : {Kappa::constant, Kappa::random_tensor})
      for (const int dimension : {2, 3}) {
        SCOPED_TRACE(faces.name + ", " + std::to_string(dimension) + "-D");
        const auto backend = test_backend();
        const Problem p = make_problem(faces, all_grids[1], {dimension, {7, 6, 5}, kappa, Sigma::constant});
        const Discretization discretization(*backend, p);
        const Hierarchy h = discretization.make_hierarchy(Precision::fp64);
        ASSERT_EQ(h.transfers.size() + 1, h.operators.size());
        auto rows = std::get<NodeRows>(discretization.scheme_rows());
        for (std::size_t l = 1; l < h.operators.size(); ++l) {
          const LevelChoice choice = choose_relaxation(rows.block, rows.kappa, RelaxationChoice::points);
          ASSERT_FALSE(choice.coarsest());
          rows = std::get<NodeRows>(
              discretization.coarsen_rows(rows, coarsen(rows.block, choice.coarsened), *h.transfers[l - 1]));
          EXPECT_EQ(h.operators[l]->scale(), h.operators[0]->scale());
          EXPECT_EQ(h.operators[l]->singular(), h.operators[0]->singular());
          Problem q = p;
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
            q.nodes[d] = rows.block.axes[d].nodes();
            if (!rows.cells[d]) continue;
            GridArray cells{Location::cell, {1, 1, 1}, {}};
            for (std::size_t e = 0; e < 3; ++e) cells.shape[e] = rows.block.cell_layout().n[e];
            for (const Real k : values(rows.cells[d]->backend(), *rows.cells[d]))
              cells.values.push_back(static_cast<double>(k));
            q.coefficient[d] = cells;
          }
          if (rows.reaction) {  // checked through its effect on constants
            q.reaction = 0.0;
            for (auto& axis : q.boundary)
              for (Boundary& b : axis) b.alpha = 0.0;
          }
          reference::System s = reference::assemble(q, h.operators[l]->scale());
          if (rows.reaction) {
            const Vector reaction = values(rows.reaction->backend(), *rows.reaction);
            for (std::size_t i = 0; i < reaction.size(); ++i) s.diagonal[i] += reaction[i];
          }
          Field d(*backend, h.operators[l]->space().part().layout(), Precision::fp64);
          h.operators[l]->diagonal(d);
          Vector bound(s.diagonal.size(), 0);
          for (std::size_t i = 0; i < bound.size(); ++i) {
            if (!s.unknown[i]) s.diagonal[i] = 0;
            bound[i] = 10 * epsilon(Precision::fp64) * s.diagonal[i];
          }
          EXPECT_TRUE(within(values(*backend, d), s.diagonal, bound)) << "level " << l;
        }
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace poisson::coarsening_tests
