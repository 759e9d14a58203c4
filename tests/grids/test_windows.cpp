// On a grid cut into patches, exchanges must give each patch the values that it reads.

#include "tests/fields.hpp"

namespace poisson::windows_tests {
namespace {

Cuts cuts_of(const Layout& layout, const std::array<int, 3>& parts) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(p * layout.n[d] / parts[d] + p % 2);
  return cuts;
}

// Returns the values of a field, including its halo, that lie in a patch of another space and its halo.
Field part_of(Backend& backend, const Field& whole, const Space& space) {
  const auto host = make_cpu_backend();
  const HostRead read(whole);
  Field part(*host, space, whole.precision());
  dispatch(whole.precision(), [&]<class T>(T) {
    const auto from = (*read).view<T>();
    const auto to = part.view<T>();
    const auto& at = space.part().origin();
    for_each_value(to, true, [&](int i, int j, int k) {
      const std::array place{i + at[0], j + at[1], k + at[2]};
      for (std::size_t d = 0; d < 3; ++d)
        if (place[d] < -from.halo[d] || place[d] >= from.n[d] + from.halo[d]) return;
      to(i, j, k) = from(place[0], place[1], place[2]);
    });
  });
  Field there(backend, space, whole.precision());
  transfer(part, there);
  return there;
}

/// After an exchange, the halo of a patch, with edges and corners, must equal the uncut field.
TEST(Exchange, GivesAPatchTheValuesAroundIt) {
  const auto backend = make_cpu_backend();
  for (int turned = 0; turned < 8; ++turned) {
    const Layout layout{{7, 9, 11}, {(turned & 1) != 0, (turned & 2) != 0, (turned & 4) != 0}};
    Field whole(*backend, layout, Precision::fp64);
    Random random(7);
    set_values(*backend, whole, random.vector(static_cast<std::size_t>(layout.size())));
    const auto everywhere = whole.view<double>();
    for_each_value(everywhere, true, [&](int i, int j, int k) {
      if (i < 0 || i >= 7 || j < 0 || j >= 9 || k < 0 || k >= 11) everywhere(i, j, k) = 0;
    });
    backend->exchange(whole);
    for (const std::array parts : {std::array{1, 1, 3}, std::array{2, 3, 2}, std::array{3, 1, 1}}) {
      const Cuts cuts = cuts_of(layout, parts);
      std::vector<Field> patches;
      for (int p = 0; p < cuts.patches(); ++p) {
        patches.push_back(part_of(*backend, whole, Space(cuts, p, {})));
        const auto v = patches.back().view<double>();
        for_each_value(v, true, [&](int i, int j, int k) {
          if (i < 0 || i >= v.n[0] || j < 0 || j >= v.n[1] || k < 0 || k >= v.n[2]) v(i, j, k) = 0;
        });
      }
      for (std::size_t turn = 0; turn < patches[0].space().halo().steps().size(); ++turn)
        for (Field& patch : patches)
          for (const auto& [owner, side, from, to] : patch.space().halo().steps()[turn]) {
            const auto source = patches[static_cast<std::size_t>(owner)].view<double>();
            const auto target = patch.view<double>();
            for (int k = 0; k < to.last[2] - to.first[2]; ++k)
              for (int j = 0; j < to.last[1] - to.first[1]; ++j)
                for (int i = 0; i < to.last[0] - to.first[0]; ++i)
                  target(to.first[0] + i, to.first[1] + j, to.first[2] + k) =
                      source(from.first[0] + i, from.first[1] + j, from.first[2] + k);
          }
      for (const Field& patch : patches) {
        const auto v = patch.view<double>();
        const auto& at = patch.space().part().origin();
        for_each_value(v, true, [&](int i, int j, int k) {
          const std::array place{i, j, k};
          for (std::size_t d = 0; d < 3; ++d)
            if (place[d] < -1 || place[d] > v.n[d]) return;  // stencils reach one value
          EXPECT_EQ(v(i, j, k), everywhere(i + at[0], j + at[1], k + at[2]));
        });
      }
    }
  }
}

}  // namespace
}  // namespace poisson::windows_tests
