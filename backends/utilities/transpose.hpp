#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/device/backend.hpp"

namespace poisson {

/// Describes a batch of matrices to transpose and their places in memory. Matrices are row-major. Rows are from_pitch
/// elements apart in the source and to_pitch elements apart in the destination, whose rows are the source's columns.
///
/// Matrix b begins b·from_stride elements after the source's first element and b·to_stride after the destination's. The
/// matrices of a batch may follow each other (stride ≥ pitch · rows) or be interleaved within longer rows.
struct Transposition {
  std::int64_t rows = 0, columns = 0;  ///< size of each source matrix
  std::size_t element = 8;             ///< bytes: 4, 8 or 16
  std::int64_t from_pitch = 0, to_pitch = 0;
  std::int64_t batch = 1;
  std::int64_t from_stride = 0, to_stride = 0;  ///< ignored for a batch of one

  /// Returns the bytes from the source's first element to the end of its last one, including the padding in between.
  std::size_t from_extent() const;
  std::size_t to_extent() const;
  /// Returns the bytes that a transposition moves: each element is read once and written once.
  double bytes() const;
  /// Throws InputError if the element size is not supported, there is nothing to transpose, a pitch is shorter than its
  /// row, or destination matrices overlap.
  void validate() const;
};

/// Describes matrices without padding that follow each other.
Transposition packed(std::int64_t rows, std::int64_t columns, std::size_t element, std::int64_t batch = 1);

/// Sets to(column, row) = from(row, column) for every matrix of the batch, in the backend's memory. May run
/// asynchronously. Padding of the destination is not written. Pointers must be aligned to the element; rows that begin
/// on 16-byte boundaries are moved 16 bytes at a time.
///
/// Throws InputError as Transposition::validate does, and if source and destination overlap or are not aligned to the
/// element.
void transpose(Backend& backend, const Transposition& shape, const void* from, void* to);

}  // namespace poisson
