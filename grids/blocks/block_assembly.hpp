#pragma once

#include <memory>

#include "grids/blocks/block_matrix.hpp"
#include "grids/blocks/narrow.hpp"

namespace poisson {

struct StackedCells;
struct GroupMemory;

/// Bytes of elements of the finest level that exist at a time. Tests reduce the number.
inline double most_bytes_of_elements = 256 << 20;

/// Assembles the matrices of the levels of blocks in the memory of a device. Elements of the finest level are computed
/// from the corners of cells, some planes of cells at a time. Each coarser level is made from the elements of the level
/// above, and those of one level stay until release(), because the next level needs them. All calls are collective.
class BlockAssembly {
 public:
  virtual ~BlockAssembly() = default;
  /// Write the bands and row sums of a group, times a scale, to memory of the device that is zero. Null: no sums.
  virtual void bands(const BlockLevel& level, std::size_t group, double scale, float* bands, float* sums) = 0;
  virtual void bands(const BlockLevel& level, std::size_t group, double scale, double* bands, double* sums) = 0;
  virtual void bands(const BlockLevel& level, std::size_t group, double scale, Narrow* bands, float* sums) = 0;
  virtual void bands(const BlockLevel& level, std::size_t group, double scale, NarrowRest* bands, double* sums) = 0;
  virtual void bands(const BlockLevel& level, std::size_t group, double scale, ShortRest* bands, double* sums) = 0;
  /// Returns 1/(scale d) in fp64 for the diagonal d of A, and 0 where no unknown is.
  virtual Field inverse_diagonal(const BlockLevel& level, double scale) = 0;
  /// Writes the loads of the finest level times a factor, or ∫ φ, to a field in fp64.
  virtual void loads(const BlockLevel& level, double factor, bool volumes, Field& to) = 0;
  /// Writes the entries to the next node along each axis, times a scale, as a block contributes them. `places` locates
  /// the patches of the group by axis.
  virtual void couplings(const BlockLevel& level, std::size_t group, double scale, const GroupMemory* places,
                         double* to) = 0;
  /// Returns the matrix of a level on the host.
  virtual BlockMatrix on_host(const BlockLevel& level) = 0;
  /// Returns the places and coefficients of a group of the finest level.
  virtual std::shared_ptr<const StackedCells> cells(const BlockLevel& level, std::size_t group) = 0;
  /// Frees what has been computed. Later calls compute it again.
  virtual void release() = 0;
};

}  // namespace poisson
