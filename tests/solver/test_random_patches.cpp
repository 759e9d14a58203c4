// Grids of random sizes and periodic axes that are cut at random places must be solved as the whole grid.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/patched_solve.hpp"

namespace poisson::random_patches_tests {
namespace {

using namespace poisson::patched;

struct Case {
  Problem problem;
  PatchedModel::Widths slabs, boxes;
  std::vector<Orientation> turns;  // of the boxes
  int count;                       // processes
};

class Cases {
 public:
  explicit Cases(unsigned seed) : random_(seed) {}

  Case next() {
    Case c;
    std::array<int, 3> n{};
    std::array<bool, 3> periodic{};
    for (std::size_t d = 0; d < 3; ++d) {
      n[d] = between(d == 2 ? 24 : 9, d == 2 ? 70 : 30);
      periodic[d] = between(0, 2) == 0;
    }
    const Kind kind{Scheme::fv, between(0, 1) == 0 ? Centering::node : Centering::cell, between(0, 1) == 0};
    c.problem = problem_of(kind, periodic, between(0, 1) == 0, n);
    c.problem.reaction = 0.01;  // a grid may have no open face
    c.count = between(1, 4);
    c.slabs = {{{}, {}, cut(n[2], between(std::max(2, c.count), 5))}};
    c.boxes = {{cut(n[0], 2), cut(n[1], between(1, 2)), cut(n[2], between(c.count, 4))}};
    std::size_t patches = 1;
    for (const std::vector<int>& widths : c.boxes) patches *= widths.size();
    for (std::size_t p = 0; p < patches; ++p)
      c.turns.push_back(Orientation::number(between(0, static_cast<int>(Orientation::count) - 1)));
    return c;
  }

 private:
  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  // Returns random widths of at least 4.
  std::vector<int> cut(int n, int count) {
    std::vector<int> widths(static_cast<std::size_t>(count), 4);
    for (int left = n - 4 * count; left > 0; --left)
      ++widths[static_cast<std::size_t>(between(0, 3) == 0 ? between(0, count - 1) : (n / 7 + left / 5) % count)];
    return widths;
  }

  std::mt19937 random_;
};

TEST(RandomPatches, AgreeWithTheWholeGrid) {
  Cases cases(20261128);
  for (int at = 0; at < 16; ++at) {
    const Case c = cases.next();
    SCOPED_TRACE(testing::Message() << "case " << at << ", " << c.count << " processes");
    const Solution whole = solve_whole(c.problem);
    const Solution slabs = solve_patches(c.problem, c.slabs, c.count);
    EXPECT_EQ(slabs.levels, whole.levels);
    EXPECT_EQ(slabs.history, whole.history);
    EXPECT_EQ(slabs.u, whole.u);

    const Solution boxes = solve_patches(c.problem, c.boxes, c.count, c.turns);
    EXPECT_EQ(boxes.levels, whole.levels);
    EXPECT_NEAR(boxes.iterations, whole.iterations, 1);
    double size = 0, largest = 0;
    for (std::size_t i = 0; i < whole.u.size(); ++i) {
      size = std::max(size, std::abs(whole.u[i]));
      largest = std::max(largest, std::abs(boxes.u[i] - whole.u[i]));
    }
    EXPECT_LE(largest, 1e-8 * size);
  }
}

}  // namespace
}  // namespace poisson::random_patches_tests
