// Several Jacobi sweeps in one pass must have the bits of separate sweeps.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/sweep_passes.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"

namespace poisson::sweep_pass_tests {
namespace {

constexpr double omega = 0.8;

/// Contains the fields of one problem: u with face data, and b with zeros outside the unknowns.
struct Sweeps {
  Sweeps(const Problem& problem, Precision precision)
      : backend(test_backend()),
        discretization(*backend, problem),
        A(discretization.make_operator(precision)),
        pass(make_sweep_pass(*backend, discretization.scheme_rows(), precision)) {
    for (Field* f : {&u, &b, &next, &other}) *f = Field(*backend, A->space(), precision);
    discretization.initialize(u);
    Random random(5);
    dispatch(precision, [&]<class T>(T) {
      for (Field* f : {&u, &b}) {
        const Image<T> image(*backend, *f);
        const Box& box = A->space().part().unknowns();
        for (int k = box.first[2]; k < box.last[2]; ++k)
          for (int j = box.first[1]; j < box.last[1]; ++j)
            for (int i = box.first[0]; i < box.last[0]; ++i) image.view(i, j, k) = static_cast<T>(random());
        image.store(*backend);
      }
    });
  }

  /// Makes `sweeps` separate sweeps and leaves u in `next`; `other` is a work field.
  void one_by_one(int sweeps) {
    const auto splitting = A->split();
    Field *from = &other, *to = &next;
    if (sweeps % 2 == 0) std::swap(from, to);
    for (Field* f : {from, to}) backend->convert(u, *f);
    for (int s = 0; s < sweeps; ++s) {
      splitting->step({omega, 0}, *from, b, *to);
      std::swap(from, to);
    }
  }

  /// Returns whether sweeps are separate: on a GPU, if κ is stored in three dimensions or the grid is small enough for
  /// shared launches.
  bool without_pass() const {
    if (!backend->on_gpu()) return false;
    const bool stored = std::visit([](const auto& own) { return own.variable(); }, discretization.scheme_rows());
    return A->space().part().unknowns().size() <= 1024 || (stored && A->space().part().layout().n[2] != 1);
  }

  std::unique_ptr<Backend> backend;
  Discretization discretization;
  std::unique_ptr<Operator> A;
  std::unique_ptr<SweepPass> pass;
  Field u, b, next, other;
};

std::vector<Real> everywhere(Backend& backend, const Field& u) {
  return values(backend, u);
}

void expect_same_bits(const Problem& problem, Precision precision) {
  Sweeps s(problem, precision);
  ASSERT_EQ(s.pass == nullptr, s.without_pass());
  if (!s.pass) return;
  s.one_by_one(s.pass->sweeps());
  const std::vector<Real> expected = everywhere(*s.backend, s.next);
  Scalar norm = s.backend->scalar(), known = s.backend->scalar(), one = s.backend->scalar(1);
  for (Scalar* asked : {static_cast<Scalar*>(nullptr), &norm}) {
    s.backend->convert(s.u, s.next);
    s.pass->take(omega, s.u, s.b, s.next, asked);
    EXPECT_EQ(everywhere(*s.backend, s.next), expected) << (asked ? "with its norm" : "without a norm");
  }
  s.A->residual(s.u, s.b, s.other, one, known);
  const double a = s.backend->value(norm), b = s.backend->value(known);
  if (s.backend->on_gpu())
    EXPECT_NEAR(a, b, (precision == Precision::fp32 ? 1e-5 : 1e-13) * b);
  else
    EXPECT_EQ(a, b);
}

struct Shape {
  int dimension;
  std::array<int, 3> cells;
};
/// Sizes are even, odd and prime, narrower than the reach of a pass, and large enough for all threads with several
/// tiles each.
const std::vector<Shape> shapes{{3, {13, 37, 29}}, {3, {70, 5, 11}},   {3, {3, 26, 2}},   {2, {53, 31, 1}},
                                {2, {2, 7, 1}},    {3, {131, 33, 34}}, {2, {300, 331, 1}}};

TEST(SweepPass, HasTheBitsOfItsSweeps) {
  std::size_t turn = 0;
  for (const NamedFaces& faces : all_faces())
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Kappa kappa : {Kappa::constant, Kappa::constant_tensor, Kappa::random, Kappa::random_tensor})
        for (const Precision precision : {Precision::fp64, Precision::fp32}) {
          const NamedGrid& grid = all_grids[turn % 3];
          const Shape& shape = shapes[turn % shapes.size()];
          const Sigma sigma = std::array{Sigma::zero, Sigma::constant, Sigma::varying}[turn / 2 % 3];
          ++turn;
          SCOPED_TRACE(faces.name + ", " + grid.name + ", choice " + std::to_string(turn));
          expect_same_bits(with_data(faces, grid,
                                     {.dimension = shape.dimension,
                                      .cells = shape.cells,
                                      .kappa = kappa,
                                      .sigma = sigma,
                                      .centering = centering}),
                           precision);
        }
}

/// A CPU writes large fields past its caches. A pass of twelve sweeps needs threads with many lines.
TEST(SweepPass, HasTheBitsOfItsSweepsInLargeFields) {
  for (const Kappa kappa : {Kappa::constant, Kappa::random})
    for (const Precision precision : {Precision::fp64, Precision::fp32})
      expect_same_bits(
          with_data(all_faces().front(), all_grids[1], {.dimension = 2, .cells = {1101, 1003, 1}, .kappa = kappa}),
          precision);
}

/// Sets all values to NaN that are neither unknowns nor face data.
void spoil(Backend& backend, Field& x) {
  const Image<double> before(backend, x);
  Image<double> image(backend, x);
  std::ranges::fill(image.memory, std::numeric_limits<double>::quiet_NaN());
  for_each_value(image.view, true, [&](int i, int j, int k) {
    const std::array at{i, j, k};
    bool open = false, outside = false;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool beyond = at[d] < 0 || at[d] >= image.view.n[d];
      outside = outside || beyond;
      open = open || (beyond && !x.layout().periodic[d]);
    }
    if (open || !outside) image.view(i, j, k) = before.view(i, j, k);
  });
  image.store(backend);
}

