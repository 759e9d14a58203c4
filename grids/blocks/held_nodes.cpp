#include "grids/blocks/held_nodes.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace poisson {

HeldNodes find_held_nodes(const MeshData& data, const BlockMesh& mesh) {
  const BlockNumbers& numbers = *mesh.nodes;
  const std::vector<int> points = mesh.point_of_node();
  const auto point = [&](std::int64_t n) { return points.empty() ? n : points[static_cast<std::size_t>(n)]; };
  const std::size_t parts = numbers.topology().parts().size();
  std::vector<std::int64_t> open(parts, 0), held(parts, 0);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::int64_t n = numbers.first(static_cast<int>(p)); n < numbers.first(static_cast<int>(p) + 1); ++n)
      ++(data.free(point(n)) ? open[p] : held[p]);
  }
  HeldNodes found;
  found.free.resize(parts);
  for (std::size_t p = 0; p < parts; ++p) found.free[p] = open[p] > 0 || held[p] == 0;
  if (std::ranges::none_of(std::views::iota(std::size_t{0}, parts),
                           [&](std::size_t p) { return open[p] > 0 && held[p] > 0; }))
    return found;
  std::vector<bool> pinned(static_cast<std::size_t>(numbers.count()), false);  // by node
  for (std::size_t p = 0; p < parts; ++p)
    for (std::int64_t n = numbers.first(static_cast<int>(p));
         open[p] > 0 && held[p] > 0 && n < numbers.first(static_cast<int>(p) + 1); ++n)
      pinned[static_cast<std::size_t>(n)] = !data.free(point(n));
  if (mesh.node_of_point.empty()) {
    found.pinned = std::move(pinned);
    return found;
  }
  for (const auto node : mesh.node_of_point) found.pinned.push_back(pinned[static_cast<std::size_t>(node)]);
  return found;
}

}  // namespace poisson
