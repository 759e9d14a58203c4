// These tests check that all modes of assembly have the same entries, and that auto counts the operations of the models
// correctly.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/bilinear_walk.hpp"
#include "grids/rows/box_coefficients.hpp"
#include "grids/rows/face_coefficients.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/cases/covering.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

/// Returns all entries, column by column, including rows of Dirichlet nodes.
std::vector<std::vector<double>> matrix(const Operator& A) {
  std::vector<std::vector<double>> columns;
  Field u(A.backend(), A.space().part().layout(), A.precision()),
      Au(A.backend(), A.space().part().layout(), A.precision());
  const auto n = static_cast<std::size_t>(A.space().part().layout().size());
  for (std::size_t c = 0; c < n; ++c) {
    Vector unit(n, 0);
    unit[c] = 1;
    set_values(A.backend(), u, unit);
    A.apply_everywhere(u, Au);
    columns.push_back(values(Au));
  }
  return columns;
}

void expect_same_entries(const Operator& A, const Operator& B) {
  const auto a = matrix(A), b = matrix(B);
  const double eps = static_cast<double>(epsilon(A.precision()));
  ASSERT_EQ(A.scale(), B.scale());
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t r = 0; r < a.size(); ++r)
      ASSERT_NEAR(a[c][r], b[c][r], 24 * eps * std::abs(a[r][r])) << "row " << r << ", column " << c;
}

/// One problem is assembled in every mode that it supports: recompute, partial and full, with full filled from both
/// others.
TEST(Assembly, ModesAreEqualEntryByEntry) {
  const auto backend = test_backend();
  const auto faces = all_faces();
  const std::array grids{all_grids[0], all_grids[1], all_grids[4]};
  const std::array unknowns{std::pair{Scheme::fv, Centering::node}, std::pair{Scheme::q1, Centering::node},
                            std::pair{Scheme::fv, Centering::cell}};
  const std::array kappas{Kappa::constant, Kappa::constant_tensor, Kappa::random, Kappa::random_tensor,
                          Kappa::random_full};
  const std::array sigmas{Sigma::zero, Sigma::constant, Sigma::varying};
  for (const auto& row :
       covering_rows({unknowns.size(), faces.size(), grids.size(), kappas.size(), sigmas.size(), 2, 2})) {
    const auto& [scheme, centering] = unknowns[row[0]];
    const NamedFaces& face = faces[row[1]];
    const NamedGrid& grid = grids[row[2]];
    const bool full_tensor = kappas[row[3]] == Kappa::random_full && scheme == Scheme::q1;
    const Kappa kappa = kappas[row[3]] == Kappa::random_full && !full_tensor ? Kappa::random_tensor : kappas[row[3]];
    const Sigma sigma = sigmas[row[4]];
    const int dimension = row[5] == 0 ? 3 : 2;
    const Precision precision = row[6] == 0 ? Precision::fp64 : Precision::fp32;
    SCOPED_TRACE(testing::Message() << (scheme == Scheme::fv ? "fv, " : "q1, ")
                                    << (centering == Centering::cell ? "cells, " : "") << face.name << ", " << grid.name
                                    << ", kappa " << static_cast<int>(kappa) << ", sigma " << static_cast<int>(sigma)
                                    << ", " << dimension << "-D");
    const Problem p = make_problem(face, grid, {dimension, {4, 3, 3}, kappa, sigma, centering, scheme});
    const auto of = [&](Assembly assembly) { return Discretization(*backend, p, assembly).make_operator(precision); };
    const auto recompute = of(Assembly::recompute), partial = of(Assembly::partial), full = of(Assembly::full);
    EXPECT_EQ(full->assembly(), "full");
    EXPECT_EQ(partial->assembly(), "partial");
    const bool stored = chosen_assembly(Assembly::recompute, p, backend->on_gpu()) == Assembly::partial;
    EXPECT_EQ(recompute->assembly() == "partial", stored);
    expect_same_entries(*recompute, *full);
    // If only a Robin α varies, elements sample it differently when it is stored in a field instead of on the axes.
    expect_same_entries(*partial, *full);
    if (HasFailure()) return;
  }
}

