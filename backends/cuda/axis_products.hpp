#pragma once

#include "backends/transforms/axis_products.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of AxisProducts.
std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

/// Returns the bytes that elimination stores for lines that are not cut, plus the workspace of cuBLAS if it multiplies.
std::size_t products_bytes(const TensorInverse& inverse, Precision precision, bool multiplies);

}  // namespace poisson::cuda
