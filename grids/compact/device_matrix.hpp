#pragma once

#include <cstdint>

#include "backends/memory/memory.hpp"
#include "grids/compact/row_steps.hpp"

namespace poisson {

/// Owns a matrix in compressed rows, whose columns rise, in memory of a backend.
struct DeviceMatrix {
  std::int64_t rows = 0, columns = 0, entries = 0;
  Buffer start;   ///< int64, rows + 1
  Buffer column;  ///< int32
  Buffer value;   ///< fp64

  std::size_t bytes() const { return start.bytes() + column.bytes() + value.bytes(); }
  CsrView view() const {
    return {rows, columns, static_cast<const std::int64_t*>(start.data()), static_cast<const int*>(column.data()),
            static_cast<const double*>(value.data())};
  }
};

}  // namespace poisson