/// Solves with levels and smoothers must have the same iterates with bands and with the κ from which they were
/// computed.
TEST(Assembly, BandsSolveLikeTheOriginalOperator) {
  for (const auto& [scheme, centering] :
       {std::pair{Scheme::fv, Centering::node}, {Scheme::fv, Centering::cell}, {Scheme::q1, Centering::node}})
    for (const NamedFaces& faces : all_faces()) {
      if (faces.name != "mixed" && faces.name != "periodic_yz" && faces.name != "neumann") continue;
      for (const NamedGrid& grid : {all_grids[0], all_grids[1], all_grids[2]}) {
        SCOPED_TRACE(faces.name + ", " + grid.name + (centering == Centering::cell ? ", cells" : "") +
                     (scheme == Scheme::q1 ? ", q1" : ""));
        Problem p = make_problem(faces, grid, {3, {14, 9, 11}, Kappa::random_tensor, Sigma::zero, centering, scheme});
        p.source = [](double x, double y, double z) { return std::sin(3 * x) * std::cos(4 * y) + z; };
        for (auto& axis : p.boundary)
          for (Boundary& face : axis)
            if (face.kind != BoundaryKind::periodic) face.value = [](double x, double y, double) { return x - y; };
        Options options{.method = Method::multigrid};
        options.precision = SolvePrecision::double_;
        options.tolerance = 0;
        options.max_iterations = 3;
        std::array<std::vector<double>, 2> u;
        for (const bool full : {false, true}) {
          Solve s(p, options, full ? Assembly::full : Assembly::partial);
          s.run();
          EXPECT_EQ(s.solver().A().assembly(), full ? "full" : "partial");
          u[full] = values(s.solution());
        }
        double largest = 0, distance = 0;
        for (std::size_t i = 0; i < u[0].size(); ++i) {
          largest = std::max(largest, std::abs(u[0][i]));
          distance = std::max(distance, std::abs(u[1][i] - u[0][i]));
        }
        EXPECT_GT(largest, 0.01);
        EXPECT_LE(distance, 1e-10 * largest);
      }
    }
}

TEST(Assembly, AutomaticChoiceFollowsTheOperationCount) {
  Problem p;
  for (auto& axis : p.nodes) axis = uniform_nodes(0, 1, 8);
  for (const auto& [scheme, centering] :
       {std::pair{Scheme::fv, Centering::node}, {Scheme::q1, Centering::node}, {Scheme::fv, Centering::cell}})
    for (const bool gpu : {false, true}) {
      p.scheme = scheme;
      p.centering = centering;
      p.coefficient[0] = 1.0;
      const bool walks = scheme == Scheme::q1 && gpu;
      EXPECT_EQ(chosen_assembly(Assembly::automatic, p, gpu), walks ? Assembly::partial : Assembly::recompute);
      EXPECT_EQ(reason(Assembly::automatic, p, gpu),
                walks ? "measured to be faster even for constants" : "because the coefficients are constant");
      p.reaction = 1.0;
      EXPECT_EQ(chosen_assembly(Assembly::automatic, p, gpu), Assembly::recompute);
      p.reaction = 0.0;
      EXPECT_EQ(predictions(p, gpu).size(), 3U);
      p.coefficient[0] = [](double x, double, double) { return 1 + x; };
      // Computing an element's entries costs a core more time than reading them.
      EXPECT_EQ(chosen_assembly(Assembly::automatic, p, gpu),
                scheme == Scheme::q1 && !gpu ? Assembly::full : Assembly::partial);
      EXPECT_EQ(reason(Assembly::automatic, p, gpu), "predicted to be faster");
      EXPECT_EQ(chosen_assembly(Assembly::recompute, p, gpu), Assembly::partial);
      EXPECT_EQ(reason(Assembly::recompute, p, gpu), "because varying coefficients must be stored");
      EXPECT_EQ(chosen_assembly(Assembly::full, p, gpu), Assembly::full);
      EXPECT_EQ(reason(Assembly::full, p, gpu), "as requested");
      EXPECT_EQ(predictions(p, gpu).size(), 2U);
      for (const Prediction& one : predictions(p, gpu)) {
        EXPECT_EQ(one.seconds[1], predicted_seconds(one.cost, Precision::fp64, device_rate(gpu)));
        EXPECT_LE(one.seconds[0], one.seconds[1]);
      }
    }
  // Faces and σ have the same number of values as bands.
  p.centering = Centering::cell;
  p.scheme = Scheme::fv;
  p.reaction = [](double x, double, double) { return x; };
  EXPECT_EQ(chosen_assembly(Assembly::automatic, p, true), Assembly::partial);
  EXPECT_EQ(reason(Assembly::automatic, p, true), "predicted to be as fast with less memory");
}

