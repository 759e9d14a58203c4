// These tests compare transfers between levels with the oracle's tensor products of one-dimensional matrices.

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
#include "tests/cases/covering.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/problems.hpp"

namespace poisson::transfer_tests {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double mark = -77;  // marks Dirichlet nodes, which only inject may write

/// Bounds the roundings of one value: up to nine (P) or 27 (Pᵀ) products of four factors, summed pairwise by axes.
constexpr Real roundings = 4;

/// Returns the problem on the nodes of a coarse block, for the oracle.
Problem coarse_problem(const Problem& fine, const CoarseBlock& coarse) {
  Problem p = fine;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) p.nodes[d] = coarse.block.axes[d].nodes();
  return p;
}

/// Contains two levels, the oracle's P between them, and fields on both.
class TransferCase {
 public:
  explicit TransferCase(const Problem& problem, Coarsening rule = Coarsening::even)
      : block(make_block(problem)),
        coarse(coarsen(block, choose_relaxation(block, {1, 1, 1}, RelaxationChoice::points).coarsened, rule)),
        transfer(grid_kernels(*backend).make_transfer(*backend, block, coarse)),
        fine_grid(problem),
        coarse_grid(coarse_problem(problem, coarse)) {
    for (std::size_t d = 0; d < 3; ++d) {
      P[d] = reference::prolongation(fine_grid.nodes[d], coarse_grid.nodes[d], fine_grid.periodic(d));
      rounding[d] = P[d];
      for (auto& row : rounding[d])
        for (Real& weight : row)
          if (weight != 0) weight = std::max(weight, Real{0.5});
    }
  }

  Field field(const reference::Grid& grid, Precision p) const {
    return {*backend, (&grid == &fine_grid ? block : coarse.block).layout(), p};
  }
  /// Returns random unknowns with zeros in Dirichlet nodes, like corrections and residuals.
  Vector correction(const reference::Grid& grid, unsigned seed) const {
    Vector v = Random(seed).vector(grid.count());
    for (std::size_t i = 0; i < v.size(); ++i)
      if (grid.dirichlet(grid.index(i))) v[i] = 0;
    return v;
  }
  /// Returns NaN in the unknowns and the mark in Dirichlet nodes.
  Vector cleared(const reference::Grid& grid) const {
    Vector v(grid.count(), nan);
    for (std::size_t i = 0; i < v.size(); ++i)
      if (grid.dirichlet(grid.index(i))) v[i] = mark;
    return v;
  }
  void expect(const char* verb, const Field& field, const reference::Grid& grid, Vector expected, Vector bound) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (grid.dirichlet(grid.index(i))) {
        expected[i] = mark;
        bound[i] = 0;
      }
    EXPECT_TRUE(within(values(*backend, field), expected, bound)) << verb;
    EXPECT_TRUE(open_halo_is_zero(*backend, field)) << verb;
  }

  void expect_restriction(Precision from, Precision to);
  void expect_prolongation(Precision from, Precision to);
  void expect_injection(Precision from, Precision to);
  void expect_interpolation(Precision from, Precision to);
  void expect_adjointness();

  std::unique_ptr<Backend> backend = test_backend();
  Block block;
  CoarseBlock coarse;
  std::unique_ptr<Transfer> transfer;
  reference::Grid fine_grid, coarse_grid;
  std::array<reference::Dense, 3> P;
  /// This is the scale of the rounding of each weight. A small weight is 1 minus the other one of its row.
  std::array<reference::Dense, 3> rounding;
};

