// These tests compare the device under test with the CPU for elements, Galerkin operators, rough coefficients and
// fourth order.

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "tests/agreement.hpp"
#include "tests/smoothing.hpp"

namespace poisson::scheme_agreement_tests {
namespace {

/// The cases are elements in every assembly mode and finite volumes around nodes and cells in full assembly, with
/// points, lines and planes.
class Schemes : public testing::TestWithParam<NamedFaces> {};

TEST_P(Schemes, Agree) {
  std::size_t turn = GetParam().name.size();  // each choice gets another one of the rest
  for (const NamedGrid& grid : {all_grids[0], all_grids[1], all_grids[2]})
    for (const auto& [scheme, centering] :
         {std::pair{Scheme::fv, Centering::node}, std::pair{Scheme::q1, Centering::node},
          std::pair{Scheme::fv, Centering::cell}})
      for (const Kappa kappa :
           {Kappa::constant, Kappa::random, Kappa::random_tensor, Kappa::constant_tensor, Kappa::random_full}) {
        if (scheme == Scheme::fv && kappa == Kappa::random_full) continue;
        ++turn;
        const std::array sizes{std::array{17, 9, 33}, std::array{5, 31, 14}, std::array{33, 6, 7}};
        Choice c;
        c.problem = {turn % 3 == 0 ? 2 : 3,
                     sizes[turn % 3],
                     kappa,
                     std::array{Sigma::zero, Sigma::constant, Sigma::varying}[turn / 2 % 3],
                     centering,
                     scheme};
        c.options.krylov = Krylov::none;
        c.options.tolerance = 0;
        c.options.max_iterations = 5;
        c.options.precision = turn % 2 == 0 ? SolvePrecision::double_ : SolvePrecision::mixed;
        choose(c.options.smoother, std::array{"auto", "red-black", "line", "plane", "chebyshev"}[turn / 3 % 5]);
        const Assembly assembly =
            scheme == Scheme::fv ? Assembly::full
                                 : std::array{Assembly::automatic, Assembly::full, Assembly::partial}[turn / 4 % 3];
        SCOPED_TRACE(grid.name + ", " + describe(c) + ", assembly " + std::to_string(static_cast<int>(assembly)));
        expect_agreement(with_data(GetParam(), grid, c.problem), c.options, grid.name == "geometric", assembly);
      }
}

INSTANTIATE_TEST_SUITE_P(All, Schemes, testing::ValuesIn(all_faces()),
                         [](const auto& test) { return test.param.name; });

/// Galerkin coarse operators are tested below elements and below rows stored as bands. A case has one kind of faces,
/// one grid and one dimension, so that tools that check memory finish a case.
class GalerkinOperators : public testing::TestWithParam<std::tuple<const char*, std::size_t, int>> {};

TEST_P(GalerkinOperators, Agree) {
  const auto& [faces, number, dimension] = GetParam();
  const NamedGrid& grid = all_grids[number];
  for (const auto& [scheme, assembly] : {std::pair{Scheme::q1, Assembly::automatic},
                                         {Scheme::q1, Assembly::partial},
                                         {Scheme::q1, Assembly::full},
                                         {Scheme::fv, Assembly::full}})
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
      Choice c;
      c.problem = {dimension,
                   dimension == 2 ? std::array{33, 21, 1} : std::array{17, 9, 12},
                   scheme == Scheme::q1 && precision == SolvePrecision::mixed ? Kappa::random_full : Kappa::random,
                   dimension == 2 ? Sigma::varying : Sigma::zero,
                   Centering::node,
                   scheme};
      c.options.tolerance = 0;
      c.options.max_iterations = 6;
      c.options.precision = precision;
      c.options.krylov = Krylov::cg;
      c.options.coarse_operator = CoarseOperator::galerkin;
      SCOPED_TRACE(describe(c) + ", assembly " + std::to_string(static_cast<int>(assembly)));
      expect_agreement(with_data(faces_named(faces), grid, c.problem), c.options, false, assembly);
    }
}

INSTANTIATE_TEST_SUITE_P(All, GalerkinOperators,
                         testing::Combine(testing::Values("dirichlet", "mixed", "periodic_xy"),
                                          testing::Values(std::size_t{0}, std::size_t{3}), testing::Values(2, 3)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + all_grids[std::get<1>(test.param)].name +
                                  "_" + std::to_string(std::get<2>(test.param)) + "d";
                         });

/// κ in cells jumps by 10³ at edges and corners. The current bends on coarse faces, on boxes with even and odd numbers
/// of cells.
TEST(Checkerboards, OfCellsAgree) {
  for (const char* const faces : {"dirichlet", "mixed", "periodic_xyz"})
    for (const int dimension : {2, 3})
      for (const std::array<int, 3>& cells : {std::array{32, 32, 32}, std::array{33, 20, 26}})
        for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
          Choice c;
          c.problem = {dimension, cells, Kappa::random, Sigma::zero, Centering::cell};
          c.options.tolerance = 0;
          c.options.max_iterations = 6;
          c.options.precision = precision;
          c.options.krylov = Krylov::cg;
          SCOPED_TRACE(std::string(faces) + ", " + describe(c));
          Problem p = with_data(faces_named(faces), all_grids[0], c.problem);
          p.coefficient[0] = [nodes = p.nodes](double x, double y, double z) {
            const std::array at{x, y, z};
            int blocks = 0;
            for (std::size_t d = 0; d < 3; ++d)
              if (nodes[d].size() > 1)
                blocks += static_cast<int>((at[d] - nodes[d][0]) / (nodes[d][1] - nodes[d][0]) / 4);
            return blocks % 2 ? 1e3 : 1.0;
          };
          expect_agreement(p, c.options, true);
        }
}

