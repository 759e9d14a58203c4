#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/device/field.hpp"
#include "grids/levels/clusters.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/strong_cluster_build.hpp"
#include "grids/rows/strong_cluster_tables.hpp"

namespace poisson {

/// Defines strong clusters. Couplings above `strong` times the larger diagonal entry connect the values of a cluster.
/// The cluster has a bounded number of values (most_cluster_values), and none of them is strongly coupled to a given
/// value. 1ᵀA1 is below `slow` times 1ᵀD1; a sweep removes about this ratio of an error that is constant on the
/// cluster.
struct StrongClusterRule {
  double strong, slow;
};
/// The first rule finds the clusters on which sweeps leave errors if κ has two values, the second rule those if κ has
/// many.
inline constexpr std::array<StrongClusterRule, 2> strong_cluster_rules{{{1e-2, 1e-2}, {0.15, 0.3}}};

/// Lists, on the host, the strong clusters of which this process has values.
struct StrongClusterSets {
  struct Entry {
    std::int64_t value;
    double weight;
  };
  std::vector<std::int64_t> first{0}, values;  ///< set s begins at values[first[s]]; values are x + nx (y + ny z)
  std::vector<std::int64_t> row_first{0};      ///< 1ᵀA of set s begins at row[row_first[s]]; 1 is one on the set
  std::vector<Entry> row;
  std::vector<double> energy;  ///< 1ᵀA1 by set
  /// On a distributed grid, numbers also count `margin` values past the cuts at each end of an axis.
  std::array<int, 3> margin{};

  std::size_t size() const { return energy.size(); }
  /// Appends a set whose values are in ascending order.
  void add(const std::vector<std::int64_t>& of, const std::vector<Entry>& sums, double own_energy);
};

/// Owns the tables of strong clusters that kernels read, for fields of one layout and precision.
class StrongClusterTable {
 public:
  StrongClusterTable(Backend&, const StrongClusterSets&, const Layout&, Precision);
  /// Contains the strong clusters among the clusters that lie entirely on this process, except those in `taken`, to
  /// which it adds its own (StrongClusterBuild::taken).
  StrongClusterTable(Clusters&, double slow, Precision, std::uint32_t* taken);

  StrongClusterTables tables;

 private:
  void allocate(Backend&, std::uint32_t clusters, std::uint32_t values, std::uint32_t entries, StrongClusterBuild&);
  void add_pieces(Backend&, StrongClusterBuild&);

  std::vector<Buffer> memory_;
};

/// Owns this process's parts of the strong clusters that extend over several processes. Each process computes its share
/// of every shift, and all processes add the shares in the same order.
class CrossingClusters {
 public:
  CrossingClusters(Backend&, const StrongClusterSets&, const Space&, Precision,
                   const std::shared_ptr<const Processes>&);
  /// Returns the largest number of bytes that a process on a GPU sends to another process at a time.
  static std::size_t bytes_of_message();

  /// Computes the shifts of the strong clusters from the values of all processes. Collective.
  void find_shifts(const Field& u) const;
  const StrongClusterTables& tables() const { return table_.tables; }

 private:
  StrongClusterTable table_;
  std::int64_t at_a_time_;
  mutable Field own_, all_;  // shares of a batch of clusters: own_ has this process's, all_ those of all, rank by rank
};

/// Finds and corrects the strong clusters of a matrix. Strong couplings connect the values of such a cluster, and only
/// weak couplings connect it to other values. If κ jumps from cell to cell, every small group of cells with large κ is
/// one. An error that is constant on a cluster is almost zero in D⁻¹A, so no smoother sees it. Coarse grids lose this
/// error as soon as none of their values lies on the cluster. The correction is one step of Jacobi's method for these
/// constants, rule after rule.
class StrongClusters {
 public:
  /// Finds the strong clusters of a symmetric matrix of reach 1, for fields of this precision. Collective. Each process
  /// stores the clusters that lie entirely on it, and its values of the clusters that extend over several processes.
  /// `large`: clusters in space may be as large as in the plane.
  StrongClusters(const Bands&, Precision, const std::shared_ptr<const Processes>&, bool large = false);

  /// Returns whether any process has strong clusters.
  bool any() const { return any_; }
  /// `count` returns how many strong clusters of a rule lie entirely on this process. `crossing_count` returns
  /// how many extend over several processes.
  std::int64_t count(std::size_t rule) const { return families_[rule].own.tables.count; }
  std::int64_t crossing_count(std::size_t rule) const;
  /// Returns the tables of a rule's strong clusters that lie entirely on this process.
  const StrongClusterTables& tables(std::size_t rule) const { return families_[rule].own.tables; }

  /// Sets the right-hand side b of the following corrections.
  void begin(const Field& b) const;
  /// Adds Z diag(ZᵀAZ)⁻¹ Zᵀ(b − A u) to u, where each column of Z is 1 on a cluster of the rule. All residuals are
  /// those of the old u.
  void correct(std::size_t rule, Field& u) const;
  /// Corrects u by every rule in turn.
  void correct(Field& u) const;

 private:
  struct Family {
    StrongClusterTable own;
    std::unique_ptr<CrossingClusters> crossing;  // null for a global grid, or if no process has clusters
  };
  void rehearse(const Bands&, const std::shared_ptr<const Processes>&);

  Backend& backend_;
  Buffer rehearsed_;  // has the size of the largest tables
  std::vector<Family> families_;
  bool any_ = false;
};

}  // namespace poisson
