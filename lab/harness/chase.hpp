#pragma once

#include <cstdint>

namespace poisson::lab {

// A pointer chase: each load yields the address of the next. Every node has its own memory line.
inline constexpr int line_words = 32;  // 128 bytes

/// Returns the successor of `node` on a closed walk through all 2^k nodes in scattered order. The walk is a linear
/// congruential generator of full period (Hull and Dobell, SIAM Review 4, 1962).
constexpr std::uint32_t next_node(std::uint32_t node, std::uint32_t nodes) {
  return (node * 1664525u + 1013904223u) & (nodes - 1);
}

/// The oracle: returns the node that follows node 0 by `steps` steps.
constexpr std::uint32_t walk_end(std::uint32_t nodes, int steps) {
  std::uint32_t node = 0;
  for (int i = 0; i < steps; ++i) node = next_node(node, nodes);
  return node;
}

}  // namespace poisson::lab