/// The cases are the compact scheme in every assembly mode and extrapolated finite volumes, with points, lines and
/// planes.
TEST(FourthOrder, Agrees) {
  Boundary dirichlet, periodic;
  periodic.kind = BoundaryKind::periodic;
  const std::array D{dirichlet, dirichlet}, P{periodic, periodic};
  const std::array<NamedFaces, 5> faces{{{"dirichlet", {D, D, D}},
                                         {"periodic_x", {P, D, D}},
                                         {"periodic_yz", {D, P, P}},
                                         {"periodic_z", {D, D, P}},
                                         {"periodic_xyz", {P, P, P}}}};
  unsigned turn = 0;
  for (const NamedFaces& f : faces)
    for (const bool extrapolate : {false, true})
      for (const int dimension : {2, 3})
        for (const Kappa kappa : {Kappa::constant, Kappa::constant_tensor})
          for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
            ++turn;
            const std::array<int, 3> cells = extrapolate
                                                 ? std::array{34, 16, 22}
                                                 : std::array{std::array{33, 9, 17}, std::array{6, 31, 14}}[turn % 2];
            Choice c;
            c.problem = {dimension,       cells,
                         kappa,           turn / 2 % 2 == 0 ? Sigma::zero : Sigma::constant,
                         Centering::node, extrapolate ? Scheme::fv : Scheme::compact4};
            c.options.tolerance = 0;
            c.options.max_iterations = extrapolate ? 8 : 5;
            c.options.extrapolate = extrapolate;
            c.options.krylov = krylov;
            c.options.precision = turn / 3 % 2 == 0 ? SolvePrecision::double_ : SolvePrecision::mixed;
            choose(c.options.smoother, std::array{"auto", "red-black", "line", "plane"}[turn / 4 % 4]);
            const Assembly assembly = std::array{Assembly::automatic, Assembly::full, Assembly::partial}[turn % 3];
            SCOPED_TRACE(f.name + ", " + describe(c) + ", extrapolate " + std::to_string(extrapolate) + ", assembly " +
                         std::to_string(static_cast<int>(assembly)));
            expect_agreement(with_data(f, all_grids[0], c.problem), c.options, false, assembly);
          }
}

}  // namespace
}  // namespace poisson::scheme_agreement_tests
