// These tests cover axes of both centerings, the stretchings that define their nodes, and the colours of products of
// axes.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/axis.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/rows/colours.hpp"

namespace poisson::axis_tests {
namespace {

constexpr BoundaryKind D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin,
                       P = BoundaryKind::periodic;
const std::vector<double> uneven{-1, -0.5, 0.5, 2, 2.25, 4};  // widths 1/2, 1, 3/2, 1/4, 7/4; all sums are exact

TEST(NodeCentredAxis, HasHalfCellsAtItsEnds) {
  for (const auto& [lower, upper] : {std::pair{D, D}, {N, N}, {D, R}, {R, N}}) {
    const Axis axis(uneven, lower, upper, {3, 7});
    EXPECT_EQ(axis.cells(), 5);
    EXPECT_EQ(axis.size(), 6);
    EXPECT_EQ(axis.first(), lower == D ? 1 : 0);
    EXPECT_EQ(axis.last(), upper == D ? 5 : 6);
    EXPECT_FALSE(axis.periodic());
    EXPECT_FALSE(axis.degenerate());
    EXPECT_FALSE(axis.equidistant());
    const std::array masses{0.25, 0.75, 1.25, 0.875, 1.0, 0.875};
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(axis.mass(i), masses[static_cast<std::size_t>(i)]);
      EXPECT_EQ(axis.point(i), uneven[static_cast<std::size_t>(i)]);
      sum += axis.mass(i);
    }
    EXPECT_EQ(sum, 5);
    const std::array couplings{2.0, 1.0, 1 / 1.5, 4.0, 1 / 1.75};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(axis.coupling(i), couplings[static_cast<std::size_t>(i)]);
    EXPECT_EQ(axis.coupling(-1), lower == R ? 3 : 0);
    EXPECT_EQ(axis.coupling(5), upper == R ? 7 : 0);
    EXPECT_EQ(axis.width(-1), 0);
    EXPECT_EQ(axis.width(5), 0);
  }
}

TEST(NodeCentredAxis, ClosesOnItself) {
  const Axis axis(uneven, P, P);
  EXPECT_TRUE(axis.periodic());
  EXPECT_EQ(axis.size(), 5);
  EXPECT_EQ(axis.first(), 0);
  EXPECT_EQ(axis.last(), 5);
  const std::array masses{1.125, 0.75, 1.25, 0.875, 1.0};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(axis.mass(i), masses[static_cast<std::size_t>(i)]);
  EXPECT_EQ(axis.width(-1), 1.75);
  EXPECT_EQ(axis.width(5), 0.5);
  EXPECT_EQ(axis.coupling(-1), 1 / 1.75);
  EXPECT_EQ(axis.coupling(4), 1 / 1.75);
}

TEST(CellCentredAxis, CouplesCellsAndTheirFaces) {
  for (const auto& [lower, upper] : {std::pair{D, D}, {N, R}, {R, D}, {N, N}}) {
    const Axis axis(uneven, lower, upper, {3, 7}, Centering::cell);
    EXPECT_EQ(axis.size(), 5);
    EXPECT_EQ(axis.first(), 0);
    EXPECT_EQ(axis.last(), 5);
    double sum = 0;
    for (int i = 0; i < 5; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(axis.mass(i), uneven[at + 1] - uneven[at]);
      EXPECT_EQ(axis.point(i), (uneven[at] + uneven[at + 1]) / 2);
      sum += axis.mass(i);
    }
    EXPECT_EQ(sum, 5);
    const std::array couplings{2 / 1.5, 2 / 2.5, 2 / 1.75, 2 / 2.0};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(axis.coupling(i), couplings[static_cast<std::size_t>(i)]);
    EXPECT_DOUBLE_EQ(axis.coupling(-1), lower == D ? 4 : lower == R ? 1 / (1 / 3.0 + 0.5 / 2) : 0);
    EXPECT_DOUBLE_EQ(axis.coupling(4), upper == D ? 2 / 1.75 : upper == R ? 1 / (1 / 7.0 + 1.75 / 2) : 0);
    EXPECT_DOUBLE_EQ(axis.coupling(4, 3), upper == D ? 6 / 1.75 : upper == R ? 1 / (1 / 7.0 + 1.75 / 6) : 0);
    EXPECT_EQ(axis.coupling(1, 3), 3 * couplings[1]);
    EXPECT_EQ(axis.inverse_distance(4), upper == N ? 0 : 2 / 1.75);
    EXPECT_EQ(axis.inverse_distance(-1), lower == N ? 0 : 4);
  }
  const Axis ring(uneven, P, P, {}, Centering::cell);
  EXPECT_EQ(ring.size(), 5);
  EXPECT_EQ(ring.coupling(-1), 2 / 2.25);
  EXPECT_EQ(ring.coupling(4), 2 / 2.25);
}

TEST(CellCentredAxis, PairsCells) {
  for (const bool wide_at_lower : {false, true}) {
    const std::vector<double> nodes =
        wide_at_lower ? std::vector<double>{-1, 0.5, 1, 2, 3, 4} : std::vector<double>{-1, -0.5, 0.5, 2, 3, 4};
    const Axis axis(nodes, D, R, {0, 2}, Centering::cell);
    const CoarseAxis coarse = coarsen(axis, Coarsening::pairs);
    EXPECT_EQ(coarse.place, wide_at_lower ? (std::vector<double>{0, 1, 3, 5}) : (std::vector<double>{0, 2, 4, 5}));
    EXPECT_TRUE(coarse.nested());
    EXPECT_EQ(coarse.axis.centering(), Centering::cell);
    EXPECT_EQ(coarse.axis.size(), 3);
    EXPECT_EQ(coarse.axis.kind(0), D);
    EXPECT_EQ(coarse.axis.alpha(1), 2);
    for (int I = 0; I < 3; ++I) {
      double width = 0;
      for (int i = coarse.node(I); i < coarse.node(I + 1); ++i) width += axis.mass(i);
      EXPECT_EQ(coarse.axis.mass(I), width);
    }
  }
}

TEST(Axis, WithoutNodesIsASingleValue) {
  const Axis axis;
  EXPECT_TRUE(axis.degenerate());
  EXPECT_TRUE(axis.equidistant());
  EXPECT_EQ(axis.cells(), 0);
  EXPECT_EQ(axis.size(), 1);
  EXPECT_EQ(axis.first(), 0);
  EXPECT_EQ(axis.last(), 1);
  EXPECT_EQ(axis.mass(0), 1);
  EXPECT_EQ(axis.coupling(-1), 0);
  EXPECT_EQ(axis.coupling(0), 0);
  EXPECT_EQ(axis.strength().mean, 0);
  EXPECT_FALSE(coarsenable(axis));
  EXPECT_EQ(keep(axis).place, (std::vector<double>{0, 1}));
}

TEST(Axis, HasTheStrengthOfItsMeanItsWidestAndItsNarrowestCells) {
  const AxisStrength equal = Axis(uniform_nodes(0, 3, 6), P, P).strength();
  EXPECT_NEAR(equal.mean, 4, 1e-14);
  EXPECT_NEAR(equal.weakest, 4, 1e-14);
  EXPECT_NEAR(equal.strongest, 4, 1e-14);
  // The widths are 1/2, 1, 3/2, 1/4, 7/4 over a length of 5. The second widest and the second narrowest cells decide.
  const AxisStrength strength = Axis(uneven, N, N).strength();
  EXPECT_NEAR(strength.mean, 1, 1e-14);
  EXPECT_NEAR(strength.weakest, 1 / (1.5 * 1.5), 1e-14);
  EXPECT_NEAR(strength.strongest, 1 / (0.5 * 0.5), 1e-14);
}

/// A single cell among cells of width 1 changes the strengths only if the ratio exceeds 4.
TEST(Axis, LetsASingleCellDecideOnlyWhereItDecouples) {
  for (const int at : {0, 3, 7})
    for (const double width : {0.2, 0.25, 0.5, 2.0, 4.0, 5.0}) {
      std::vector<double> nodes{0};
      for (int i = 0; i < 8; ++i) nodes.push_back(nodes.back() + (i == at ? width : 1));
      const AxisStrength strength = Axis(nodes, N, N).strength();
      EXPECT_NEAR(strength.weakest, width > 4 ? 1 / (width * width) : 1, 1e-12) << width << " at " << at;
      EXPECT_NEAR(strength.strongest, width < 0.25 ? 1 / (width * width) : 1, 1e-12) << width << " at " << at;
    }
  // Both cells of an axis with two cells count.
  const AxisStrength two = Axis({0, 1, 3}, N, N).strength();
  EXPECT_NEAR(two.weakest, 0.25, 1e-14);
  EXPECT_NEAR(two.strongest, 1, 1e-14);
}

/// Coarsening divides the strengths by four for any number of cells, so that axes with similar cells stay balanced.
TEST(Axis, HasAQuarterOfItsStrengthWhereItIsCoarser) {
  for (const Coarsening rule : {Coarsening::even, Coarsening::pairs})
    for (const int cells : {4, 5, 7, 9, 33, 61}) {
      const Axis plain(uniform_nodes(0, 1, cells), N, N);
      const Axis stretched(tanh_nodes(0, 1, cells, 1.5, StretchedEnd::lower), N, N);
      for (const Axis& axis : {plain, stretched}) {
        const AxisStrength fine = axis.strength(), coarse = coarsen(axis, rule).axis.strength();
        EXPECT_EQ(coarse.mean, fine.mean / 4) << cells;
        EXPECT_EQ(coarse.weakest, fine.weakest / 4) << cells;
        EXPECT_EQ(coarse.strongest, fine.strongest / 4) << cells;
      }
    }
}

TEST(Axis, SeesEqualCellsThroughTheRoundingOfCoordinates) {
  const auto equidistant = [](const std::vector<double>& nodes) { return Axis(nodes, N, N).equidistant(); };
  for (const int cells : {2, 3, 7, 61, 97, 1000}) {
    EXPECT_TRUE(equidistant(uniform_nodes(0, 1, cells)));
    EXPECT_TRUE(equidistant(uniform_nodes(-0.1, 0.7, cells)));
    EXPECT_TRUE(equidistant(uniform_nodes(1e6, 1e6 + 1, cells)));
    EXPECT_TRUE(equidistant(uniform_nodes(1e-6, 3e-6, cells)));
    std::vector<double> summed{0.3};
    for (int i = 0; i < cells; ++i) summed.push_back(0.3 + (i + 1) * 0.1);
    EXPECT_TRUE(equidistant(summed));
    for (const double off : {1e-12, -1e-9}) {
      std::vector<double> moved = uniform_nodes(0, 1, cells);
      moved[static_cast<std::size_t>(cells) / 2] += off;
      EXPECT_FALSE(equidistant(moved)) << cells;
    }
  }
  EXPECT_FALSE(equidistant(tanh_nodes(0, 1, 8, 1, StretchedEnd::both)));
  EXPECT_FALSE(equidistant(uneven));
}

/// Couplings and masses of an equidistant axis must be the same number in all cells.
TEST(Axis, HasEqualEntriesWhereCellsAreEqual) {
  const Axis axis(uniform_nodes(0.1, 0.9, 37), N, N);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(axis.coupling(i), axis.coupling(0));
  for (int i = 1; i < 37; ++i) EXPECT_EQ(axis.mass(i), axis.mass(1));
  EXPECT_EQ(axis.mass(0), axis.mass(1) / 2);
  EXPECT_EQ(axis.mass(37), axis.mass(1) / 2);
}

TEST(Axis, CoarsensDownToTwoOrThreeCells) {
  for (const int cells : {2, 3}) EXPECT_FALSE(coarsenable(Axis(uniform_nodes(0, 1, cells), N, N)));
  for (const int cells : {4, 5, 64}) EXPECT_TRUE(coarsenable(Axis(uniform_nodes(0, 1, cells), P, P)));
  const CoarseAxis same = keep(Axis(uneven, R, D, {2, 0}));
  EXPECT_EQ(same.place, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(same.axis.nodes(), uneven);
  EXPECT_EQ(same.axis.alpha(0), 2);
  EXPECT_EQ(keep(Axis(uneven, P, P)).place, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Axis, LeavesASingleCellBesidePairsAtTheEndWithTheWiderCell) {
  const Axis upper({-1, -0.5, 0.5, 2, 3, 4}, R, D, {2, 0}), lower({-1, 0.5, 1, 2, 3, 4}, R, D, {2, 0});
  EXPECT_EQ(coarsen(upper, Coarsening::pairs).axis.nodes(), (std::vector<double>{-1, 0.5, 3, 4}));
  EXPECT_EQ(coarsen(lower, Coarsening::pairs).axis.nodes(), (std::vector<double>{-1, 0.5, 2, 4}));
}

/// There are ⌈n/2⌉ cells, all with the same width in units of fine cells. An equidistant axis stays equidistant to the
/// last bit of a width.
TEST(Axis, CoarsensIntoEvenCells) {
  for (const BoundaryKind kind : {N, P})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (int n = 4; n <= 200; ++n) {
        SCOPED_TRACE(n);
        const Axis axis(uniform_nodes(-0.3, 0.4, n), kind, kind, {}, centering);
        const CoarseAxis coarse = coarsen(axis, Coarsening::even);
        const int half = (n + 1) / 2;
        ASSERT_EQ(coarse.axis.cells(), half);
        ASSERT_TRUE(coarse.axis.equidistant());
        EXPECT_EQ(coarse.nested(), n % 2 == 0);
        EXPECT_EQ(coarse.axis.nodes().front(), axis.nodes().front());
        EXPECT_EQ(coarse.axis.nodes().back(), axis.nodes().back());
        EXPECT_EQ(coarse.place.front(), 0);
        EXPECT_EQ(coarse.place.back(), n);
        for (int I = 0; I <= half; ++I) {
          const auto at = static_cast<std::size_t>(I);
          EXPECT_NEAR(coarse.place[at], static_cast<double>(I) * n / half, 1e-13 * n);
          EXPECT_NEAR(coarse.axis.nodes()[at], -0.3 + 0.7 * I / half, 1e-15);
        }
      }
}

/// Every rule merges unequal cells pairwise.
TEST(Axis, MergesUnequalCellsPairwise) {
  for (const Coarsening rule : {Coarsening::even, Coarsening::pairs}) {
    const CoarseAxis coarse = coarsen(Axis({-1, -0.5, 0.5, 2, 3, 4}, R, D, {2, 0}), rule);
    EXPECT_EQ(coarse.axis.nodes(), (std::vector<double>{-1, 0.5, 3, 4}));
    EXPECT_TRUE(coarse.nested());
    EXPECT_EQ(coarse.axis.kind(0), R);
    EXPECT_EQ(coarse.axis.alpha(0), 2);
    EXPECT_EQ(coarsen(Axis({-1, -0.5, 0.5, 2, 3, 4, 6}, N, N), rule).axis.nodes(),
              (std::vector<double>{-1, 0.5, 3, 6}));
  }
}

/// If a cell exceeds its neighbour by more than a factor of four, every rule merges only a run of the smallest cells.
/// Repeated coarsening still ends at three cells.
TEST(Axis, MergesTheSmallestCellsOfASteepAxis) {
  for (const Coarsening rule : {Coarsening::even, Coarsening::pairs}) {
    EXPECT_EQ(coarsen(Axis(uneven, R, D, {2, 0}), rule).axis.nodes(), (std::vector<double>{-1, 0.5, 2, 2.25, 4}));
    Axis axis({0, 1, 9, 73, 585, 4681, 4682, 4683, 4684, 5000}, N, N);
    EXPECT_EQ(coarsen(axis, rule).axis.nodes(), (std::vector<double>{0, 1, 9, 73, 585, 4681, 4683, 4684, 5000}));
    for (int cells = axis.cells(); coarsenable(axis); cells = axis.cells()) {
      axis = coarsen(axis, rule).axis;
      ASSERT_LT(axis.cells(), cells);
    }
    EXPECT_EQ(axis.cells(), 3);
    // The same cells are merged if cells have the unknowns.
    EXPECT_EQ(coarsen(Axis(uneven, R, D, {2, 0}, Centering::cell), rule).place, (std::vector<double>{0, 2, 3, 4, 5}));
  }
  // On a periodic axis the last cell is next to the first.
  for (const Centering centering : {Centering::node, Centering::cell}) {
    const std::vector<double> growing{0, 1, 3, 6, 11, 18};
    const auto merged = [&](BoundaryKind kind) {
      return coarsen(Axis(growing, kind, kind, {}, centering), Coarsening::pairs).axis.nodes();
    };
    EXPECT_EQ(merged(N), (std::vector<double>{0, 3, 11, 18}));
    EXPECT_EQ(merged(P), (std::vector<double>{0, 3, 6, 11, 18}));
  }
}

/// Cells that grow by a factor below 4 grow by its square on the next level. Cells that decouple nodes there are merged
/// there.
TEST(Axis, IsSteepIfItsCoarseCellsAre) {
  for (const Coarsening rule : {Coarsening::even, Coarsening::pairs})
    for (const double ratio : {1.6, 2.5, 3.9}) {
      Axis axis(geometric_nodes(0, 1, 16, ratio, StretchedEnd::lower), N, N);
      EXPECT_FALSE(axis.steep());
      while (axis.cells() > 4) {
        axis = coarsen(axis, rule).axis;
        double largest = 1;
        for (int i = 1; i < axis.cells(); ++i) {
          const double growth = axis.width(i) / axis.width(i - 1);
          largest = std::max({largest, growth, 1 / growth});
        }
        EXPECT_EQ(axis.steep(), largest > 4) << axis.cells() << " cells that grow by " << largest;
      }
    }
}

/// Pᵀ distributes each cell completely for any cell widths. Between insulated faces the weights sum to the number of
/// fine cells. Here the hat of a coarse centre spans five finer ones.
TEST(AxisTransfer, RestrictsOddNumbersOfUnequalCells) {
  const std::vector<double> nodes{0,       1.6409,  2.6888,  4.5394,  6.8760,  10.3897, 11.4522,
                                  12.6531, 13.7315, 15.0818, 18.4265, 22.2492, 23.7901, 26.5665};
  for (const BoundaryKind kind : {N, P}) {
    const Axis axis(nodes, kind, kind, {}, Centering::cell);
    ASSERT_FALSE(axis.steep());
    const CoarseAxis coarse = coarsen(axis, Coarsening::even);
    ASSERT_EQ(coarse.axis.cells(), 7);
    AxisRows rows;
    ASSERT_NO_THROW(rows = restriction_rows(axis, coarse));
    double sum = 0;
    for (const auto& weights : rows.weight)
      for (const double w : weights) sum += w;
    EXPECT_NEAR(sum, axis.cells(), 1e-12);
  }
}

std::vector<double> widths(const std::vector<double>& nodes) {
  std::vector<double> w;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) w.push_back(nodes[i + 1] - nodes[i]);
  return w;
}

class Stretching : public testing::TestWithParam<std::tuple<int, StretchedEnd>> {
 protected:
  const int cells = std::get<0>(GetParam());
  const StretchedEnd end = std::get<1>(GetParam());
  const double lower = -0.7, upper = 1.9;

  /// Nodes must have exact ends, increase strictly, be finest at the stretched end, and be symmetric if both ends are
  /// stretched.
  void expect_well_formed(const std::vector<double>& nodes) const {
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(cells) + 1);
    EXPECT_EQ(nodes.front(), lower);
    EXPECT_EQ(nodes.back(), upper);
    const std::vector<double> w = widths(nodes);
    const double rounding = 4e-16 * (upper - lower);
    for (std::size_t i = 0; i < w.size(); ++i) {
      EXPECT_GT(w[i], 0);
      const std::size_t mirror = w.size() - 1 - i;
      if (end == StretchedEnd::both) {
        EXPECT_NEAR(w[i], w[mirror], 4 * rounding);
      }
      if (i == 0) continue;
      const bool grows = end == StretchedEnd::lower || (end == StretchedEnd::both && 2 * i < w.size());
      if (end == StretchedEnd::both && 2 * i == w.size()) continue;  // the two middle cells
      EXPECT_GT((grows ? 1 : -1) * (w[i] - w[i - 1]), 0) << "cell " << i << " of " << w.size();
    }
  }
};

TEST_P(Stretching, OfTanhIsWellFormed) {
  for (const double strength : {0.5, 2.5, 4.0}) expect_well_formed(tanh_nodes(lower, upper, cells, strength, end));
}

/// In Vinokur's function the coordinate's distance from the middle (or from the far end) is a hyperbolic tangent.
TEST_P(Stretching, OfTanhFollowsItsFormula) {
  const double s = 2.5;
  const std::vector<double> nodes = tanh_nodes(lower, upper, cells, s, end);
  for (int i = 0; i <= cells; ++i) {
    const double t = static_cast<double>(i) / cells;
    const double x = (nodes[static_cast<std::size_t>(i)] - lower) / (upper - lower);
    const double expected = end == StretchedEnd::both    ? 0.5 + std::tanh(s * (t - 0.5)) / (2 * std::tanh(s / 2))
                            : end == StretchedEnd::lower ? 1 - std::tanh(s * (1 - t)) / std::tanh(s)
                                                         : std::tanh(s * t) / std::tanh(s);
    EXPECT_NEAR(x, expected, 1e-15);
  }
}

TEST_P(Stretching, OfVanishingStrengthIsUniform) {
  const std::vector<double> uniform = uniform_nodes(lower, upper, cells);
  const std::vector<double> tanh = tanh_nodes(lower, upper, cells, 1e-5, end);
  const std::vector<double> geometric = geometric_nodes(lower, upper, cells, 1, end);
  const std::vector<double> nearly = geometric_nodes(lower, upper, cells, 1 + 1e-13, end);
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    EXPECT_NEAR(tanh[i], uniform[i], 1e-9);
    EXPECT_NEAR(geometric[i], uniform[i], 1e-15 * (upper - lower));
    EXPECT_NEAR(nearly[i], uniform[i], 1e-11);
  }
}

