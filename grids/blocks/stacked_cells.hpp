#pragma once

#include "backends/memory/memory.hpp"
#include "grids/blocks/cell_products.hpp"

namespace poisson {

/// Contains what the elements of a group of blocks are computed from, in the memory of a device.
struct StackedCells {
  Buffer place, kappa, sigma;
  std::int64_t coefficients = 1;
  bool varies = false, tensor = false, reacts = false;

  CellTables<double> tables() const {
    return {static_cast<const double*>(place.data()),
            static_cast<const double*>(kappa.data()),
            reacts ? static_cast<const double*>(sigma.data()) : nullptr,
            coefficients,
            varies,
            tensor};
  }
};

}  // namespace poisson