TEST(Assembly, RecomputesCompilableExpressionsOnAGpu) {
  Problem p;
  p.coefficient[0] = Quantity([](std::span<const double>, std::span<const double>, std::span<const double>,
                                 std::span<double> values) { std::ranges::fill(values, 1.0); },
                              "1 / (1 + expression::product(x, y))");
  const auto expect_recomputed = [&](double wide) {
    EXPECT_EQ(chosen_assembly(Assembly::recompute, p, true), Assembly::recompute);
    EXPECT_EQ(chosen_assembly(Assembly::recompute, p, false), Assembly::partial);
    EXPECT_NE(chosen_assembly(Assembly::automatic, p, true), Assembly::recompute);  // does not compile anything
    const auto modes = predictions(p, true);
    ASSERT_EQ(modes.size(), 3U);
    EXPECT_EQ(modes.front().assembly, Assembly::recompute);
    EXPECT_EQ(modes.front().cost.values, 2);
    EXPECT_EQ(modes.front().cost.wide, wide);
    p.reaction = [](double x, double, double) { return x; };
    EXPECT_EQ(row_cost(p, Assembly::recompute, true).values, 3);
    p.reaction = 0.0;
  };
  const double point = 30 + 2;  // a quotient, a sum and a product
  expect_recomputed(4 * point);
  p.centering = Centering::cell;
  expect_recomputed(6 * point + 5 * (6 + 30));
  p.centering = Centering::node;
  p.scheme = Scheme::q1;
  expect_recomputed(8 * point);
  p.full_tensor = true;
  p.isotropic = false;
  p.offdiagonal[1] = p.coefficient[0];  // the other entries are constant
  expect_recomputed(2 * 8 * point);
  p.coefficient[0] = [](double x, double, double) { return 1 + x; };
  EXPECT_EQ(chosen_assembly(Assembly::recompute, p, true), Assembly::partial);
}

TEST(Assembly, CountsTheNumbersOfARow) {
  const auto values = [](const Problem& p, Assembly assembly) { return row_cost(p, assembly, false).values; };
  // The counted values are u, Au and κ, or half of the bands with the row sums.
  Problem p;
  p.scheme = Scheme::q1;
  EXPECT_EQ(values(p, Assembly::partial), 3);
  EXPECT_EQ(values(p, Assembly::full), 2 + 14);
  EXPECT_EQ(values(p, Assembly::recompute), 2);
  p.scheme = Scheme::fv;
  EXPECT_EQ(values(p, Assembly::full), 2 + 4);
  p.boundary[0][0].kind = BoundaryKind::robin;  // α is stored with the reaction
  EXPECT_EQ(values(p, Assembly::partial), 4);
  p.isotropic = false;
  EXPECT_EQ(values(p, Assembly::partial), 6);
  p.centering = Centering::cell;  // κ on the faces of three directions, including α
  EXPECT_EQ(values(p, Assembly::partial), 5);
  EXPECT_EQ(values(p, Assembly::full), 2 + 4);
  p.dimension = 2;
  EXPECT_EQ(values(p, Assembly::partial), 4);
  EXPECT_EQ(values(p, Assembly::full), 2 + 3);
  p.centering = Centering::node;
  p.scheme = Scheme::q1;
  EXPECT_EQ(values(p, Assembly::full), 2 + 5);
}

/// Counts the operations on a number.
struct Counted {
  static inline long operations = 0;
  double value = 0;
  constexpr Counted(double v = 0) : value(v) {}
  Counted& operator+=(Counted b) { return ++operations, value += b.value, *this; }
  Counted& operator-=(Counted b) { return ++operations, value -= b.value, *this; }
  friend Counted operator+(Counted a, Counted b) { return a += b; }
  friend Counted operator-(Counted a, Counted b) { return a -= b; }
  friend Counted operator*(Counted a, Counted b) { return ++operations, a.value * b.value; }
  friend Counted operator-(Counted a) { return -a.value; }
};

}  // namespace

/// A machine fuses the sum of two products, so it counts as three operations.
template <>
Counted sum_of_products(Counted a, Counted b, Counted c, Counted d) {
  return a * b + c * d;
}

namespace {

/// Provides memory for all arrays that a model reads.
struct Ones {
  std::vector<Counted> memory = std::vector<Counted>(200, Counted(1));
  const Counted* middle() const { return memory.data() + 100; }
  View<const Counted> cells() const { return {middle(), {1, 1, 1}, {1, 1, 1}, 3, 9}; }
  AxisTable<Counted> axis() const { return {middle(), middle(), middle(), middle()}; }
  BoxAxis<Counted> box_axis() const { return {middle(), middle(), middle(), middle(), middle(), middle()}; }

