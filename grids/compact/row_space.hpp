#pragma once

#include <cstdint>

#include "backends/spaces/space.hpp"

namespace poisson {

/// Is the vector space of the rows of a compact matrix. This file alone decides how rows lie in fields: as lines of
/// equal length, so that all cores share the loops of a backend. Unused values at the end of the last line stay zero.
/// Lines are at the same distance in both precisions, so that operators share columns.
class RowSpace {
 public:
  explicit RowSpace(std::int64_t rows) : rows_(rows), length_(length_for(rows)), space_(layout_for(rows, length_)) {}

  const Space& space() const { return space_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t lines() const { return space_.part().layout().n[1]; }
  /// Returns the first row of a line, and the row after its last one.
  std::int64_t first(std::int64_t line) const { return line * length_; }
  std::int64_t last(std::int64_t line) const { return std::min(rows_, (line + 1) * length_); }
  std::int64_t length() const { return length_; }
  /// Returns the offset of a row from row 0 in a field.
  std::int64_t place(std::int64_t row) const { return row + row / length_ * between; }

 private:
  static constexpr std::int64_t step = 32, between = 2, least_lines = 2, most_lines = 1024, rows_of_line = 4096;

  static std::int64_t length_for(std::int64_t rows) {
    if (rows <= rows_of_line) return std::max<std::int64_t>(1, rows);
    const std::int64_t lines = std::clamp(rows / rows_of_line, least_lines, most_lines);
    return ((rows + lines - 1) / lines + between + step - 1) / step * step - between;
  }
  static Layout layout_for(std::int64_t rows, std::int64_t length) {
    Layout layout;
    layout.n = {static_cast<int>(length), static_cast<int>(std::max<std::int64_t>(1, (rows + length - 1) / length)), 1};
    return layout;
  }

  std::int64_t rows_, length_;
  Space space_;
};

}  // namespace poisson
