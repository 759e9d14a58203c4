// Steps of the functions of expressions must count as jumps of κ, on the host and in code compiled for a device.

#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/schemes/discretization.hpp"
#include "io/expressions/expression.hpp"
#include "tests/device.hpp"

namespace poisson::expression_steps_tests {
namespace {

// On a board of four by four squares κ jumps in 3 of the 16 cells of every line.
TEST(ExpressionSteps, AreJumpsOfTheCoefficient) {
  const auto backend = test_backend();
  for (const char* text : {"1 + 99*fmod(floor(4*x) + floor(4*y), 2)", "fmod(ceil(4*x) + ceil(4*y), 2) == 0 ? 1 : 100",
                           "(fmod(4*x, 2) < 1) == (fmod(4*y, 2) < 1) ? 1 : 100"}) {
    for (const Scheme scheme : {Scheme::fv, Scheme::q1}) {
      Problem p;
      p.dimension = 2;
      p.scheme = scheme;
      p.nodes = {uniform_nodes(0, 1, 16), uniform_nodes(0, 1, 16), {}};
      p.coefficient[0] = parse_expression(text);
      const Jumps jumps = Discretization(*backend, std::as_const(p), Assembly::automatic, Sampling::device).jumps();
      EXPECT_EQ(jumps.largest, 100) << text;
      EXPECT_EQ(jumps.range, 100) << text;
      for (const std::size_t axis : {0, 1}) EXPECT_EQ(jumps.steep_along[axis], 3.0 / 16) << text;
    }
  }
}

}  // namespace
}  // namespace poisson::expression_steps_tests
