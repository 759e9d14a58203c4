#pragma once

#include <span>

#include "backends/field.hpp"

namespace poisson {

/// Fills the halos of several fields of one space and precision, as Backend::exchange does each of them: where kernels
/// exchange by themselves a message holds as many fields as have room, behind one flag; else they go one by one.
void exchange_fields(std::span<const Field* const> fields, int width = 1);

}  // namespace poisson
