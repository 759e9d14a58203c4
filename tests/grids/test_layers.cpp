// Axes of layers must have nodes on the interfaces, although sums are rounded.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/layers.hpp"

namespace poisson::layers_tests {
namespace {

TEST(Layers, HaveNodesOnTheirInterfaces) {
  EXPECT_EQ(layered_nodes(0, std::vector<Layer>{{1.6e-3, 4}, {1e-4, 2}, {5e-4, 1}, {1e-4, 1}}),
            (std::vector<double>{0, 0.4e-3, 0.8e-3, 3 * 1.6e-3 / 4, 1.6e-3, 1.6e-3 + (1.7e-3 - 1.6e-3) / 2, 1.7e-3,
                                 2.2e-3, 2.3e-3}));
  EXPECT_EQ(layered_nodes(-0.3, std::vector<Layer>{{0.1, 1}, {0.2, 1}}), (std::vector<double>{-0.3, -0.2, 0}));
}

TEST(Layers, AddUpWithoutDrift) {
  for (const int count : {7, 1000, 100'000}) {
    const std::vector<double> nodes = layered_nodes(0, std::vector<Layer>(static_cast<std::size_t>(count), {1e-4, 1}));
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(count) + 1);
    for (int i = 0; i <= count; ++i) ASSERT_EQ(nodes[static_cast<std::size_t>(i)], i / 1e4) << i;
  }
  // Thin layers next to thick ones must not vanish, and a decimal number must not replace a third.
  const std::vector<double> nodes = layered_nodes(0, std::vector<Layer>{{1, 1}, {1e-15, 1}, {1. / 3, 2}});
  EXPECT_TRUE(std::ranges::is_sorted(nodes, std::less_equal<>()));
  EXPECT_EQ(layered_nodes(0, std::vector<Layer>{{1. / 3, 1}, {1. / 3, 1}}), (std::vector<double>{0, 1. / 3, 2. / 3}));
}

}  // namespace
}  // namespace poisson::layers_tests
