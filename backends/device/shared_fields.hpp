#pragma once

#include <memory>

#include "backends/device/backend.hpp"

namespace poisson {

/// Lets a backend use fields of other backends of its device instead of equal ones of its own. Several solvers of one
/// problem then read the same coefficients, which a GPU reads from memory once. Call it before set-up. `like` is a
/// backend of the group that it joins; without it, it begins a group. Backends of a group set up one after another,
/// while none of them works. A field stays, with the backend that owns it, as long as one of them uses it.
void share_fields(const std::shared_ptr<Backend>& backend, const Backend* like = nullptr);

/// Returns a field of another backend of the group with the same memory, halo included, or else the given field, which
/// the group then knows. A backend without a group gets the given field. The values must never change.
std::shared_ptr<const Field> shared_field(const Backend& backend, std::shared_ptr<const Field> field);

}  // namespace poisson