void TransferCase::expect_restriction(Precision from, Precision to) {
  Field x = field(fine_grid, from), y = field(coarse_grid, to);
  const Vector xv = set_values(*backend, x, correction(fine_grid, 1));
  Vector expected(coarse_grid.count(), 0), bound(coarse_grid.count(), 0);
  reference::for_each_entry(P, [&](std::size_t i, std::size_t I, Real weight) { expected[I] += weight * xv[i]; });
  reference::for_each_entry(rounding, [&](std::size_t i, std::size_t I, Real weight) {
    bound[I] += roundings * epsilon(from) * weight * std::abs(xv[i]);
  });
  for (std::size_t I = 0; I < bound.size(); ++I) bound[I] += epsilon(to) * std::abs(expected[I]);
  set_values(*backend, y, cleared(coarse_grid));
  transfer->restrict_to(x, y);
  expect("restrict_to", y, coarse_grid, expected, bound);
  EXPECT_EQ(values(*backend, x), xv) << "restrict_to writes its argument";

  const double factor = 0x1p-30;  // a power of two, like all scales
  const Scalar scale = backend->scalar(factor);
  for (Real& v : expected) v *= factor;
  for (Real& v : bound) v *= factor;
  set_values(*backend, x, xv);
  set_values(*backend, y, cleared(coarse_grid));
  transfer->restrict_to(x, y, &scale);
  expect("scaled restrict_to", y, coarse_grid, expected, bound);
}

void TransferCase::expect_prolongation(Precision from, Precision to) {
  Field x = field(coarse_grid, from), y = field(fine_grid, to);
  const Vector correct = correction(coarse_grid, 2);
  const Vector xv = set_values(*backend, x, correct);
  Vector expected(fine_grid.count(), 0), bound(fine_grid.count(), 0);
  reference::for_each_entry(P, [&](std::size_t i, std::size_t I, Real weight) { expected[i] += weight * xv[I]; });
  reference::for_each_entry(rounding, [&](std::size_t i, std::size_t I, Real weight) {
    bound[i] += roundings * epsilon(from) * weight * std::abs(xv[I]);
  });
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += epsilon(to) * std::abs(expected[i]);
  set_values(*backend, y, cleared(fine_grid));
  transfer->prolong(x, y);
  expect("prolong", y, fine_grid, expected, bound);
  EXPECT_EQ(values(*backend, x), xv) << "prolong writes its argument";

  Vector before = Random(3).vector(fine_grid.count());
  for (std::size_t i = 0; i < before.size(); ++i)
    if (fine_grid.dirichlet(fine_grid.index(i))) before[i] = mark;
  before = set_values(*backend, y, before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    expected[i] += before[i];
    bound[i] += epsilon(to) * (std::abs(before[i]) + std::abs(expected[i]));
  }
  set_values(*backend, x, correct);
  transfer->prolong_add(x, y);
  expect("prolong_add", y, fine_grid, expected, bound);
}

void TransferCase::expect_injection(Precision from, Precision to) {
  Field x = field(fine_grid, from), y = field(coarse_grid, to);
  const Vector xv = set_values(*backend, x, Random(4).vector(fine_grid.count()));
  // Values are copied if nodes coincide along all axes; otherwise weights are rounded.
  std::array<reference::Dense, 3> W;
  for (std::size_t d = 0; d < 3; ++d) {
    if (fine_grid.periodic(d) && fine_grid.size[d] < 4) return;
    W[d] = reference::injection(fine_grid.nodes[d], coarse_grid.nodes[d], fine_grid.periodic(d));
  }
  const auto copied = [&](std::size_t I) {
    bool all = true;
    for (std::size_t d = 0; d < 3; ++d)
      all = all && std::ranges::count(W[d][static_cast<std::size_t>(coarse_grid.index(I)[d])], Real{1}) == 1;
    return all;
  };
  for (const double factor : {1.0, 0x1p20}) {
    Vector expected(coarse_grid.count(), 0), bound(coarse_grid.count(), 0);
    reference::for_each_entry(reference::transposed(W), [&](std::size_t i, std::size_t I, Real weight) {
      expected[I] += factor * weight * xv[i];
      bound[I] += 6 * roundings * epsilon(from) * std::abs(factor * weight * xv[i]);
    });
    for (std::size_t I = 0; I < bound.size(); ++I)
      bound[I] = (copied(I) ? 0 : bound[I]) + (from == to && copied(I) ? 0 : epsilon(to) * std::abs(expected[I]));
    const Scalar scale = backend->scalar(factor);
    set_values(*backend, y, Vector(coarse_grid.count(), nan));
    transfer->inject(x, y, factor == 1 ? nullptr : &scale);
    EXPECT_TRUE(within(values(*backend, y), expected, bound)) << "inject";
    EXPECT_TRUE(open_halo_is_zero(*backend, y)) << "inject";
  }
}

