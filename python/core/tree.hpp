#pragma once

#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "io/config/yaml.hpp"
#include "io/images/image_source.hpp"

namespace poisson::python {

/// Returns a tree of dictionaries, lists, strings, numbers, booleans, None and arrays as the tree of a configuration
/// file. Arrays are C-contiguous numpy arrays of fp64 or fp32; their values are copied. Every mark is `name`. Throws
/// ConfigError for other objects, for keys that are no strings, and for arrays with more than three axes. An array as
/// `image.file` becomes `image`, of any type of numbers, and is not copied.
Value to_value(nanobind::handle object, const std::string& name, std::shared_ptr<const ImageSource>& image);

/// Copies an array with at most three axes. The last axis is x.
std::shared_ptr<GridArray> to_grid_array(nanobind::handle array, const std::string& key);

}  // namespace poisson::python