TEST_P(Stretching, OfFixedRatioGrowsByIt) {
  for (const double ratio : {1.05, 1.3}) {
    const std::vector<double> nodes = geometric_nodes(lower, upper, cells, ratio, end);
    expect_well_formed(nodes);
    const std::vector<double> w = widths(nodes);
    for (std::size_t i = 1; i < w.size(); ++i) {
      const bool middle = end == StretchedEnd::both && 2 * i == w.size();
      const bool grows = end == StretchedEnd::lower || (end == StretchedEnd::both && 2 * i < w.size());
      EXPECT_NEAR(w[i] / w[i - 1], middle ? 1 : grows ? ratio : 1 / ratio, 1e-9 * ratio) << i;
    }
  }
}

TEST_P(Stretching, OfGivenExpansionReachesIt) {
  for (const double expansion : {1.0, 10.0, 1000.0}) {
    if (cells == 2 && end == StretchedEnd::both) continue;  // always two equal cells
    const double ratio = geometric_ratio(expansion, cells, end);
    const std::vector<double> w = widths(geometric_nodes(lower, upper, cells, ratio, end));
    EXPECT_NEAR(*std::max_element(w.begin(), w.end()) / *std::min_element(w.begin(), w.end()), expansion,
                1e-10 * expansion);
  }
  EXPECT_EQ(geometric_ratio(1000, 2, StretchedEnd::both), 1);
}

