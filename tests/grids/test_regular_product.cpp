// The unrolled formulas of Galerkin levels give what the loops over all couplings give.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/cpu/galerkin_multiply.hpp"
#include "grids/rows/regular_product.hpp"

namespace poisson::regular_product_tests {
namespace {

/// Values of a grid and of a halo of two.
struct Values {
  explicit Values(const std::array<int, 3>& n) {
    view.sy = n[0] + 4;
    view.sz = view.sy * (n[1] + 4);
    memory.resize(static_cast<std::size_t>(view.sz) * static_cast<std::size_t>(n[2] + 4));
    view.data = memory.data() + 2 + 2 * view.sy + 2 * view.sz;
    for (std::size_t d = 0; d < 3; ++d) {
      view.n[d] = n[d];
      view.halo[d] = 2;
    }
  }
  std::vector<double> memory;
  View<double> view;
};

struct Case {
  std::string name;
  int dimension;
  bool star;
  double decades;
  int kept = -1;  ///< the axis that the coarse level keeps
};

/// A fine level with random couplings; an even number of values ends in two coarse ones beside each other.
class Levels {
 public:
  Levels(const Case& c, std::array<int, 3> fine) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform;
    std::array<int, 3> coarse{};
    for (std::size_t d = 0; d < 3; ++d) {
      product.fine_n[d] = fine[d];
      const bool kept = static_cast<int>(d) == c.kept;
      coarse[d] = fine[d] == 1 ? 1 : kept ? fine[d] : fine[d] / 2 + 1;
      product.coarse_n[d] = coarse[d];
      product.coarsened[d] = fine[d] > 1 && !kept;
      product.single[d] = fine[d] == 1;
      centres_[d].push_back(GalerkinProduct::none);
      for (int I = 0; I < coarse[d]; ++I) centres_[d].push_back(kept ? I : std::min(2 * I, fine[d] - 1));
      centres_[d].push_back(GalerkinProduct::none);
      product.centre[d] = centres_[d].data() + 1;
    }
    values_.reserve(60);
    const auto make = [&](const std::array<int, 3>& n) { return values_.emplace_back(n).view; };
    const View<double> sum = make(fine);
    const auto for_each = [&](const auto& visit) {
      for (int k = 0; k < fine[2]; ++k)
        for (int j = 0; j < fine[1]; ++j)
          for (int i = 0; i < fine[0]; ++i) visit(i, j, k);
    };
    for_each([&](int i, int j, int k) { sum(i, j, k) = uniform(random) < 0.1 ? 0.1 : 0; });
    product.sum = sum;
    for (int q = 14; q < 27; ++q) {
      const std::array<int, 3> o{offset_of(q, 0), offset_of(q, 1), offset_of(q, 2)};
      const int along = std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]);
      if ((c.star && along > 1) || (c.dimension == 2 && o[2] != 0)) continue;
      const View<double> band = make(fine);
      for_each([&](int i, int j, int k) {
        const bool exists =
            i + o[0] >= 0 && i + o[0] < fine[0] && j + o[1] >= 0 && j + o[1] < fine[1] && k + o[2] < fine[2];
        if (exists) band(i, j, k) = std::pow(10.0, c.decades * uniform(random)) * (uniform(random) < 0.05 ? -0.1 : 1);
      });
      product.band[q - 14] = band;
      product.link[product.links++] = q;
      product.link[product.links++] = 26 - q;
    }
    for (int code = 0; code < 27; ++code) {
      if (code == 13 || (c.dimension == 2 && offset_of(code, 2) != 0)) continue;
      if (c.kept < 0 || offset_of(code, c.kept) == 0) product.weight[code] = make(coarse);
      if (code > 13) product.coarse_band[code - 14] = make(coarse);
    }
    product.coarse_sum = make(coarse);
  }

  /// All weights, then all couplings and row sums; how many coarse values are regular.
  template <class Regular>
  std::vector<double> run(int& regular) {
    const auto for_each = [&](const auto& visit) {
      for (int K = 0; K < product.coarse_n[2]; ++K)
        for (int J = 0; J < product.coarse_n[1]; ++J)
          for (int I = 0; I < product.coarse_n[0]; ++I) visit(I, J, K);
    };
    regular = 0;
    for_each([&](int I, int J, int K) {
      weigh_any<Regular>(product, I, J, K);
      regular += Regular::regular(product, 0, I) && Regular::regular(product, 1, J) && Regular::regular(product, 2, K);
    });
    cpu::multiply_all<Regular>(product);  // compiled with the kernels: the unrolled products take long
    std::vector<double> found;
    for_each([&](int I, int J, int K) {
      for (const auto& w : product.weight)
        if (w.data) found.push_back(w(I, J, K));
      for (const auto& band : product.coarse_band)
        if (band.data) found.push_back(band(I, J, K));
      found.push_back(product.coarse_sum(I, J, K));
    });
    return found;
  }

  GalerkinProduct product{};

 private:
  std::array<std::vector<int>, 3> centres_;
  std::vector<Values> values_;
};

class RegularFormulas : public testing::TestWithParam<Case> {};

TEST_P(RegularFormulas, GiveWhatAllLoopsGive) {
  const Case& c = GetParam();
  Levels levels(c, {11, 8, c.dimension == 3 ? 9 : 1});
  int regular = 0, none = 0;
  const std::vector<double> wanted = levels.run<NoRegularProduct>(none);
  bool served = false;
  with_regular_product(levels.product, [&]<class Regular>(Regular) {
    served = !std::is_same_v<Regular, NoRegularProduct>;
    const std::vector<double> found = levels.run<Regular>(regular);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], wanted[i], 1e-13 * std::abs(wanted[i])) << "number " << i;
  });
  EXPECT_TRUE(served);
  EXPECT_EQ(none, 0);
  std::array<int, 3> of_axis{4, 2, c.dimension == 3 ? 3 : 1};  // the ends are not regular
  if (c.kept >= 0) of_axis[static_cast<std::size_t>(c.kept)] = levels.product.coarse_n[c.kept] - 2;
  EXPECT_EQ(regular, of_axis[0] * of_axis[1] * of_axis[2]);
  EXPECT_GT(*std::ranges::max_element(wanted), 0.5);
}

INSTANTIATE_TEST_SUITE_P(
    All, RegularFormulas,
    testing::Values(Case{"star_in_space", 3, true, 1}, Case{"box_in_space", 3, false, 1},
                    Case{"star_in_the_plane", 2, true, 1}, Case{"box_in_the_plane", 2, false, 1},
                    Case{"rough_star_in_space", 3, true, 6}, Case{"rough_box_in_space", 3, false, 6},
                    Case{"rough_star_in_the_plane", 2, true, 6}, Case{"rough_box_in_the_plane", 2, false, 6},
                    Case{"rough_star_that_keeps_x", 3, true, 6, 0}, Case{"rough_star_that_keeps_y", 3, true, 6, 1},
                    Case{"rough_star_that_keeps_z", 3, true, 6, 2}, Case{"rough_box_that_keeps_x", 3, false, 6, 0},
                    Case{"rough_box_that_keeps_y", 3, false, 6, 1}, Case{"rough_box_that_keeps_z", 3, false, 6, 2}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poisson::regular_product_tests
