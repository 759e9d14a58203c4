#pragma once

#include <vector>

namespace poisson {

/// Is a graph of blocks in compressed rows: the cells of each block, and the nodes that two blocks share.
struct MacroGraph {
  std::vector<int> start, near;  ///< of each block: its neighbours
  std::vector<double> cells;     ///< of each block
  std::vector<double> shared;    ///< of each neighbour

  int blocks() const { return static_cast<int>(cells.size()); }
};

/// Returns parts of the graph with about equal numbers of cells and few shared nodes, by METIS (Karypis and Kumar, SIAM
/// J. Sci. Comput. 20, 1998, 359): one number for each block. It tries recursive bisection and k-way partitions.
/// METIS is loaded when the first graph is divided; without it there are no parts.
std::vector<std::vector<int>> metis_shares(const MacroGraph& graph, int parts);

}  // namespace poisson
