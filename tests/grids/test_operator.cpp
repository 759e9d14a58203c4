// These tests compare every verb of the operator with the oracle, for the choices of tests/cases/operator_choices.hpp.
// Bounds are in units of the rounding of a row, ε Σ|a||u|.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/cases/operator_choices.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/operator_verbs.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/oracles/reference_compact.hpp"
#include "tests/oracles/reference_elements.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"

namespace poisson::operator_tests {
namespace {

class OperatorVerbs : public testing::TestWithParam<OperatorChoice> {};

TEST_P(OperatorVerbs, MatchTheOracle) {
  const OperatorChoice& c = GetParam();
  check_all_verbs(c.make(), c.precision, c.assembly);
}

constexpr auto name_of = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Volumes, OperatorVerbs, testing::ValuesIn(volumes_around_nodes()), name_of);
INSTANTIATE_TEST_SUITE_P(Cells, OperatorVerbs, testing::ValuesIn(volumes_of_cells()), name_of);
INSTANTIATE_TEST_SUITE_P(Elements, OperatorVerbs, testing::ValuesIn(elements()), name_of);

/// Solutions over cells have face data in their halos.
class CellVerbs : public testing::TestWithParam<OperatorChoice> {};

TEST_P(CellVerbs, OfSolutionsMatchTheOracle) {
  const OperatorChoice& c = GetParam();
  check_verbs_of_solutions(with_data(c.faces, c.grid, c.problem), c.precision, c.assembly);
}

INSTANTIATE_TEST_SUITE_P(, CellVerbs, testing::ValuesIn(volumes_of_cells()), name_of);

TEST(OperatorChoices, HaveEveryKernel) {
  for (const auto& [choices, kinds, forms] :
       {std::tuple{volumes_around_nodes(), 12, 8}, {volumes_of_cells(), 12, 8}, {elements(), 15, 12}}) {
    std::set<std::string> names;
    std::set<std::array<int, 6>> kernels;
    for (const OperatorChoice& c : choices) {
      names.insert(c.name);
      kernels.insert({static_cast<int>(c.problem.kappa), static_cast<int>(c.problem.sigma), c.problem.dimension,
                      static_cast<int>(c.precision), static_cast<int>(c.assembly), has_equal_cells(c.grid)});
    }
    EXPECT_EQ(names.size(), choices.size());
    EXPECT_EQ(kernels.size(), static_cast<std::size_t>(kinds * forms * 2));
  }
}

/// The compact scheme requires Dirichlet or periodic faces, equal cells, and constants.
TEST(CompactScheme, MatchesTheOracle) {
  Boundary dirichlet, periodic;
  periodic.kind = BoundaryKind::periodic;
  const std::array D{dirichlet, dirichlet}, P{periodic, periodic};
  std::size_t turn = 0;
  for (const BoxFaces& faces : {BoxFaces{D, D, D}, BoxFaces{P, D, D}, BoxFaces{D, P, D}, BoxFaces{D, D, P},
                                BoxFaces{P, D, P}, BoxFaces{P, P, P}})
    for (const NamedGrid& grid : {all_grids[0], all_grids[5]})
      for (const int dimension : {2, 3})
        for (const Sigma sigma : {Sigma::zero, Sigma::constant}) {
          const auto& cells = awkward_sizes[turn % awkward_sizes.size()].value;
          const Precision precision = turn % 2 == 0 ? Precision::fp32 : Precision::fp64;
          const Assembly assembly = std::array{Assembly::automatic, Assembly::full, Assembly::partial}[turn / 2 % 3];
          const Kappa kappa = turn / 4 % 2 == 0 ? Kappa::constant : Kappa::constant_tensor;
          ++turn;
          SCOPED_TRACE(testing::Message() << "case " << turn << ", " << dimension << "-D, " << cells[0] << " x "
                                          << cells[1] << " x " << cells[2] << " cells");
          check_all_verbs(
              make_problem({"", faces}, grid, {dimension, cells, kappa, sigma, Centering::node, Scheme::compact4}),
              precision, assembly);
          if (HasFailure()) return;
        }
}

/// These sizes are large enough for all threads.
class OperatorVerbsOnThreads : public testing::TestWithParam<std::tuple<NamedFaces, Kappa>> {};

TEST_P(OperatorVerbsOnThreads, MatchTheOracle) {
  const auto& [faces, kappa] = GetParam();
  for (const auto& [grid, precision] :
       {std::pair{all_grids[0], Precision::fp64}, std::pair{all_grids[1], Precision::fp32}}) {
    check_all_verbs(make_problem(faces, grid, {3, {25, 17, 13}, kappa, Sigma::zero}), precision);
    check_all_verbs(make_problem(faces, grid, {2, {97, 43, 1}, kappa, Sigma::zero}), precision);
  }
}

std::vector<NamedFaces> faces_for_threads() {
  std::vector<NamedFaces> chosen;
  for (const NamedFaces& f : all_faces())
    if (f.name == "neumann" || f.name == "periodic_xyz" || f.name == "mixed") chosen.push_back(f);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(All, OperatorVerbsOnThreads,
                         testing::Combine(testing::ValuesIn(faces_for_threads()),
                                          testing::Values(Kappa::constant, Kappa::random_tensor)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  (std::get<1>(test.param) == Kappa::constant ? "_constant" : "_random");
                         });

TEST(Operator, NamesItsAssembly) {
  const auto backend = test_backend();
  const auto assembly = [&](const NamedGrid& grid, Kappa kappa, Sigma sigma = Sigma::zero) {
    const Problem p = make_problem(all_faces().front(), grid, {3, {4, 5, 6}, kappa, sigma});
    return Discretization(*backend, p).make_operator(Precision::fp64)->assembly();
  };
  EXPECT_EQ(assembly(all_grids[0], Kappa::constant), "equidistant");
  EXPECT_EQ(assembly(all_grids[0], Kappa::constant_tensor, Sigma::constant), "equidistant");
  EXPECT_EQ(assembly(all_grids[1], Kappa::constant), "tensor-product");
  EXPECT_EQ(assembly(all_grids[0], Kappa::random), "partial");
  EXPECT_EQ(assembly(all_grids[1], Kappa::constant, Sigma::varying), "partial");
}

/// Sums and sweeps must reproduce the same bits for any number of threads.
TEST(Operator, GivesTheSameBitsAgainAndOnAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const NamedFaces& faces : faces_for_threads())
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      const Problem p = make_problem(faces, all_grids[1], {3, {25, 17, 13}, Kappa::random, Sigma::zero});
      std::vector<double> norms;
      std::vector<Vector> results;
      for (const int count : {1, 2, 3}) {
        omp_set_num_threads(count);
        OperatorCase c(p, precision);
        Scalar norm = c.backend->scalar();
        relax_colours(*c.A, 1.1, false, c.b, c.u);
        c.A->residual(c.u, c.b, c.b, c.backend->scalar(1), norm);
        norms.push_back(c.backend->value(norm));
        c.A->rounding(c.u, norm);
        norms.push_back(c.backend->value(norm));
        results.push_back(values(*c.backend, c.b));
      }
      omp_set_num_threads(threads);
      for (const std::size_t other : {1U, 2U}) {
        EXPECT_EQ(norms[2 * other], norms[0]);
        EXPECT_EQ(norms[2 * other + 1], norms[1]);
        EXPECT_EQ(results[other], results[0]);
      }
    }
}

