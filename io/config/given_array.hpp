#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson {

/// Returns the shape of values on the nodes or cells of a grid as files and programs give it: the last axis is x. The
/// shape of a face omits its axis.
std::vector<std::int64_t> grid_shape(const Problem& problem, Location location, int face_axis = -1);

/// Returns a shape such as "[4][8]".
std::string shape_text(const std::vector<std::int64_t>& shape);

/// Returns the quantity of an array that a program gives, and sets the array's location from its shape. `name` is the
/// name of the quantity (Config::describe). The data of a face have one value for each of its nodes or cells; between
/// nodes they are interpolated. `array->shape` is x fastest and complete: missing axes have 1. Throws InputError if the
/// shape fits neither the nodes nor the cells.
Quantity given_array(const std::shared_ptr<GridArray>& array, std::string_view name, const Problem& problem);

}  // namespace poisson
