#pragma once

#include "backends/axis_products.hpp"

namespace poisson::cuda {

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

/// Bytes that elimination keeps of the lines, unless so many that are spare suffice, and that cuBLAS works in where it
/// multiplies.
std::size_t products_bytes(const TensorInverse& inverse, Precision precision, bool multiplies, std::size_t spare);

}  // namespace poisson::cuda