/// No pass may read padding or the halo of periodic axes, so NaN there must not change any bit.
TEST(SweepPass, ReadsNoPadding) {
  for (const NamedFaces& faces : all_faces())
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Kappa kappa : {Kappa::constant, Kappa::random})
        for (const Shape& shape : {shapes[0], shapes[3]}) {  // large enough for a GPU
          const Problem problem =
              with_data(faces, all_grids[0],
                        {.dimension = shape.dimension, .cells = shape.cells, .kappa = kappa, .centering = centering});
          Sweeps s(problem, Precision::fp64);
          if (!s.pass) continue;  // a pass may not exist if κ or α is stored
          s.backend->convert(s.u, s.next);
          s.pass->take(omega, s.u, s.b, s.next, nullptr);
          const std::vector<Real> expected = everywhere(*s.backend, s.next);
          spoil(*s.backend, s.u);
          spoil(*s.backend, s.b);
          s.pass->take(omega, s.u, s.b, s.next, nullptr);
          EXPECT_EQ(everywhere(*s.backend, s.next), expected)
              << faces.name << ", cells " << (centering == Centering::cell) << ", κ " << static_cast<int>(kappa);
        }
}

/// On a CPU a pass helps from half a megabyte per field, or if κ is stored.
TEST(SweepPass, IsUsedForFieldsLargerThanCaches) {
  const auto backend = test_backend();
  const auto worth = [&](const ProblemChoice& choice, Precision precision) {
    const Discretization discretization(*backend, with_data(all_faces().front(), all_grids[1], choice));
    return is_pass_worth_it(*backend, discretization.scheme_rows(), precision);
  };
  const ProblemChoice plane{.dimension = 2, .cells = {301, 303, 1}}, small{.cells = {19, 12, 15}};
  EXPECT_TRUE(worth(plane, Precision::fp64));
  EXPECT_EQ(worth(plane, Precision::fp32), backend->on_gpu());
  EXPECT_EQ(worth(small, Precision::fp64), backend->on_gpu());
  EXPECT_TRUE(worth({.cells = small.cells, .kappa = Kappa::random}, Precision::fp32));
}

/// An operator whose rows cannot be rebuilt has no pass.
TEST(SweepPass, IsAvailableForFiniteVolumes) {
  ProblemChoice elements;
  elements.scheme = Scheme::q1;
  const auto backend = test_backend();
  const Discretization discretization(*backend, make_problem(all_faces()[0], all_grids[0], elements));
  EXPECT_EQ(make_sweep_pass(*backend, discretization.scheme_rows(), Precision::fp64), nullptr);
}

}  // namespace
}  // namespace poisson::sweep_pass_tests
