#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace poisson {

/// Counts the periods of each axis between two places.
using Periods = std::array<std::int8_t, 3>;

inline Periods sum(const Periods& a, const Periods& b, int sign) {
  Periods c{};
  for (std::size_t d = 0; d < 3; ++d) c[d] = static_cast<std::int8_t>(a[d] + sign * b[d]);
  return c;
}

/// Contains trees of parts that are joined (union–find). Each part lies some periods further than its parent.
class PartTrees {
 public:
  struct Node {
    std::size_t parent;
    Periods periods{};
  };
  explicit PartTrees(std::size_t count) : winds_(count) {
    nodes_.reserve(count);
    for (std::size_t n = 0; n < count; ++n) nodes_.push_back({n});
  }

  /// Returns the root of a part, and the periods between them. The path to the root becomes half as long.
  Node root(std::size_t n) {
    Node at{n};
    for (;;) {
      Node& node = nodes_[at.parent];
      if (node.parent == at.parent) return at;
      const Node& above = nodes_[node.parent];
      if (above.parent != node.parent) node = {above.parent, sum(node.periods, above.periods, 1)};
      at = {node.parent, sum(at.periods, node.periods, 1)};
    }
  }

  /// Joins two parts, the second of which lies `between` periods further.
  void join(std::size_t a, std::size_t b, const Periods& between = {}) {
    const Node of_a = root(a), of_b = root(b);
    // The root of b lies this many periods further than that of a.
    const Periods apart = sum(sum(of_a.periods, between, 1), of_b.periods, -1);
    auto& winds = winds_[of_a.parent];
    if (of_a.parent != of_b.parent) {
      nodes_[of_b.parent] = {of_a.parent, apart};
      for (std::size_t d = 0; d < 3; ++d) winds[d] = winds[d] || winds_[of_b.parent][d];
      return;
    }
    for (std::size_t d = 0; d < 3; ++d) winds[d] = winds[d] || apart[d] != 0;
  }

  /// Returns the axes whose ends the parts of a root connect.
  const std::array<bool, 3>& winds(std::size_t root) const { return winds_[root]; }

 private:
  std::vector<Node> nodes_;
  std::vector<std::array<bool, 3>> winds_;
};

}  // namespace poisson
