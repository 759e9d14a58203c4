#pragma once

#include "backends/axis_products.hpp"

namespace poisson::cuda {

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

/// Bytes that elimination keeps of whole lines, and that cuBLAS works in where it multiplies.
std::size_t products_bytes(const TensorInverse& inverse, Precision precision, bool multiplies);

}  // namespace poisson::cuda
