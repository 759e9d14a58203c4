// Red-black sweeps that write another field process both colours in one pass on a GPU. They must have the bits of
// sweeps in place, which process one colour after the other.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/levels/sharing.hpp"
#include "grids/operators/splitting.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/wave.hpp"

namespace poisson::colour_sweep_tests {
namespace {

constexpr double omega = 1.15;

// By default small grids need one pass per colour. The variable must be set before any thread starts.
const bool small_grids_too = setenv("POISSON_PASS_FROM", "1", 1) == 0;

/// `overlaps` states whether sweeps overlap exchanges on a grid that is cut.
struct Case {
  Case(const Problem& problem, Precision precision, const Sharing& sharing = {}, bool overlaps = false)
      : backend(test_backend()),
        discretization(*backend, problem, Assembly::partial, Sampling::automatic, sharing),
        A(discretization.make_operator(precision)),
        b(*backend, A->space(), precision) {
    backend->set_least_beside(overlaps ? 1 : 0);
    fill(*backend, b, 0);
  }

  /// Returns all unknowns after `sweeps` sweeps, from zero or from a wave and the face data. `apart` provides another
  /// output field, which also stores these data.
  std::vector<double> sweep(int sweeps, bool reversed, bool from_zero, bool apart, std::size_t* kernels = nullptr) {
    Field first(*backend, A->space(), A->precision()), second(*backend, A->space(), A->precision());
    if (!from_zero)
      for (Field* f : {&first, &second}) discretization.initialize(*f);
    fill(*backend, first, 1);
    fill(*backend, second, 2);
    const std::vector<PolynomialStep> steps(static_cast<std::size_t>(sweeps), {omega, 0});
    const auto splitting = A->split_by_colours();
    Iterate u{&first, apart ? &second : &first, from_zero};
    splitting->take(steps, reversed, b, u);
    EXPECT_FALSE(u.zero);
    std::vector<double> result;
    dispatch(A->precision(), [&]<class T>(T) {
      const Image<T> image(*backend, *u.now);
      const Box& own = A->space().part().unknowns();
      for (int k = own.first[2]; k < own.last[2]; ++k)
        for (int j = own.first[1]; j < own.last[1]; ++j)
          for (int i = own.first[0]; i < own.last[0]; ++i) result.push_back(static_cast<double>(image.view(i, j, k)));
    });
    if (kernels) {
      std::unique_ptr<Recording> recording;
      backend->prepare(recording, [&] { splitting->take(steps, reversed, b, u); });
      if (recording) *kernels = recording->kernels();
    }
    return result;
  }

  std::unique_ptr<Backend> backend;
  Discretization discretization;
  std::unique_ptr<Operator> A;
  Field b;
};

/// Sizes are even, odd and prime, narrower than a tile's reach, several tiles along each axis and several slabs, and
/// planes.
const std::vector<std::array<int, 3>> shapes{{13, 37, 29}, {70, 5, 11},   {3, 26, 22}, {26, 2, 30},  {131, 34, 33},
                                             {66, 30, 68}, {125, 15, 12}, {2, 64, 12}, {62, 16, 150}};

TEST(ColourSweep, HasTheBitsOfSweepsInPlace) {
  ASSERT_TRUE(small_grids_too);
  std::size_t turn = 0;
  for (const NamedFaces& faces : all_faces())
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Kappa kappa : {Kappa::random, Kappa::random_tensor})
        for (const Precision precision : {Precision::fp64, Precision::fp32}) {
          const Sigma sigma = std::array{Sigma::zero, Sigma::constant, Sigma::varying}[turn / 5 % 3];
          const NamedGrid& grid = all_grids[turn % 3];
          const std::array<int, 3>& cells = shapes[turn % shapes.size()];
          const bool reversed = turn / 2 % 2 == 1, from_zero = turn / 4 % 2 == 1;
          const int sweeps = 1 + static_cast<int>(turn / 8 % 3);
          ++turn;
          SCOPED_TRACE(faces.name + ", " + grid.name + ", choice " + std::to_string(turn));
          Case c(with_data(faces, grid, {.cells = cells, .kappa = kappa, .sigma = sigma, .centering = centering}),
                 precision);
          EXPECT_EQ(c.sweep(sweeps, reversed, from_zero, true), c.sweep(sweeps, reversed, from_zero, false));
        }
}

/// A grid cut along any axes must have the bits of an uncut one.
TEST(ColourSweep, OfSubBlocksHasTheBitsOfTheGlobalGrid) {
  std::size_t turn = 0;
  for (const char* name : {"dirichlet", "robin_varying", "periodic_z", "periodic_xy", "mixed"})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const std::array<int, 3>& parts :
           {std::array{1, 1, 2}, std::array{1, 1, 3}, std::array{2, 1, 1}, std::array{1, 2, 2}}) {
        const bool reversed = turn % 2 == 1, from_zero = turn / 2 % 2 == 1;
        const Precision precision = turn / 3 % 2 == 1 ? Precision::fp64 : Precision::fp32;
        const std::array<int, 3> cells =
            turn % 3 == 0 ? std::array{22, 34, 4 * parts[2]} : std::array{70, 18, 10 * parts[2]};
        ++turn;
        SCOPED_TRACE(std::string(name) + ", choice " + std::to_string(turn));
        const std::vector<NamedFaces> faces = all_faces();
        const Problem problem = with_data(*std::ranges::find(faces, name, &NamedFaces::name), all_grids[turn % 3],
                                          {.cells = cells, .kappa = Kappa::random, .centering = centering});
        Case whole(problem, precision);
        const std::vector<double> all = whole.sweep(2, reversed, from_zero, false);
        const Box box = whole.A->space().part().unknowns();
        as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
          Case part(problem, precision, {processes, parts, 300}, turn % 2 == 0);
          const std::vector<double> own = part.sweep(2, reversed, from_zero, true);
          const Box& unknowns = part.A->space().part().unknowns();
          const auto& origin = part.A->space().part().origin();
          std::size_t at = 0, wrong = 0;
          ASSERT_EQ(own.size(), static_cast<std::size_t>(unknowns.size()));
          for (int k = unknowns.first[2]; k < unknowns.last[2]; ++k)
            for (int j = unknowns.first[1]; j < unknowns.last[1]; ++j)
              for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) {
                const std::array in_whole{i + origin[0] - box.first[0], j + origin[1] - box.first[1],
                                          k + origin[2] - box.first[2]};
                const auto n = static_cast<std::size_t>((in_whole[2] * (box.last[1] - box.first[1]) + in_whole[1]) *
                                                            (box.last[0] - box.first[0]) +
                                                        in_whole[0]);
                wrong += own[at++] != all[n];
              }
          EXPECT_EQ(wrong, 0u);
        });
      }
}

/// With another output field, a GPU must process both colours in one kernel.
TEST(ColourSweep, IsOneKernelOnAGpu) {
  for (const Centering centering : {Centering::node, Centering::cell}) {
    Case c(with_data(all_faces().front(), all_grids[0],
                     {.cells = {20, 18, 16}, .kappa = Kappa::random, .centering = centering}),
           Precision::fp32);
    if (!c.backend->on_gpu()) GTEST_SKIP() << "no kernels are counted";
    std::size_t in_place = 0, apart = 0;
    c.sweep(3, false, false, false, &in_place);
    c.sweep(3, false, false, true, &apart);
    EXPECT_EQ(in_place, 6u);
    EXPECT_EQ(apart, 3u);
  }
}

}  // namespace
}  // namespace poisson::colour_sweep_tests
