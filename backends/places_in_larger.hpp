#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "backends/space.hpp"

namespace poisson {

/// Where the values of a part of a grid lie among those of a larger part, or of the whole. Compiles for every backend.
struct PlacesInLarger {
  Box box;                      ///< values of the part, its halo included as far as the larger one has it
  std::array<int, 3> origin;    ///< where the part's value (0, 0, 0) lies in the larger one
  std::array<int, 3> turned{};  ///< values of axes that close on themselves in the larger one, 0 of others

  PlacesInLarger(const Space& part, const Space& larger) {
    const auto halo = [](const Layout& of, std::size_t d) { return d == 0 || of.n[d] > 1 ? of.halo[d] : 0; };
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = larger.layout().n[d], own = halo(part.layout(), d), there = halo(larger.layout(), d);
      origin[d] = part.origin()[d] - larger.origin()[d];
      box.first[d] = -own;
      box.last[d] = part.layout().n[d] + own;
      if (part.closed()[d] && n == part.all()[d]) {
        turned[d] = n > 1 ? n : 0;
      } else {
        box.first[d] = std::max(box.first[d], -there - origin[d]);
        box.last[d] = std::min(box.last[d], n + there - origin[d]);
      }
    }
  }
  /// Of the part's value number i along an axis.
  constexpr int operator()(std::size_t d, int i) const {
    const int at = i + origin[d], n = turned[d];
    return n == 0 ? at : at < 0 ? at + n : at >= n ? at - n : at;
  }
};

}  // namespace poisson
