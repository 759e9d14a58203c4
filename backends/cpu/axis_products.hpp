#pragma once

#include "backends/transforms/axis_products.hpp"

namespace poisson::cpu {

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse);

}  // namespace poisson::cpu
