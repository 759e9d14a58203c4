#pragma once

#include "io/config/schema.hpp"

namespace poisson::schema {

/// Returns the key `image`.
Schema image();

}  // namespace poisson::schema