void TransferCase::expect_interpolation(Precision from, Precision to) {
  std::array<reference::Dense, 3> cubic;
  // Coordinates are rounded at nodes between finer ones and where a period is added. This bound is in units of node
  // distances.
  Real rounded = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (fine_grid.periodic(d) && coarse_grid.size[d] < 4) return;
    cubic[d] = reference::interpolation(fine_grid.nodes[d], coarse_grid.nodes[d], fine_grid.periodic(d));
    if (!fine_grid.periodic(d) && coarse.axes[d].nested()) continue;
    Real smallest = fine_grid.width(d, 0);
    for (int i = 0; i < fine_grid.cells[d]; ++i) smallest = std::min(smallest, fine_grid.width(d, i));
    rounded += 6 * std::abs(fine_grid.nodes[d].back()) / smallest;
  }
  Field x = field(coarse_grid, from), y = field(fine_grid, to);
  const Vector xv = set_values(*backend, x, Random(7).vector(coarse_grid.count()));  // Dirichlet data included
  Vector expected(fine_grid.count(), 0), bound(fine_grid.count(), 0);
  reference::for_each_entry(cubic, [&](std::size_t i, std::size_t I, Real weight) {
    expected[i] += weight * xv[I];
    bound[i] += (2 * roundings * epsilon(from) + rounded * epsilon(Precision::fp64)) * std::abs(weight * xv[I]);
  });
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += epsilon(to) * std::abs(expected[i]);
  set_values(*backend, y, cleared(fine_grid));
  transfer->interpolate(x, y);
  expect("interpolate", y, fine_grid, expected, bound);
}

void TransferCase::expect_adjointness() {
  Field x = field(fine_grid, Precision::fp64), y = field(coarse_grid, Precision::fp64);
  Field Py = field(fine_grid, Precision::fp64), Rx = field(coarse_grid, Precision::fp64);
  const Vector xv = set_values(*backend, x, correction(fine_grid, 5));
  const Vector yv = set_values(*backend, y, correction(coarse_grid, 6));
  transfer->restrict_to(x, Rx);
  transfer->prolong(y, Py);
  Scalar left = backend->scalar(), right = backend->scalar();
  backend->dot(Rx, y, left);
  backend->dot(x, Py, right);
  Real size = 0;
  reference::for_each_entry(
      rounding, [&](std::size_t i, std::size_t I, Real weight) { size += weight * std::abs(xv[i] * yv[I]); });
  EXPECT_TRUE(within(backend->value(left), backend->value(right), roundings * epsilon(Precision::fp64) * size));
}

class Transfers : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid>> {};

