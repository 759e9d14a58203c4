// These tests compare κ on the faces of coarse cells, which merges κ of their fine faces, with flows computed by hand.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/grid_kernels.hpp"
#include "tests/oracles/cell_reference.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson::coarse_faces_tests {
namespace {

/// Returns the flow through the cells around the vertex of the coarse grid at a fine face, relative to the flow between
/// the two sides of the face without lateral flow. The excess is multiplied by 1.5, or by 1.7 at an edge. κ(d, cell) is
/// the value on the face below a cell. `moves` are the cells of a side, as offsets from the cell at the face.
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
  const std::size_t n = 2 * moves.size();  // unknowns: cells below, then above
  std::vector<Vector> a(n, Vector(n, 0));
  Vector b(n, 0), to_centre(n, 0), drop(n, 0);
  Real apart = 0;
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const Real through = conductance(axis, at(moves[m], 0));
    const Real low = 1 / conductance(axis, at(moves[m], -1)), high = 1 / conductance(axis, at(moves[m], 1));
    const auto h = [&](int side) { return g.width(axis, turned(at(moves[m], side))) / 2; };
    // The three resistances in series are equal to κ of the face over the distance of the coarse centres, which are
    // ends of cells.
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
  // Pairs of cells whose potentials agree within a hundredth count as uncoupled.
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

/// On coarse rows, κ of a coarse face is the mean of its fine faces times the gain from flow around the vertices of the
/// coarse grid. On Robin faces, mean κ and mean α are in series.
class MergedFaces : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid>> {};

TEST_P(MergedFaces, AreMeansTimesWhatBends) {
  const auto& [faces, grid] = GetParam();
  double largest = 1;
  for (const auto& [dimension, cells, kappa_kind] : {std::tuple{3, std::array{5, 4, 3}, Kappa::constant},
                                                     {3, {3, 7, 4}, Kappa::constant_tensor},
                                                     {3, {4, 5, 6}, Kappa::random},
                                                     {3, {6, 3, 5}, Kappa::random_tensor},
                                                     {2, {13, 6, 1}, Kappa::constant},
                                                     {2, {7, 12, 1}, Kappa::random_tensor},
                                                     {2, {2, 2, 1}, Kappa::random}}) {
    SCOPED_TRACE(testing::Message() << dimension << "-D, " << cells[0] << " x " << cells[1] << " x " << cells[2]);
    const Problem problem = make_problem(faces, grid, {dimension, cells, kappa_kind, Sigma::zero, Centering::cell});
    const auto backend = test_backend();
    const Discretization d(*backend, problem, Discretization::Assembly::partial);
    const auto coarse = coarser(d.block(), Coarsening::pairs);
    if (!coarse) continue;
    const auto transfer = grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse);
    const auto rows = std::get<FaceRows>(d.coarsen_rows(d.scheme_rows(), *coarse, *transfer));
    const reference::CellGrid g(problem);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem.dimension); ++axis) {
      const HostRead read(*rows.faces[axis]);
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
        const auto& place = coarse->axes[e].place;
        const auto at = static_cast<std::size_t>(I < 0 ? I + static_cast<int>(place.size()) - 1 : I);
        return place[at + 1] - place[at] == 2;
      };
      Box box = coarse->block.layout().box();
      if (!A.periodic()) ++box.last[axis];
      for_each(box, [&](int I, int J, int K) {
        const std::array wide{I, J, K};
        std::array<std::array<int, 2>, 3> range{};
        for (std::size_t e = 0; e < 3; ++e) {
          const CoarseAxis& along = coarse->axes[e];
          range[e] = {along.node(wide[e]), e == axis ? along.node(wide[e]) + 1 : along.node(wide[e] + 1)};
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
  }
  // With explicit nodes, boxes this small merge hardly any cells.
  if (grid.name != "explicit") {
    EXPECT_GT(largest, 1.05) << "nothing bends";
  }
}

/// Returns κ on the coarse faces of a box of equal cells.
std::vector<double> coarse_faces(const std::array<int, 3>& cells, const Quantity& kappa, std::size_t axis) {
  Problem p;
  p.centering = Centering::cell;
  p.dimension = cells[2] > 1 ? 3 : 2;
  p.coefficient[0] = kappa;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
  const auto backend = test_backend();
  const Discretization d(*backend, std::as_const(p));
  const auto coarse = coarser(d.block(), Coarsening::pairs);
  const auto transfer = grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse);
  return values(*std::get<FaceRows>(d.coarsen_rows(d.scheme_rows(), *coarse, *transfer)).faces[axis]);
}

