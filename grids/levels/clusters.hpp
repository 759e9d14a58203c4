#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/memory.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/cluster_search.hpp"

namespace poisson {

/// A list of values in the backend's memory, above each the root of its cluster, in ascending order.
struct ClusterList {
  Buffer memory;
  std::uint32_t count = 0;

  std::uint64_t* keys() const { return static_cast<std::uint64_t*>(memory.data()); }
};

/// What rows of a matrix hold, ordered by root, then by value.
struct ClusterRows {
  using Place = std::array<int, 3>;
  struct Value {
    std::uint32_t number, root, state;  ///< as ClusterSearch has them
    double row_sum, diagonal;
    std::size_t couplings;  ///< the first of the value's in `couplings`
  };

  std::vector<Value> values;
  std::vector<double> couplings;  ///< of each value as many as there are links
};

/// The clusters of a symmetric matrix of reach 1, found where its bands are: the host gets lists alone. `strong_share`
/// as ClusterSearch has it. Of a part of a grid all processes call all functions together.
class Clusters {
 public:
  using Place = ClusterRows::Place;
  struct RootedTie {
    std::uint32_t root, value;
    std::size_t link;
  };

  Clusters(const Bands&, double strong_share);

  Backend& backend() const { return backend_; }
  const Space& space() const { return space_; }
  const ClusterSearch& search() const { return search_; }

  ClusterList pick(ClusterSearch::Wanted wanted);
  ClusterRows read(const ClusterList& list);
  /// The couplings of this part's unknowns to those of other processes that tie clusters together.
  std::vector<RootedTie> ties();
  /// What pick(Wanted::chosen) picks.
  void choose(const std::vector<std::uint32_t>& roots);

  std::size_t links() const { return static_cast<std::size_t>(search_.links()); }
  Place place_of(std::uint32_t value) const;
  /// The neighbour that a value is coupled to.
  Place neighbour(const Place& p, std::size_t link) const;
  bool is_unknown(const Place& p) const;
  std::int64_t global_number(const Place& p) const;
  /// By so many a part is wider in StrongClusterSets than its values, at each end of an axis that is cut.
  const Place& margin() const { return margin_; }
  /// As StrongClusterSets count values.
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