/// A constant coefficient must give the same rows when it is assembled as a varying one.
TEST(Operator, PartialAssemblyEqualsTheOthers) {
  const auto backend = test_backend();
  for (const NamedFaces& faces : all_faces())
    for (const NamedGrid& grid : all_grids) {
      SCOPED_TRACE(faces.name + ", " + grid.name);
      const Problem p = make_problem(faces, grid, {3, {5, 4, 3}, Kappa::constant_tensor, Sigma::constant});
      const auto full = Discretization(*backend, p).make_operator(Precision::fp64);
      const auto partial =
          Discretization(*backend, p, Discretization::Assembly::partial).make_operator(Precision::fp64);
      ASSERT_EQ(partial->assembly(), "partial");
      EXPECT_EQ(full->scale(), partial->scale());
      EXPECT_EQ(full->singular(), partial->singular());
      Field a(*backend, full->space().part().layout(), Precision::fp64),
          b(*backend, full->space().part().layout(), Precision::fp64);
      full->diagonal(a);
      partial->diagonal(b);
      const Vector expected = values(*backend, a);
      Vector bound = expected;
      for (Real& x : bound) x *= 2 * row_roundings * epsilon(Precision::fp64);
      EXPECT_TRUE(within(values(*backend, b), expected, bound));
    }
}

/// The scale brings the inner diagonal of an equidistant grid into [1, 2).
TEST(Operator, ScaleBringsTheDiagonalNearOne) {
  const auto backend = test_backend();
  for (const NamedGrid& grid : {all_grids[0], all_grids[5]})
    for (const Kappa kappa : {Kappa::constant, Kappa::constant_tensor}) {
      const Problem p = make_problem(all_faces().front(), grid, {3, {4, 6, 4}, kappa, Sigma::zero});
      const auto A = Discretization(*backend, p).make_operator(Precision::fp64);
      Field d(*backend, A->space().part().layout(), Precision::fp64);
      A->diagonal(d);
      const Real middle = values(*backend, d)[(2 * 7 + 3) * 5 + 2];
      EXPECT_GE(middle, 1);
      EXPECT_LT(middle, 2);
    }
}

}  // namespace
}  // namespace poisson::operator_tests