  /// Returns the operations of (A u)_i after its line is prepared.
  template <class Model>
  long count(const Model& model) const {
    const auto line = model.line(1, 1);
    Counted::operations = 0;
    const auto row = line.row(1);
    stencil::apply(row, std::decay_t<decltype(row)>::Neighbours::at(middle(), 3, 9));
    return Counted::operations;
  }
};

TEST(Assembly, CountsTheOperationsOfTheModels) {
  const Ones ones;
  Problem p;
  const auto flops = [&](Assembly assembly, bool gpu = false) {
    return static_cast<long>(row_cost(p, assembly, gpu).flops);
  };
  const auto a = ones.axis();
  const auto b = ones.box_axis();
  const auto k = ones.cells();
  const auto set = [&](Scheme scheme, int dimension, bool isotropic, bool full_tensor, bool reacts) {
    p.scheme = scheme;
    p.dimension = dimension;
    p.isotropic = isotropic;
    p.full_tensor = full_tensor;
    p.reaction = reacts ? Quantity([](double x, double, double) { return x; }) : Quantity(1.0);
  };
  for (const int dimension : {2, 3}) {
    set(Scheme::fv, dimension, true, false, false);
    EXPECT_EQ(flops(Assembly::recompute), ones.count(TensorProduct<Counted>{a, a, a, 1}));
    EXPECT_EQ(flops(Assembly::full),
              ones.count(StarBands<Counted>{{k, {k.data, k.data, k.data, k.data}}, {k.data, k.data, k.data}}));
    for (const bool reacts : {false, true}) {
      const View<const Counted> reaction = reacts ? k : View<const Counted>{};
      set(Scheme::fv, dimension, true, false, reacts);
      // Faces across y and across z share the means of pairs of cells along x.
      EXPECT_EQ(flops(Assembly::partial), ones.count(Partial<Counted, true>{a, a, a, {k}, reaction, 1}) - 4 * 3);
      p.centering = Centering::cell;
      EXPECT_EQ(flops(Assembly::partial), ones.count(Faces<Counted>{a, a, a, {k, k, k}, reaction, 1}));
      p.centering = Centering::node;
      set(Scheme::fv, dimension, false, false, reacts);
      EXPECT_EQ(flops(Assembly::partial), ones.count(Partial<Counted, false>{a, a, a, {k, k, k}, reaction, 1}));
    }
  }
  // On a GPU, points along z share planes of cells.
  for (const bool isotropic : {true, false}) {
    set(Scheme::fv, 3, isotropic, false, false);
    const auto count = [&](const auto& model) {
      const auto column = model.column(1, 1);
      const auto below = column.layer(column.read(0));
      Counted::operations = 0;
      column.row(below, column.layer(column.read(1)), column.beside(1));
      return Counted::operations;
    };
    // With isotropic κ the face across z reuses the sums across y.
    EXPECT_EQ(flops(Assembly::partial, true),
              19 + (isotropic ? count(Partial<Counted, true>{a, a, a, {k}, {}, 1}) - 2 * 3
                              : count(Partial<Counted, false>{a, a, a, {k, k, k}, {}, 1})));
  }
  // Elements of a plane are computed cell by cell. A varying σ of two cells is scaled first.
  for (const int reaction : {0, 1, 2}) {
    set(Scheme::q1, 2, true, false, reaction == 2);
    if (reaction == 0) p.reaction = 0.0;
    using Walk = BilinearWalk<Counted, false>;
    const Walk::Layer layer{1, 1, 1, {1, 1}, {1, 1}};
    Walk walk({1, 1, 1}, {1, 1, 1}, 0, {1, 1, 1});
    Counted::operations = 0;
    reaction == 0 ? walk.next<false>(layer, {1, 1, 1}) : walk.next<true>(layer, {1, 1, 1});
    EXPECT_EQ(flops(Assembly::partial, true), Counted::operations + (reaction == 2 ? 2 : 0)) << reaction;
  }
  const auto boxes = [&]<int dimension>(Number<dimension>) {
    set(Scheme::q1, dimension, true, false, false);
    EXPECT_EQ(flops(Assembly::recompute), ones.count(BoxProduct<Counted, dimension>{b, b, b, 1}));
    for (const bool reacts : {false, true}) {
      const auto check = [&]<Tensor kind>() {
        set(Scheme::q1, dimension, kind == Tensor::isotropic, kind == Tensor::full, reacts);
        BoxPartial<Counted, dimension, kind> model{{}, b, b, b, reacts ? k : View<const Counted>{}, 1, {1, 1, 1}};
        for (auto& component : model.kappa) component = k;
        EXPECT_EQ(flops(Assembly::partial), ones.count(model)) << dimension << ", " << static_cast<int>(kind);
      };
      check.template operator()<Tensor::isotropic>();
      check.template operator()<Tensor::diagonal>();
      check.template operator()<Tensor::full>();
    }
    BoxBands<Counted, dimension> bands{};
    bands.bands.shape = k;
    std::fill(std::begin(bands.bands.band), std::end(bands.bands.band), k.data);
    bands.axes = {k.data, k.data, k.data};
    EXPECT_EQ(flops(Assembly::full), ones.count(bands));
  };
  boxes(Number<2>());
  boxes(Number<3>());
}

}  // namespace
}  // namespace poisson
