#include "grids/operators/band_colours.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace poisson {
namespace {

// Returns whether Σ w_d i_d mod m separates all coupled values, including those that are coupled over the ends of
// periodic axes.
bool separates(const std::array<int, 3>& w, int m, const Layout& layout, const std::vector<Offset>& offsets) {
  const auto turns = [&](std::size_t d) { return layout.periodic[d] ? 1 : 0; };
  for (const Offset& o : offsets)
    for (int a = -turns(0); a <= turns(0); ++a)
      for (int b = -turns(1); b <= turns(1); ++b)
        for (int c = -turns(2); c <= turns(2); ++c) {
          const std::int64_t x = o[0] + std::int64_t{a} * layout.n[0], y = o[1] + std::int64_t{b} * layout.n[1],
                             z = o[2] + std::int64_t{c} * layout.n[2];
          if (x == 0 && y == 0 && z == 0) continue;  // a value coupled to itself
          if ((w[0] * x + w[1] * y + w[2] * z) % m == 0) return false;
        }
  return true;
}

}  // namespace

BandColours::BandColours(const Layout& layout, const std::vector<Offset>& offsets) {
  const std::array<int, 3> far = reach(offsets);
  for (std::size_t d = 0; d < 3; ++d) {
    modulus_[d] = std::min(far[d] + 1, layout.n[d]);
    regular_[d] = layout.n[d] - (layout.periodic[d] ? layout.n[d] % modulus_[d] : 0);
    residues_[d] = modulus_[d] + layout.n[d] - regular_[d];
    count_ *= residues_[d];
  }
  const bool of_rows = std::ranges::max(far) == 1 && std::ranges::none_of(layout.periodic, std::identity{});
  const int fewer = of_rows ? std::min(count_, 3) : count_;
  for (int m = 2; m < fewer; ++m)
    for (int y = 0; y < m; ++y)
      for (int z = 0; z < m; ++z) {
        const std::array<int, 3> w{1, (y + 1) % m, (z + 1) % m};
        if (!separates(w, m, layout, offsets)) continue;
        lattice_ = true;
        weight_ = w;
        count_ = m;
        return;
      }
}

int BandColours::of(int i, int j, int k) const {
  if (lattice_) return (weight_[0] * i + weight_[1] * j + weight_[2] * k) % count_;
  return (residue(2, k) * residues_[1] + residue(1, j)) * residues_[0] + residue(0, i);
}

ColourBox BandColours::box(int colour, const Box& unknowns) const {
  ColourBox box{};
  box.colour = colour;
  for (std::size_t d = 0; d < 3; ++d) {
    box.first[d] = unknowns.first[d];
    box.last[d] = unknowns.last[d];
    box.step[d] = 1;
  }
  if (lattice_) {
    box.step[0] = box.modulus = count_;
    box.shift_y = weight_[1];
    box.shift_z = weight_[2];
    return box;
  }
  box.modulus = 1;
  const std::array<int, 3> wanted{colour % residues_[0], colour / residues_[0] % residues_[1],
                                  colour / (residues_[0] * residues_[1])};
  for (std::size_t d = 0; d < 3; ++d) {
    if (wanted[d] >= modulus_[d]) {  // has a separate residue
      box.first[d] = std::max(box.first[d], regular_[d] + wanted[d] - modulus_[d]);
      box.last[d] = std::min(box.last[d], regular_[d] + wanted[d] - modulus_[d] + 1);
      continue;
    }
    box.first[d] += (wanted[d] - box.first[d] % modulus_[d] + modulus_[d]) % modulus_[d];
    box.last[d] = std::min(box.last[d], regular_[d]);
    box.step[d] = modulus_[d];
  }
  return box;
}

}  // namespace poisson
