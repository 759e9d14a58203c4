#include "io/meshes/mesh_builder.hpp"

#include <algorithm>
#include <stdexcept>

namespace poisson {

void add_middles(Mesh& mesh, const ElementType& type, NodeOrder order, const std::function<int(std::size_t)>& point) {
  using Edges = std::vector<std::array<std::size_t, 2>>;
  static const Edges line{{0, 1}}, quadrilateral{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      of_gmsh{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
      of_vtk{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}, none;
  const auto corners = static_cast<std::size_t>(facts_of(type.shape).corners);
  if (static_cast<std::size_t>(type.nodes) <= corners) return;
  const Edges& edges = type.shape == CellShape::line            ? line
                       : type.shape == CellShape::quadrilateral ? quadrilateral
                       : type.shape != CellShape::hexahedron    ? none
                       : order == NodeOrder::gmsh               ? of_gmsh
                                                                : of_vtk;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::array<int, 3> found{point(edges[e][0]), point(edges[e][1]), point(corners + e)};
    if (found[0] >= 0 && found[1] >= 0 && found[2] >= 0) mesh.middles.push_back(found);
  }
}

PointNumbers::PointNumbers(UnsetVector<std::int64_t> numbers) {
  if (numbers.empty()) return;
  const auto [least, largest] = std::ranges::minmax(numbers);
  least_ = least;
  const auto count = static_cast<std::uint64_t>(numbers.size());
  const auto range = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(least) + 1;
  const auto repeated = [](std::int64_t number) {
    throw std::invalid_argument("two nodes have the number " + std::to_string(number));
  };
  if (range != 0 && range <= 4 * count + 1024) {
    direct_.resize(static_cast<std::size_t>(range));
    std::ranges::fill(direct_, -1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      int& place = direct_[static_cast<std::size_t>(numbers[i] - least)];
      if (place >= 0) repeated(numbers[i]);
      place = static_cast<int>(i);
    }
    return;
  }
  sorted_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) sorted_[i] = {numbers[i], static_cast<int>(i)};
  std::ranges::sort(sorted_);
  for (std::size_t i = 1; i < sorted_.size(); ++i)
    if (sorted_[i].first == sorted_[i - 1].first) repeated(sorted_[i].first);
}

int PointNumbers::search(std::int64_t number) const {
  const auto found = std::ranges::lower_bound(sorted_, number, {}, &std::pair<std::int64_t, int>::first);
  return found != sorted_.end() && found->first == number ? found->second : -1;
}

int GroupNumbers::group(int dimension, int number) {
  const auto [place, added] = known_.try_emplace({dimension, number}, static_cast<int>(mesh_.groups.size()));
  if (added) mesh_.groups.push_back({dimension, number, {}});
  return place->second;
}

int GroupNumbers::label(int dimension, std::span<const int> numbers) {
  std::vector<int> groups;
  for (const int number : numbers) groups.push_back(group(dimension, number));
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  const auto [place, added] = labels_.try_emplace(groups, static_cast<int>(mesh_.labels.size()));
  if (added) mesh_.labels.push_back(groups);
  return place->second;
}

}  // namespace poisson
