#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/device/field.hpp"
#include "grids/levels/clusters.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/strong_cluster_views.hpp"

namespace poisson {

/// StrongClusters are clusters that couplings above a share of the larger diagonal entry connect, of a bounded number
/// of values (most_cluster_values), none of them tied to a given one, and with 1ᵀA1 below so much of 1ᵀD1: about that
/// ratio of the error a sweep removes.
struct StrongClusterRule {
  double strong, slow;
};
/// The first rule finds what sweeps leave where κ has two values, the second one what they leave where it has many.
inline constexpr std::array<StrongClusterRule, 2> strong_cluster_rules{{{1e-2, 1e-2}, {0.15, 0.3}}};

/// StrongClusters of which a process has some values, as lists on the host.
struct StrongClusterSets {
  struct Entry {
    std::int64_t value;
    double weight;
  };
  std::vector<std::int64_t> first{0}, values;  ///< of set s: values[first[s]] …, each x + nx (y + ny z)
  std::vector<std::int64_t> row_first{0};      ///< of set s: row[row_first[s]] … is 1ᵀA, 1 on the set
  std::vector<Entry> row;
  std::vector<double> energy;  ///< 1ᵀA 1
  /// Of a part of a grid numbers count values beyond its cuts too, so many at each end of an axis.
  std::array<int, 3> margin{};

  std::size_t size() const { return energy.size(); }
  /// One more, of values in order.
  void add(const std::vector<std::int64_t>& of, const std::vector<Entry>& sums, double own_energy);
};

/// StrongClusters as the kernels see them, in fields of a layout and precision.
class StrongClusterTable {
 public:
  StrongClusterTable(Backend&, const StrongClusterSets&, const Layout&, Precision);
  /// The strong_clusters among the clusters that have no part elsewhere.
  StrongClusterTable(Clusters&, double slow, Precision);

  StrongClusterViews views{};

 private:
  std::vector<Buffer> memory_;
};

/// The share that a process has of strong_clusters that go through the parts of several: each of them works out its
/// share of what they are shifted by, and all add up the shares alike.
class CrossingClusters {
 public:
  CrossingClusters(Backend&, const StrongClusterSets&, const Space&, Precision,
                   const std::shared_ptr<const Processes>&);
  /// Bytes that a process on a GPU sends another one at a time, at most.
  static std::size_t bytes_of_message();

  /// What strong_clusters are shifted by, from the values of all processes; together.
  void find_shifts(const Field& b, const Field& u) const;
  const StrongClusterViews& views() const { return table_.views; }

 private:
  StrongClusterTable table_;
  std::int64_t at_a_time_;
  mutable Field own_, all_;  // the shares of some strong_clusters, those of each process behind one another
};

/// Values that strong couplings tie to one another, and weak ones alone to anything else: where κ jumps from cell to
/// cell, every small cluster of cells of large κ is one. An error that is constant on it is worth next to nothing in
/// D⁻¹A, so that no smoother sees it, and coarse grids lose it as soon as none of their values lies on the cluster.
/// Their correction is one step of Jacobi's method for these constants, rule after rule.
class StrongClusters {
 public:
  /// Those of a symmetric matrix of reach 1, for fields of this precision. Of a part of a grid all processes call
  /// together, and each has the strong_clusters within its part and its values of those that go through several.
  StrongClusters(const Bands&, Precision, const std::shared_ptr<const Processes>&);

  /// Whether any process has any.
  bool any() const { return any_; }
  /// StrongClusters of a rule within the part, and those that go through several.
  std::int64_t count(std::size_t rule) const { return families_[rule].own.views.count; }
  std::int64_t crossing_count(std::size_t rule) const;
  /// Returns the tables of the strong_clusters of a rule within the part.
  const StrongClusterViews& views(std::size_t rule) const { return families_[rule].own.views; }

  /// u += Z diag(ZᵀAZ)⁻¹ Zᵀ(b − A u), the columns of Z being 1 on an cluster of a rule. All residuals are those of u
  /// before.
  void correct(std::size_t rule, const Field& b, Field& u) const;
  /// By every rule.
  void correct(const Field& b, Field& u) const;

 private:
  struct Family {
    StrongClusterTable own;
    std::unique_ptr<CrossingClusters> crossing;  // null for a whole grid, or where no process has any
  };
  Backend& backend_;
  std::vector<Family> families_;
  bool any_ = false;
};

}  // namespace poisson
