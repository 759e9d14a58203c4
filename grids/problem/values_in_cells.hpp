#pragma once

#include <array>
#include <vector>

#include "grids/problem/quantity.hpp"

namespace poisson {

/// Returns the number of the cell that contains a coordinate: 0 on an axis without cells, the first or the last cell
/// beyond its ends.
int cell_of(const std::vector<double>& nodes, double x);

/// Returns values on the grid as a function of space, for data that need not lie on the grid, such as the material
/// below bodies. In a cell, the function has the value of the cell; between nodes it is multilinear. It may be
/// evaluated wherever this process stores values. Before values are read it is 1. Values on a device are copied to the
/// host.
Quantity::Function values_in_cells(const Quantity& array, const std::array<std::vector<double>, 3>& nodes);

}  // namespace poisson
