#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "backends/spaces/space.hpp"

namespace poisson {

/// Maps indices of a sub-block of a grid to indices of a larger sub-block or of the global grid. Compiles for every
/// backend.
struct PlacesInLarger {
  Box box;                      ///< values of the sub-block, with its halo as far as the larger one has it
  std::array<int, 3> origin;    ///< index of the sub-block's value (0, 0, 0) in the larger one
  std::array<int, 3> turned{};  ///< period of axes that are periodic in the larger one, 0 of others

  PlacesInLarger(const Space& part, const Space& larger) {
    const auto halo = [](const Layout& of, std::size_t d) { return d == 0 || of.n[d] > 1 ? of.halo[d] : 0; };
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = larger.part().layout().n[d], own = halo(part.part().layout(), d),
                there = halo(larger.part().layout(), d);
      origin[d] = part.part().origin()[d] - larger.part().origin()[d];
      box.first[d] = -own;
      box.last[d] = part.part().layout().n[d] + own;
      if (part.part().closed()[d] && n == part.part().all()[d]) {
        turned[d] = n > 1 ? n : 0;
      } else {
        box.first[d] = std::max(box.first[d], -there - origin[d]);
        box.last[d] = std::min(box.last[d], n + there - origin[d]);
      }
    }
  }
  /// Returns the index in the larger one of the sub-block's value i along axis d.
  constexpr int operator()(std::size_t d, int i) const {
    const int at = i + origin[d], n = turned[d];
    return n == 0 ? at : at < 0 ? at + n : at >= n ? at - n : at;
  }
};

}  // namespace poisson
