// On large fields and long lines a GPU uses other kernels than for small ones.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"

namespace poisson::long_lines_tests {
namespace {

struct Size {
  std::string name;
  int dimension;
  std::array<int, 3> cells;
  std::vector<int> axes;
};
void PrintTo(const Size& size, std::ostream* out) {
  *out << size.name;
}

class LongLines : public testing::TestWithParam<Size> {};

/// Checks x = B⁻¹ r on separate lines: if x is nonzero only on every third line, A x is B x there.
TEST_P(LongLines, AreSolved) {
  const Size& size = GetParam();
  const auto backend = test_backend();
  for (const bool varying : {false, true}) {
    Problem p;
    p.dimension = size.dimension;
    for (int d = 0; d < size.dimension; ++d)
      for (int i = 0; i <= size.cells[static_cast<std::size_t>(d)]; ++i)
        p.nodes[static_cast<std::size_t>(d)].push_back(i + 0.2 * std::sin(1.0 * i));
    if (varying) p.coefficient[0] = [](double x, double y, double z) { return 1.5 + std::sin(x + 2 * y + 3 * z); };
    const Discretization d(*backend, std::as_const(p));
    for (const Precision precision : {Precision::fp64, Precision::fp32})
      for (const int axis : size.axes) {
        SCOPED_TRACE(testing::Message() << (varying ? "varying, " : "constant, ") << "axis " << axis << ", precision "
                                        << static_cast<int>(precision));
        const auto A = d.make_operator(precision);
        Field r(*backend, A->space().part().layout(), precision), x(*backend, A->space().part().layout(), precision),
            apart(*backend, A->space().part().layout(), precision),
            product(*backend, A->space().part().layout(), precision);
        const Box box = A->space().part().unknowns();
        const auto n = A->space().part().layout().n;
        const auto on_every_third = [&](int i, int j, int k) {
          const std::array at{i, j, k};
          for (int e = 0; e < 3; ++e)
            if (e != axis && at[static_cast<std::size_t>(e)] % 3 != 1 && n[static_cast<std::size_t>(e)] > 1)
              return false;
          return true;
        };
        const auto each = [&](const auto& f) {
          std::size_t m = 0;
          for (int k = 0; k < n[2]; ++k)
            for (int j = 0; j < n[1]; ++j)
              for (int i = 0; i < n[0]; ++i, ++m) {
                const std::array at{i, j, k};
                bool unknown = true;
                for (std::size_t e = 0; e < 3; ++e) unknown = unknown && at[e] >= box.first[e] && at[e] < box.last[e];
                f(m, unknown, unknown && on_every_third(i, j, k));
              }
        };
        Vector right = Random(3).vector(static_cast<std::size_t>(A->space().part().layout().size()));
        each([&](std::size_t m, bool unknown, bool) { right[m] *= unknown ? 1 : 0; });
        right = set_values(*backend, r, right);
        backend->fill(x, 0);
        A->split(Relaxation::of_lines(axis))->start(1, r, x);
        Vector solution = values(*backend, x);
        each([&](std::size_t m, bool, bool chosen) { solution[m] *= chosen ? 1 : 0; });
        set_values(*backend, apart, solution);
        A->apply(apart, product);
        const Vector found = values(*backend, product);
        Real worst = 0;
        std::size_t compared = 0;
        each([&](std::size_t m, bool, bool chosen) {
          if (!chosen) return;
          worst = std::max(worst, std::abs(found[m] - right[m]));
          ++compared;
        });
        EXPECT_GT(compared, 1000u);
        EXPECT_LE(worst, 100 * epsilon(precision));
        // For all lines together the test checks u + alpha B⁻¹(b − A u) with u = x.
        Field b(*backend, A->space().part().layout(), precision), next(*backend, A->space().part().layout(), precision);
        A->apply(x, b);
        const Vector product_of_x = values(*backend, b);
        for (std::size_t m = 0; m < right.size(); ++m) right[m] += product_of_x[m];
        set_values(*backend, b, right);
        backend->fill(next, 0);
        A->split(Relaxation::of_lines(axis))->step({1, 0}, x, b, next);
        const Vector stepped = values(*backend, next), once = values(*backend, x);
        Real off = 0, largest = 0;
        each([&](std::size_t m, bool unknown, bool) {
          if (!unknown) return;
          off = std::max(off, std::abs(stepped[m] - 2 * once[m]));
          largest = std::max(largest, std::abs(once[m]));
        });
        EXPECT_LE(off, 200 * epsilon(precision) * std::max(Real{1}, largest));
      }
  }
}
INSTANTIATE_TEST_SUITE_P(All, LongLines,
                         testing::Values(Size{"large", 3, {129, 97, 90}, {0, 1, 2}},
                                         Size{"along_x", 2, {8101, 7, 1}, {0}}, Size{"along_y", 2, {7, 3001, 1}, {1}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace poisson::long_lines_tests
