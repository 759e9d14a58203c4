// The probe of an operator must tell the neighbours of each row apart by their colours, on any size of any axis.

#include <array>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "grids/rows/stencil_probe.hpp"

namespace poisson::stencil_probe_tests {
namespace {

Layout layout_of(const std::array<int, 3>& n, const std::array<bool, 3>& periodic) {
  Layout layout;
  layout.n = n;
  layout.periodic = periodic;
  return layout;
}

std::vector<std::array<int, 3>> neighbours(bool star) {
  std::vector<std::array<int, 3>> all;
  for (int z = -1; z < 2; ++z)
    for (int y = -1; y < 2; ++y)
      for (int x = -1; x < 2; ++x)
        if (!star || std::abs(x) + std::abs(y) + std::abs(z) < 2) all.push_back({x, y, z});
  return all;
}

// Calls f(n, periodic) for planes and boxes of small sizes.
template <class F>
void for_each_grid(const F& f) {
  for (const int x : {1, 2, 3, 4, 5, 7, 8, 12, 13, 14, 17, 20, 26})
    for (const int y : {1, 3, 5, 10, 13, 14, 16})
      for (const int z : {1, 4, 6, 15})
        for (int closed = 0; closed < 8; ++closed)
          f(std::array{x, y, z}, std::array{(closed & 1) != 0, (closed & 2) != 0, (closed & 4) != 0});
}

TEST(StencilProbe, GivesTheNeighboursOfARowDifferentColours) {
  for (const bool star : {true, false})
    for_each_grid([&](const std::array<int, 3>& n, const std::array<bool, 3>& periodic) {
      const StencilProbe probe(Space(layout_of(n, periodic)), star);
      const auto offsets = neighbours(star);
      bool apart = true;
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i) {
            std::set<std::array<int, 3>> places;
            std::set<int> colours;
            for (const auto& o : offsets) {
              std::array<int, 3> at{i + o[0], j + o[1], k + o[2]};
              bool exists = true;
              for (std::size_t d = 0; d < 3; ++d) {
                if (periodic[d]) at[d] = (at[d] + n[d]) % n[d];
                exists = exists && at[d] >= 0 && at[d] < n[d];
              }
              if (!exists) continue;
              places.insert(at);
              const int colour = probe.colour_of(at[0], at[1], at[2]);
              apart = apart && colour >= 0 && colour < probe.colours();
              colours.insert(colour);
            }
            apart = apart && colours.size() == places.size();
          }
      EXPECT_TRUE(apart) << n[0] << " x " << n[1] << " x " << n[2] << ", periodic " << periodic[0] << periodic[1]
                         << periodic[2] << (star ? ", star" : ", box");
    });
}

TEST(StencilProbe, NeedsFewColoursOnLargeAxes) {
  for (const int n : {13, 26, 110, 499, 500, 512}) {
    EXPECT_EQ(StencilProbe(Space(layout_of({n, n, n}, {true, true, true})), true).colours(), 13);
    EXPECT_EQ(StencilProbe(Space(layout_of({n, n, n}, {true, false, true})), true).colours(), 11);
    EXPECT_EQ(StencilProbe(Space(layout_of({n, n, n}, {false, false, false})), true).colours(), 7);
    EXPECT_EQ(StencilProbe(Space(layout_of({n, n, 1}, {true, true, false})), true).colours(), 9);
    EXPECT_LE(StencilProbe(Space(layout_of({n, n, n}, {true, true, true})), false).colours(), 64);
  }
}

// Lines must visit the rows that single rows find.
TEST(StencilProbe, GathersLinesAsRows) {
  const auto backend = make_cpu_backend();
  for_each_grid([&](const std::array<int, 3>& n, const std::array<bool, 3>& periodic) {
    const Space space(layout_of(n, periodic));
    StencilProbe probe(space, true);
    if (!probe.is_star()) return;
    Field product(*backend, space, Precision::fp64), unit(*backend, space, Precision::fp64);
    std::array<Field, 6> bands;
    for (Field& band : bands) band = Field(*backend, space, Precision::fp64);
    const auto view = product.view<double>(), painted = unit.view<double>();
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) view(i, j, k) = 1 + i + 100 * j + 10000 * k;
    probe.product = view;
    const std::array<int, 3> codes{14, 16, 22};
    bool same = true;
    for (probe.colour = 0; probe.colour < probe.colours(); ++probe.colour) {
      for (std::size_t d = 0; d < 3; ++d)
        probe.band[codes[d] - 14] = n[d] > 1 ? bands[d].view<double>() : View<double>();
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j) {
          for (int i = 0; i < n[0]; ++i) probe.gather(i, j, k);
          probe.paint_line(j, k, painted);
          for (int i = 0; i < n[0]; ++i) same = same && painted(i, j, k) == probe.unit(i, j, k);
        }
      for (std::size_t d = 0; d < 3; ++d)
        probe.band[codes[d] - 14] = n[d] > 1 ? bands[3 + d].view<double>() : View<double>();
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j) probe.gather_line(j, k);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const auto by_row = bands[d].view<double>(), by_line = bands[3 + d].view<double>();
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i) same = same && by_row(i, j, k) == by_line(i, j, k);
    }
    EXPECT_TRUE(same) << n[0] << " x " << n[1] << " x " << n[2] << ", periodic " << periodic[0] << periodic[1]
                      << periodic[2];
  });
}

}  // namespace
}  // namespace poisson::stencil_probe_tests
