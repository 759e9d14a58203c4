#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/field.hpp"
#include "grids/operators/bands.hpp"
#include "grids/rows/island_views.hpp"

namespace poisson {

/// Values that strong couplings tie to one another, and weak ones alone to anything else: where κ jumps from cell to
/// cell, every small cluster of cells of large κ is one. An error that is constant on it is worth next to nothing in
/// D⁻¹A, so that no smoother sees it, and coarse grids lose it as soon as none of their values lies on the cluster.
struct IslandSets {
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

/// The islands of a symmetric matrix of reach 1: connected by couplings above a hundredth of the larger diagonal entry,
/// of at most 1024 values, none of them given, and with 1ᵀA1 below a hundredth of 1ᵀD1. Found where the bands are.
IslandSets find_islands(const Bands& bands);

/// Islands as the kernels see them, in fields of a layout and precision.
class IslandTable {
 public:
  IslandTable(Backend&, const IslandSets&, const Layout&, Precision);

  IslandViews views{};

 private:
  Buffer memory_;
};

/// What a process has of islands that go through the parts of several: each of them works out its share of what they
/// are shifted by, and all add up the shares alike.
class CrossingIslands {
 public:
  CrossingIslands(Backend&, const IslandSets&, const Space&, Precision, const std::shared_ptr<const Processes>&);
  /// Bytes that a process on a GPU sends another one at a time, at most.
  static std::size_t bytes_of_message();

  /// What islands are shifted by, from the values of all processes; together.
  void find_shifts(const Field& b, const Field& u) const;
  const IslandViews& views() const { return table_.views; }

 private:
  IslandTable table_;
  std::int64_t at_a_time_;
  mutable Field own_, all_;  // the shares of some islands, those of each process behind one another
};

/// One step of Jacobi's method for the constants on islands.
class Islands {
 public:
  /// For fields of this layout and precision.
  Islands(Backend&, const IslandSets&, const Layout&, Precision);
  /// Of several processes: those within the part of this one, and what it has of those that go through several.
  Islands(Backend&, const IslandSets& own, const IslandSets& crossing, const Space&, Precision,
          const std::shared_ptr<const Processes>&);

  /// u += Z diag(ZᵀAZ)⁻¹ Zᵀ(b − A u), the columns of Z being 1 on an island. All residuals are those of u before.
  void correct(const Field& b, Field& u) const;
  std::int64_t count() const { return own_.views.count; }

 private:
  Backend& backend_;
  IslandTable own_;
  std::optional<CrossingIslands> crossing_;
};

}  // namespace poisson