/// Refinement with constant expansion approximately takes the square root of the ratio.
TEST_P(Stretching, KeepsItsShapeUnderRefinement) {
  const double coarse = geometric_ratio(100, 16 * cells, end), fine = geometric_ratio(100, 32 * cells, end);
  EXPECT_NEAR(std::log(coarse) / std::log(fine), 2, 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    All, Stretching,
    testing::Combine(testing::Values(2, 3, 5, 16, 33),
                     testing::Values(StretchedEnd::lower, StretchedEnd::upper, StretchedEnd::both)),
    [](const auto& test) {
      const StretchedEnd at = std::get<1>(test.param);
      const std::string name = at == StretchedEnd::lower ? "lower_" : at == StretchedEnd::upper ? "upper_" : "both_";
      return name + std::to_string(std::get<0>(test.param));
    });

/// Neighbours must have different colours, and on_line must enumerate each value of a colour once.
TEST(Colours, PartNeighbours) {
  for (int mask = 0; mask < 8; ++mask)
    for (const std::array<int, 3> n :
         {std::array{2, 2, 2}, {3, 2, 1}, {5, 4, 3}, {4, 5, 6}, {3, 3, 3}, {6, 7, 1}, {7, 3, 5}, {2, 3, 4}}) {
      const std::array periodic{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0 && n[2] > 1};
      SCOPED_TRACE(testing::Message() << "periodic axes " << mask << ", " << n[0] << " x " << n[1] << " x " << n[2]);
      const Colours colours(n, periodic);
      bool odd = false;
      for (std::size_t d = 0; d < 3; ++d) odd = odd || (periodic[d] && n[d] % 2 == 1);
      ASSERT_EQ(colours.count(), odd ? 3 : 2);
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j) {
          const auto next = [&](std::size_t d, int i) { return periodic[d] ? (i + 1) % n[d] : i + 1; };
          for (int i = 0; i < n[0]; ++i) {
            const int here = colours.of(i, j, k);
            ASSERT_TRUE(here >= 0 && here < colours.count());
            if (next(0, i) < n[0]) {
              ASSERT_NE(here, colours.of(next(0, i), j, k));
            }
            if (next(1, j) < n[1]) {
              ASSERT_NE(here, colours.of(i, next(1, j), k));
            }
            if (n[2] > 1 && next(2, k) < n[2]) {
              ASSERT_NE(here, colours.of(i, j, next(2, k)));
            }
          }
          const bool round = periodic[0];
          for (int begin = 0; begin <= (round ? 0 : 1); ++begin)
            for (int end = n[0]; end >= n[0] - (round ? 0 : 1); --end) {
              std::vector<int> visits(static_cast<std::size_t>(n[0]), 0);
              for (int c = 0; c < colours.count(); ++c) {
                const auto [first, last] = colours.on_line(c, j, k, begin, end);
                for (int i = first; i < last; i += 2) {
                  ASSERT_TRUE(i >= begin && i < end);
                  ASSERT_EQ(colours.of(i, j, k), c);
                  ++visits[static_cast<std::size_t>(i)];
                }
              }
              for (int i = 0; i < n[0]; ++i) ASSERT_EQ(visits[static_cast<std::size_t>(i)], i >= begin && i < end);
            }
        }
    }
}

}  // namespace
}  // namespace poisson::axis_tests
