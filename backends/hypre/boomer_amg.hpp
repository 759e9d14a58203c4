#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Refers to a symmetric matrix in compressed rows, which all processes store.
struct RowsView {
  std::span<const std::int64_t> start;  ///< rows + 1 positions
  std::span<const int> column;
  std::span<const double> value;

  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

/// Assigns rows to processes so that few couplings cross, by METIS (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998,
/// 359). One process computes the parts for all. Collective. Throws InputError if the matrix has too many entries for
/// the indices of the installed METIS.
std::vector<int> partition_rows(const Processes& processes, const RowsView& A);

/// Solves systems of one matrix by conjugate gradients that BoomerAMG of hypre preconditions: HMIS coarsening with one
/// aggressive level, ext+i interpolation with at most 4 entries a row, and symmetric l1 Gauss–Seidel (De Sterck, Yang
/// and Heys, SIAM J. Matrix Anal. Appl. 27, 2006, 1019). Each process owns the rows of its part.
class BoomerAmg {
 public:
  struct Settings {
    double tolerance = 1e-8;  ///< for the relative residual
    int max_iterations = 100;
    bool singular = false;  ///< A maps constants to zero
    double strong = 0.25;   ///< threshold of strong couplings
  };

  /// Makes the levels. Collective: the processes are all of MPI. Throws InputError if the matrix has too many rows or
  /// entries for the indices of the installed hypre, and RunError if hypre reports an error.
  BoomerAmg(const Processes& processes, const RowsView& A, const std::vector<int>& part, const Settings& settings);
  ~BoomerAmg();
  BoomerAmg(const BoomerAmg&) = delete;

  /// Solves A x = b from x = 0. All processes pass all values of b and receive all values of x. Returns the iterations.
  int solve(const std::vector<double>& b, std::vector<double>& x);
  /// Returns the bytes of the matrix on this process.
  std::size_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace poisson
