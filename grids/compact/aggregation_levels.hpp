#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "grids/compact/csr.hpp"

namespace poisson {

/// Contains the coarse levels of smoothed aggregation (Vanek, Mandel and Brezina, Computing 56, 1996, 179) of a
/// symmetric matrix with the constant as its smoothest vector: prolongations P and the products Pᵀ A P.
struct AggregationLevels {
  struct Level {
    CsrMatrix P, R;              ///< from this level to the next coarser one, and Pᵀ
    CsrMatrix A;                 ///< of the next coarser level
    UnsetVector<int> aggregate;  ///< of each row; −1: none
    bool smoothed = true;        ///< false: P is the indicator of aggregates
  };
  std::vector<Level> levels;
  double operator_complexity = 1;  ///< entries of all operators over those of the finest
  bool blocks = false;             ///< sweeps invert the blocks of aggregates (block_steps.hpp)

  /// Returns the bytes of all matrices.
  std::size_t bytes() const;
};

/// A coarsest level has at most this number of unknowns, unless coarsening ends earlier.
inline constexpr std::int64_t most_coarsest = 300;

/// Makes levels of A until at most most_coarsest rows are left.
///
/// A coupling is strong from 0.4 of the smaller of the largest couplings of its two rows (aggregates.hpp). P is
/// (I − ω D⁻¹ F) T with T the indicator of aggregates, F the strong part of A with weak entries added to its diagonal
/// D, and ω = 4/3 over the largest eigenvalue of D⁻¹F.
///
/// `blocks` decides whether sweeps invert blocks; unset: the couplings of A decide (needs_blocks).
AggregationLevels make_aggregation_levels(const CsrMatrix& A, std::optional<bool> blocks = {});

/// Computes the values of all levels for new values of A on the same pattern. Aggregates and patterns stay; a coupling
/// that has become strong and leads outside the pattern of P is left out. If the strong couplings stay, the levels
/// equal new ones.
void update_values(const CsrMatrix& A, AggregationLevels& levels);

/// Returns an estimate from above of the largest eigenvalue of D⁻¹A by steps of Lanczos' method from fixed numbers.
double largest_scaled_eigenvalue(const CsrMatrix& A);
/// Returns one of the largest eigenvalue of B⁻¹A for a symmetric B⁻¹.
double largest_scaled_eigenvalue(const CsrMatrix& A, const CsrMatrix& inverse);

/// Returns B⁻¹, where B contains the diagonal blocks of A for aggregates, and the diagonal of other rows.
CsrMatrix block_inverse(const CsrMatrix& A, const UnsetVector<int>& aggregate, std::int64_t aggregates);

}  // namespace poisson