/// Blocks have 2 cells per side. Every fine face on a coarse one meets a corner and lies between cells of high and low
/// κ, so its κ is 2. The cell of low κ has equal couplings to a cell of high κ across the face, to one (two in space)
/// next to it, and to the centre of its coarse cell. The flow is 4/3 (3/2) of the flow through the face alone, with the
/// excess increased by half.
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

/// If coarse cells are not unions of fine cells, κ on a coarse face is the mean over its area of the fine faces on both
/// sides, weighted by distance. The test computes it with plain loops over the overlaps.
TEST(CoarseFaces, OfSmoothCoefficientsBlendAdjacentFaces) {
  const auto smooth = [](double x, double y, double z) { return std::exp(std::sin(3 * x + 2 * y - z)); };
  for (const int dimension : {2, 3})
    for (const BoundaryKind kind : {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::periodic}) {
      Problem p;
      p.centering = Centering::cell;
      p.dimension = dimension;
      p.coefficient[0] = smooth;
      const std::array<int, 3> cells{7, 9, dimension == 3 ? 5 : 1};
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
        p.nodes[d] = d == 1 ? tanh_nodes(0, 1, cells[d], 1, StretchedEnd::lower) : uniform_nodes(0, 1, cells[d]);
        for (Boundary& face : p.boundary[d]) face.kind = kind;
      }
      const auto backend = test_backend();
      const Discretization d(*backend, std::as_const(p));
      const auto coarse = coarser(d.block());
      const auto transfer = grid_kernels(*backend).make_transfer(*backend, d.block(), *coarse);
      const auto rows = std::get<FaceRows>(d.coarsen_rows(d.scheme_rows(), *coarse, *transfer));
      const reference::CellGrid g(p);
      std::array<reference::Dense, 3> shares{{{{1}}, {{1}}, {{1}}}};
      for (std::size_t e = 0; e < static_cast<std::size_t>(dimension); ++e)
        shares[e] = reference::shares(g.nodes[e], coarse->block.axes[e].nodes());
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
        const Axis& A = coarse->block.axes[axis];
        const int n = g.size[axis];
        const auto fine_face = [&](reference::Index at) {  // below a cell, with κ of half cells in series
          if (kind != BoundaryKind::periodic && (at[axis] == 0 || at[axis] == n)) {
            if (at[axis] == n) --at[axis];
            return reference::evaluate(p.coefficient[0], g.centre(at), at);
          }
          at[axis] %= n;
          reference::Index below = at;
          below[axis] = (at[axis] + n - 1) % n;
          const Real h = g.width(axis, at), hb = g.width(axis, below);
          return (h + hb) / (h / reference::evaluate(p.coefficient[0], g.centre(at), at) +
                             hb / reference::evaluate(p.coefficient[0], g.centre(below), below));
        };
        const HostRead read(*rows.faces[axis]);
        const auto view = (*read).view<double>();
        Box box = coarse->block.layout().box();
        if (!A.periodic()) ++box.last[axis];
        for_each(box, [&](int I, int J, int K) {
          const std::array wide{I, J, K};
          const Real x = A.nodes()[static_cast<std::size_t>(wide[axis])];
          Real sum = 0, area = 0;
          for_each(d.block().layout().box(), [&](int i, int j, int k) {
            reference::Index at{i, j, k};
            Real w = 1;
            for (std::size_t e = 0; e < 3; ++e)
              if (e != axis)
                w *= shares[e][static_cast<std::size_t>(at[e])][static_cast<std::size_t>(wide[e])] * g.width(e, at);
            const Real low = g.nodes[axis][static_cast<std::size_t>(at[axis])], t = (x - low) / g.width(axis, at);
            const bool last = at[axis] + 1 == n;
            if (w == 0 || t < 0 || (last ? t > 1 : t >= 1)) return;
            reference::Index next = at;
            ++next[axis];
            sum += w * ((1 - t) * fine_face(at) + t * fine_face(next));
            area += w;
          });
          ASSERT_NEAR(view(I, J, K), static_cast<double>(sum / area), 1e-12)
              << axis << ": " << I << " " << J << " " << K;
        });
      }
    }
}

/// If κ depends on one direction only, no flow bends.
TEST(CoarseFaces, OfLayersAreMeans) {
  const auto layers = [](double x, double, double) { return static_cast<int>(8 * x) % 2 ? 1e6 : 1.0; };
  const double harmonic = 2 / (1 + 1e-6), mean = 0.5 * (1 + 1e6);
  for (const std::array<int, 3>& cells : {std::array{8, 8, 1}, std::array{8, 8, 8}}) {
    EXPECT_NEAR(coarse_faces(cells, layers, 0)[1 + 4 * 1] / harmonic, 1, 1e-12);
    EXPECT_NEAR(coarse_faces(cells, layers, 1)[1 + 4 * 1] / mean, 1, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MergedFaces,
                         testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace poisson::coarse_faces_tests
