#pragma once

#include "backends/device/field.hpp"

namespace poisson {

/// Returns a field of one patch in the memory of a field of several patches, of which it is patch `number` among all
/// groups. `space` has the patch's layout. The field belongs to `backend`, which accesses the same memory, and must not
/// outlive the other field.
Field field_of_patch(const Field& patches, int number, Backend& backend, const Space& space);

}  // namespace poisson
