#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/backend.hpp"

namespace poisson {

/// Which matrices are transposed, and how they lie in memory: row-major, rows from_pitch elements apart in the source
/// and to_pitch elements apart in the destination, whose rows are the source's columns. Matrix number b begins
/// b·from_stride elements behind the source's first element and b·to_stride behind the destination's; the matrices of
/// a batch may follow each other (stride ≥ pitch · rows) or be interleaved within longer rows.
struct Transposition {
  std::int64_t rows = 0, columns = 0;  ///< of each source matrix
  std::size_t element = 8;             ///< bytes: 4, 8 or 16
  std::int64_t from_pitch = 0, to_pitch = 0;
  std::int64_t batch = 1;
  std::int64_t from_stride = 0, to_stride = 0;  ///< without meaning for a batch of one

  /// Bytes from the source's first element to behind its last one, padding in between included.
  std::size_t from_extent() const;
  std::size_t to_extent() const;
  /// Bytes that a transposition has to move: every element read once and written once.
  double bytes() const;
  /// Throws InputError for what cannot be: another element size, nothing to transpose, a pitch shorter than its row,
  /// destination matrices that overlap.
  void validate() const;
};

/// Matrices without padding, one behind the other.
Transposition packed(std::int64_t rows, std::int64_t columns, std::size_t element, std::int64_t batch = 1);

/// to(column, row) = from(row, column) for every matrix of the batch, in the backend's memory; may run asynchronously.
/// Padding of the destination stays as it was. Pointers are aligned to the element; rows that begin on 16-byte
/// boundaries are moved 16 bytes at a time. Throws InputError as Transposition::validate does, and where source and
/// destination overlap or are not aligned to the element.
void transpose(Backend& backend, const Transposition& shape, const void* from, void* to);

}  // namespace poisson
