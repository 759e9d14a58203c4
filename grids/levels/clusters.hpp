#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/memory.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/cluster_search.hpp"

namespace poisson {

/// Owns a list of values in the backend's memory. The upper half of each key is the root of the value's cluster. Keys
/// are in ascending order.
struct ClusterList {
  Buffer memory;
  std::uint32_t count = 0;

  std::uint64_t* keys() const { return static_cast<std::uint64_t*>(memory.data()); }
};

/// Contains rows of a matrix, ordered by root, then by value.
struct ClusterRows {
  using Place = std::array<int, 3>;
  struct Value {
    std::uint32_t number, root, state;  ///< as in ClusterSearch
    double row_sum, diagonal;
    std::size_t couplings;  ///< index of the first in `ClusterRows::couplings`
  };

  std::vector<Value> values;
  std::vector<double> couplings;  ///< links() for each value
};

/// Finds the clusters of a symmetric matrix of reach 1 in the memory of its bands; only lists are copied to the host.
/// On a distributed grid all processes call all functions together.
class Clusters {
 public:
  using Place = ClusterRows::Place;
  struct RootedTie {
    std::uint32_t root, value;
    std::size_t link;
  };

  /// `large`: clusters in space may have as many values as those in the plane.
  Clusters(const Bands&, bool large);
  /// Finds the clusters for this `strong_share` (ClusterSearch). The other functions then refer to them.
  void join(double strong_share);

  Backend& backend() const { return backend_; }
  const Space& space() const { return space_; }
  const ClusterSearch& search() const { return search_; }

  ClusterList pick(ClusterSearch::Wanted wanted);
  ClusterRows read(const ClusterList& list);
  /// Returns the strong couplings between this process's unknowns and unknowns of other processes.
  std::vector<RootedTie> ties();
  /// Chooses the clusters whose values pick(Wanted::chosen) lists.
  void choose(const std::vector<std::uint32_t>& roots);

  std::size_t links() const { return static_cast<std::size_t>(search_.links()); }
  Place place_of(std::uint32_t value) const;
  /// Returns the neighbour at the other end of a link.
  Place neighbour(const Place& p, std::size_t link) const;
  bool is_unknown(const Place& p) const;
  std::int64_t global_number(const Place& p) const;
  /// Returns the margin of StrongClusterSets: 1 along cut axes, otherwise 0.
  const Place& margin() const { return margin_; }
  /// Returns a value's number in StrongClusterSets.
  std::int64_t number(const Place& p) const;

 private:
  void visit(ClusterSearch::Step step, const Box& box);
  Buffer find(ClusterSearch::Step step, std::size_t bytes_each, std::uint32_t& count);
  Place to_global(const Place& p) const;

  Space space_;
  Backend& backend_;
  ClusterSearch search_{};
  Field diagonal_;
  Buffer labels_, found_;
  Place margin_{};
};

}  // namespace poisson
