#pragma once

#include <cstdint>

#include "backends/memory/round_up.hpp"

namespace poisson {

/// Gives kernels access to strong clusters. Places index the memory of fields of one layout and precision.
struct StrongClusterTables {
  std::int64_t count = 0;
  std::uint32_t value_count = 0;                                    ///< of all clusters
  const std::uint32_t *first = nullptr, *values = nullptr;          ///< cluster s has values[first[s]] to first[s + 1]
  const std::uint32_t* cluster = nullptr;                           ///< the cluster of each of `values`
  const std::uint32_t *row_first = nullptr, *row_places = nullptr;  ///< places of the entries of 1ᵀA
  const float* weights = nullptr;                                   ///< entries of 1ᵀA
  const double* inverse = nullptr;                                  ///< 1/energy
  double *rhs = nullptr, *shift = nullptr;                          ///< 1ᵀb and the shift, by cluster

  /// Warps of a GPU share the lists of a large cluster in pieces. The pieces of cluster s are those from
  /// piece_first[s] to piece_first[s + 1]; small clusters have none. `piece_done` counts, at the first piece of a
  /// cluster, the pieces that are added up; it is zero between launches.
  static constexpr std::uint32_t most_without_pieces = 64;
  std::int64_t pieces = 0;
  const std::uint32_t *piece_first = nullptr, *piece_cluster = nullptr;
  double* piece_sum = nullptr;
  std::uint32_t* piece_done = nullptr;
  std::uint32_t first_number = 0;  ///< the number that piece_cluster gives to the first of these clusters

  /// Returns the length of the pieces of a cluster whose longer list, of values or of entries, has this length. One
  /// warp adds up to about a thousand pieces.
  static constexpr std::uint32_t piece_length(std::uint32_t longer) { return longer <= (1U << 16) ? 256 : 2048; }
  /// Returns the number of pieces of a cluster that has this number of values and of entries.
  static constexpr std::uint32_t pieces_of(std::uint32_t values, std::uint32_t entries) {
    const std::uint32_t longer = values < entries ? entries : values;
    return longer <= most_without_pieces ? 0 : divide_up(longer, piece_length(longer));
  }
  constexpr bool in_pieces(std::int64_t s) const { return pieces > 0 && piece_first[s + 1] != piece_first[s]; }

  /// Returns the tables of `last` − `from` clusters from number `from` on.
  constexpr StrongClusterTables part(std::int64_t from, std::int64_t last) const {
    StrongClusterTables some = *this;
    some.count = last - from;
    some.first += from;
    some.row_first += from;
    some.inverse += from;
    some.rhs += from;
    some.shift += from;
    if (pieces > 0) some.piece_first += from;
    some.first_number += static_cast<std::uint32_t>(from);
    return some;
  }
};

}  // namespace poisson