TEST_P(Transfers, MatchTheOracle) {
  const auto& [faces, grid] = GetParam();
  constexpr std::array<std::array<int, 3>, 6> boxes{
      {{4, 5, 6}, {7, 4, 2}, {2, 9, 5}, {5, 3, 8}, {31, 6, 4}, {8, 7, 9}}};
  constexpr std::array rules{Coarsening::even, Coarsening::pairs};
  constexpr std::array precisions{Precision::fp32, Precision::fp64};
  for (const auto& row : covering_rows({boxes.size(), 2, rules.size(), precisions.size(), precisions.size()})) {
    const auto& cells = boxes[row[0]];
    const int dimension = row[1] == 0 ? 2 : 3;
    const Coarsening rule = rules[row[2]];
    const Precision from = precisions[row[3]], to = precisions[row[4]];
    SCOPED_TRACE(testing::Message() << dimension << "-D, " << cells[0] << " x " << cells[1] << " x " << cells[2]
                                    << " cells, " << (rule == Coarsening::even ? "even" : "pairs"));
    TransferCase c(make_problem(faces, grid, {dimension, cells}), rule);
    c.expect_restriction(from, to);
    c.expect_prolongation(from, to);
    c.expect_injection(from, to);
    c.expect_interpolation(from, to);
    c.expect_adjointness();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Transfers, testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

/// Evaluates f at the nodes of a grid.
template <class F>
Vector on_nodes(const reference::Grid& grid, const F& f) {
  Vector v;
  for (std::size_t i = 0; i < grid.count(); ++i) {
    std::array<double, 3> x{};
    const reference::Index at = grid.index(i);
    for (std::size_t d = 0; d < 3; ++d) x[d] = grid.nodes[d][static_cast<std::size_t>(at[d])];
    v.push_back(f(x[0], x[1], x[2]));
  }
  return v;
}

const NamedFaces& faces_named(const std::vector<NamedFaces>& all, const std::string& name) {
  for (const NamedFaces& f : all)
    if (f.name == name) return f;
  throw std::out_of_range(name);
}

/// Interpolation must be exact for polynomials of degree 3 in each axis, or degree 2 if only three coarse nodes are
/// left.
TEST(Interpolation, IsExactForCubicPolynomials) {
  const auto all = all_faces();
  const auto degree = [](double x, int cells) { return cells == 4 ? x * (1 - x) : x * (x * x - 2 * x + 0.25); };
  for (const char* name : {"dirichlet", "mixed", "robin"})
    for (const NamedGrid& grid : {all_grids[0], all_grids[1], all_grids[3]})
      for (const int dimension : {2, 3})
        for (const std::array<int, 3> cells : {std::array{6, 7, 8}, {9, 4, 6}, {5, 16, 7}})
          for (const Coarsening rule : {Coarsening::even, Coarsening::pairs})
            for (const Precision from : {Precision::fp32, Precision::fp64})
              for (const double factor : {1.0, 0x1p-20}) {
                SCOPED_TRACE(testing::Message() << name << ", " << grid.name << ", " << dimension << "-D, " << cells[0]
                                                << " x " << cells[1] << " x " << cells[2]);
                const TransferCase c(make_problem(faces_named(all, name), grid, {dimension, cells}), rule);
                const auto f = [&](double x, double y, double z) {
                  return Real{1} +
                         degree(x, cells[0]) * degree(y, cells[1]) * (dimension == 2 ? 1 : degree(z, cells[2]));
                };
                Field x = c.field(c.coarse_grid, from), y = c.field(c.fine_grid, Precision::fp64);
                set_values(*c.backend, x, on_nodes(c.coarse_grid, f));
                set_values(*c.backend, y, c.cleared(c.fine_grid));
                const Scalar scale = c.backend->scalar(factor);
                c.transfer->interpolate(x, y, factor == 1 ? nullptr : &scale);
                Vector expected = on_nodes(c.fine_grid, f), bound(expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i) {
                  const bool data = c.fine_grid.dirichlet(c.fine_grid.index(i));
                  expected[i] = data ? mark : factor * expected[i];
                  bound[i] = data ? 0 : factor * 200 * epsilon(from);
                }
                EXPECT_TRUE(within(values(*c.backend, y), expected, bound));
                EXPECT_TRUE(open_halo_is_zero(*c.backend, y));
                if (HasFailure()) return;
              }
}

/// On a periodic axis, the error falls by 2⁴ when cells halve, also for odd numbers of cells.
TEST(Interpolation, IsOfFourthOrderOnPeriodicAxes) {
  const auto all = all_faces();
  for (const char* name : {"periodic_x", "periodic_y", "periodic_xyz"})
    for (const int odd : {0, 1}) {
      SCOPED_TRACE(std::string(name) + (odd ? ", odd" : ", even"));
      std::vector<Real> errors;
      for (const int half : {12, 24}) {
        Problem p = make_problem(faces_named(all, name), all_grids[0], {2, {2 * half + odd, 2 * half + odd, 1}});
        for (std::size_t d = 0; d < 2; ++d) p.nodes[d] = uniform_nodes(0, 2 * std::numbers::pi, 2 * half + odd);
        const TransferCase c(p);
        const auto factor = [&](std::size_t d, double t) {  // interpolation is exact on other axes
          return c.fine_grid.periodic(d) ? std::sin(t + 0.3) : t * (t - 1) * (t - 2) / 50 + 1;
        };
        const auto f = [&](double x, double y, double) { return Real{factor(0, x)} * factor(1, y); };
        Field x = c.field(c.coarse_grid, Precision::fp64), y = c.field(c.fine_grid, Precision::fp64);
        set_values(*c.backend, x, on_nodes(c.coarse_grid, f));
        const Vector expected = on_nodes(c.fine_grid, f);
        set_values(*c.backend, y, expected);
        c.transfer->interpolate(x, y);
        const Vector found = values(*c.backend, y);
        Real error = 0;
        for (std::size_t i = 0; i < found.size(); ++i) error = std::max(error, std::abs(found[i] - expected[i]));
        errors.push_back(error);
      }
      const double ratio = odd ? 25.0 / 13 : 2;  // of coarse cells
      EXPECT_GE(std::log(errors[0] / errors[1]) / std::log(ratio), 3.85);
      EXPECT_GT(errors[1], 1e-7);
    }
}

TEST(Coarsening, GivesCoarseCellsTheMean) {
  for (const NamedFaces& faces : all_faces())
    for (const NamedGrid& grid : all_grids)
      for (const int dimension : {2, 3})
        for (const std::array<int, 3> cells : {std::array{5, 4, 9}, {8, 3, 6}})
          for (const auto& [rule, mean] : {std::pair{Coarsening::even, CellMean::plain},
                                           {Coarsening::pairs, CellMean::plain},
                                           {Coarsening::even, CellMean::of_roots},
                                           {Coarsening::pairs, CellMean::of_roots}}) {
            SCOPED_TRACE(faces.name + ", " + grid.name + ", " + std::to_string(dimension) + "-D");
            const bool of_roots = mean == CellMean::of_roots;
            const TransferCase c(make_problem(faces, grid, {dimension, cells}), rule);
            const auto backend = test_backend();
            Field fine(*backend, c.block.cell_layout(), Precision::fp64);
            Field coarse(*backend, c.coarse.block.cell_layout(), Precision::fp64);
            Vector kappa = Random(9).vector(static_cast<std::size_t>(c.block.cell_layout().size()));
            for (Real& k : kappa) k += 2;
            kappa = set_values(*backend, fine, kappa);
            set_values(*backend, coarse, Vector(static_cast<std::size_t>(c.coarse.block.cell_layout().size()), nan));
            grid_kernels(*backend).coarsen_cells(*backend, c.block, c.coarse, fine, coarse, mean);

            const reference::Grid &f = c.fine_grid, &g = c.coarse_grid;
            std::array<reference::Dense, 3> shares{{{{1}}, {{1}}, {{1}}}};
            Real rounding = 10;  // rounding of nodes between finer ones, in units of widths
            for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
              shares[d] = reference::shares(f.nodes[d], g.nodes[d]);
              Real smallest = f.width(d, 0);
              for (int i = 0; i < f.cells[d]; ++i) smallest = std::min(smallest, f.width(d, i));
              if (rule == Coarsening::even)
                rounding += 4 * std::max(std::abs(f.nodes[d].front()), std::abs(f.nodes[d].back())) / smallest;
            }
            Vector sum(static_cast<std::size_t>(coarse.layout().size()), 0), volume = sum;
            reference::for_each_entry(shares, [&](std::size_t i, std::size_t I, Real share) {
              const auto [nx, ny] =
                  std::pair{static_cast<std::size_t>(f.cells[0]), static_cast<std::size_t>(f.cells[1])};
              const Real v = share * f.width(0, static_cast<int>(i % nx)) * f.width(1, static_cast<int>(i / nx % ny)) *
                             (dimension == 3 ? f.width(2, static_cast<int>(i / nx / ny)) : 1);
              sum[I] += v * (of_roots ? std::sqrt(kappa[i]) : kappa[i]);
              volume[I] += v;
            });
            Vector bound(sum.size());
            for (std::size_t i = 0; i < sum.size(); ++i) {
              sum[i] /= volume[i];
              if (of_roots) sum[i] *= sum[i];
              bound[i] = rounding * epsilon(Precision::fp64) * sum[i];
            }
            EXPECT_TRUE(within(values(*backend, coarse), sum, bound));
            if (HasFailure()) return;
          }
}

}  // namespace
}  // namespace poisson::transfer_tests
