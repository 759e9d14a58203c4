#pragma once

#include <cstdint>

#include "grids/compact/csr.hpp"

namespace poisson {

/// Contains the couplings that aggregates follow: those with a negative entry −a_ij ≥ share · min(m_i, m_j), where m is
/// the largest −a of a row. Positive entries, which elements of poor shape have, are never strong.
struct StrongCouplings {
  UnsetVector<std::int64_t> start;
  UnsetVector<int> column;
  UnsetVector<double> value;    ///< entries of A
  UnsetVector<double> largest;  ///< m of each row

  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
  bool none(std::int64_t row) const {
    return start[static_cast<std::size_t>(row)] == start[static_cast<std::size_t>(row) + 1];
  }
};
StrongCouplings strong_couplings(const CsrMatrix& A, double share);

/// Assigns rows to aggregates: of[i] is the aggregate of row i, or −1 if it has no strong coupling.
struct Aggregates {
  UnsetVector<int> of;
  std::int64_t count = 0;
};

/// Makes aggregates around the vertices of a maximal set in which no two are connected by two couplings or fewer
/// (MIS-2). Rounds compare hashed indices (Kelley and Rajamanickam, Parallel, portable algorithms for distance-2
/// maximal independent set and graph coarsening, 2022, algorithm 1), so the set does not depend on the number of
/// threads. A root takes its neighbours, and each remaining row joins the neighbouring aggregate to which it is coupled
/// most. Couplings below 1/64 of the largest of one of their rows do not connect rows here. Otherwise a row where κ is
/// small would join places where κ is large that are not coupled with each other, and no coarse value could tell them
/// apart.
Aggregates aggregate(const StrongCouplings& couplings);

}  // namespace poisson
