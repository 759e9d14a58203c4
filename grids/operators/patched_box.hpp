#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/view.hpp"

namespace poisson {

/// Describes patches that tile the part of a grid that a process owns, and the programs that move values between fields
/// of the patches and of the part. Values include the data past the ends of the grid.
struct PatchedBox {
  /// Describes a patch in the order of its space.
  struct Place {
    std::array<int, 3> first;  ///< its value (0, 0, 0), in the indices of the part
    Box unknowns;              ///< in its own indices
  };
  Space patches, box;
  bool turned = false;  ///< the axes of a patch differ from those of the part, and `places` do not apply
  std::vector<Place> places;
  Exchange to_box, to_patches;
  Exchange unknowns_to_patches, unknowns_added;     ///< from the part; the second one adds
  std::vector<std::shared_ptr<const void>> tables;  ///< of these programs on a device (keep_exchange)

  /// Returns the place of patch p of a group.
  const Place& place(std::size_t group, int p) const {
    std::size_t before = 0;
    for (std::size_t g = 0; g < group; ++g) before += patches.groups()[g].patches.size();
    return places[before + static_cast<std::size_t>(p)];
  }
};

/// Cuts a part of a grid. `cuts` contain the cuts between processes and further ones; owners[p] is the process of patch
/// p. With `stars` halos have no edges and corners, which rows of 5 and 7 points do not read. turns[p] maps the axes of
/// the grid to those of patch p; without `turns` all axes agree. Collective.
std::shared_ptr<const PatchedBox> make_patched_box(Backend& backend, const Space& box, const Cuts& cuts,
                                                   const std::vector<int>& owners,
                                                   const std::shared_ptr<const Processes>& processes, bool stars,
                                                   const std::vector<Orientation>& turns = {});

/// Returns a view that is indexed by the part: the value at `first` is value (0, 0, 0) of the patch.
template <class T>
constexpr View<T> placed(View<T> patch, const std::array<int, 3>& first) {
  patch.data -= first[0] + first[1] * patch.sy + first[2] * patch.sz;
  for (std::size_t d = 0; d < 3; ++d) {
    patch.n[d] += 2 * first[d];
    patch.halo[d] -= first[d];
  }
  return patch;
}

}  // namespace poisson
